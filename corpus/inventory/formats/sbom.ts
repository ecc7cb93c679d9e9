/** Software bills of materials: CycloneDX 1 and SPDX 2, in JSON. Packages are those with a purl. */
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { namedObjects, parseJsonFile } from './json.ts'

/** Components can contain components. The subject of the document (`metadata.component`) is none of its parts. */
export function parseCycloneDx(text: string): Inventory {
  const { root, lineOf } = parseJsonFile(text)
  if (root.bomFormat !== 'CycloneDX') throw new FormatError("its 'bomFormat' is not CycloneDX", 1)
  const found = new InventoryBuilder()
  const waiting: unknown[] = [root.components ?? []]
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    for (const { name, entry, line } of namedObjects('components', list, lineOf)) {
      if (entry.components !== undefined) waiting.push(entry.components)
      if (typeof entry.purl !== 'string') found.skip(name, 'no-purl', line)
      else found.addPurl(entry.purl, entry.version, { line, dev: isForDevelopment(entry) })
    }
  }
  return found
}

/** npm states it as a property. */
function isForDevelopment({ properties }: JsonObject): boolean | null {
  if (!Array.isArray(properties)) return null
  const property: unknown = properties.find((one) => isObject(one) && one.name === 'cdx:npm:package:development')
  return isObject(property) ? property.value === 'true' : null
}

/** GitHub's API puts the document into an object with the key `sbom`. */
export function parseSpdx(text: string): Inventory {
  const { root, lineOf } = parseJsonFile(text)
  const { spdxVersion, packages = [] } = isObject(root.sbom) ? root.sbom : root
  if (typeof spdxVersion !== 'string' || !spdxVersion.startsWith('SPDX-2.')) {
    throw new FormatError("its 'spdxVersion' is not SPDX-2.x", 1)
  }
  const found = new InventoryBuilder()
  for (const { name, entry, line } of namedObjects('packages', packages, lineOf)) {
    const purl = purlIn(entry)
    if (purl === null) found.skip(name, 'no-purl', line)
    else found.addPurl(purl, entry.versionInfo, { line })
  }
  return found
}

function purlIn({ externalRefs }: JsonObject): string | null {
  if (!Array.isArray(externalRefs)) return null
  const reference: unknown = externalRefs.find((one) => isObject(one) && one.referenceType === 'purl')
  const locator = isObject(reference) ? reference.referenceLocator : null
  return typeof locator === 'string' ? locator : null
}
