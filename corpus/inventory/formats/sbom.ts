/** Software bills of materials: CycloneDX 1 and SPDX 2, in JSON. Packages are those with a purl. */
import { isObject, type JsonObject, objects, text } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { namedObjects, parseJsonFile } from './json.ts'

/** Components can contain components. The subject of the document (`metadata.component`) is none of its parts, but has parts. */
export function parseCycloneDx(content: string): Inventory {
  const { root, lineOf } = parseJsonFile(content)
  if (root.bomFormat !== 'CycloneDX') throw new FormatError("its 'bomFormat' is not CycloneDX", 1)
  const found = new InventoryBuilder()
  const subject = isObject(root.metadata) ? root.metadata.component : null
  const waiting: unknown[] = [root.components ?? [], (isObject(subject) && subject.components) || []]
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    for (const { name, entry, line } of namedObjects('components', list, lineOf)) {
      if (entry.components !== undefined) waiting.push(entry.components)
      if (typeof entry.purl !== 'string') found.skip(name, 'no-purl', line)
      else found.addPurl(entry.purl, entry.version, { line, dev: isForDevelopment(entry), source: sourceIn(entry) })
    }
  }
  return found
}

/** npm states it as a property. */
function isForDevelopment(entry: JsonObject): boolean | null {
  const stated = propertyOf(entry, 'cdx:npm:package:development')
  return stated === null ? null : stated === 'true'
}

/** The properties in which syft and Trivy state a source package, and its version. */
const SOURCE_PROPERTIES: readonly [name: string, version?: string][] = [
  ['syft:metadata:sourceRpm'],
  ['syft:metadata:source', 'syft:metadata:sourceVersion'],
  ['syft:metadata:originPackage'],
]

/** Returns the source package in the form of `upstream` in a purl; null if no property states it. */
function sourceIn(entry: JsonObject): string | null {
  for (const [name, version] of SOURCE_PROPERTIES) {
    const stated = propertyOf(entry, name)
    if (stated) return withVersion(stated, version === undefined ? null : propertyOf(entry, version))
  }
  const trivy = (name: string) => propertyOf(entry, `aquasecurity:trivy:Src${name}`)
  const [name, version, release, epoch] = [trivy('Name'), trivy('Version'), trivy('Release'), trivy('Epoch')]
  const full = version && `${epoch && epoch !== '0' ? `${epoch}:` : ''}${version}${release ? `-${release}` : ''}`
  return name ? withVersion(name, full) : null
}

const withVersion = (name: string, version: string | null) => (version ? `${name}@${version}` : name)

function propertyOf({ properties }: JsonObject, name: string): string | null {
  if (!Array.isArray(properties)) return null
  const property: unknown = properties.find((one) => isObject(one) && one.name === name)
  return isObject(property) && typeof property.value === 'string' ? property.value : null
}

/** GitHub's API puts the document into an object with the key `sbom`. */
export function parseSpdx(content: string): Inventory {
  const { root, lineOf } = parseJsonFile(content)
  const { spdxVersion, packages = [] } = isObject(root.sbom) ? root.sbom : root
  if (typeof spdxVersion !== 'string' || !spdxVersion.startsWith('SPDX-2.')) {
    throw new FormatError("its 'spdxVersion' is not SPDX-2.x", 1)
  }
  const found = new InventoryBuilder()
  for (const { name, entry, line } of namedObjects('packages', packages, lineOf)) {
    const purls = purlsIn(entry)
    if (purls.length === 0) found.skip(name, 'no-purl', line)
    for (const purl of purls) found.addPurl(purl, entry.versionInfo, { line, source: builtFrom(entry) })
  }
  return found
}

/** Trivy: `built package from: openssl 1.1.1n-0+deb11u3`. */
function builtFrom({ sourceInfo }: JsonObject): string | null {
  const [, name, version] =
    /^built package from: (\S+)(?: (\S+))?$/.exec(typeof sourceInfo === 'string' ? sourceInfo : '') ?? []
  return name === undefined ? null : withVersion(name, version ?? null)
}

/** The type is `purl`, or its IRI. */
function purlsIn({ externalRefs }: JsonObject): string[] {
  const purls = objects(externalRefs)
    .filter(({ referenceType }) => /^(?:http.*\/)?purl$/.test(text(referenceType) ?? ''))
    .flatMap(({ referenceLocator }) => text(referenceLocator) ?? [])
  return [...new Set(purls)]
}
