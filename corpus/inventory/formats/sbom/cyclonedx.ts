/** CycloneDX 1. Packages are the components with a purl. */
import { isObject, type JsonObject, objects, text, texts } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import type { InventoryBuilder } from '../../inventory.ts'
import { type JsonFile, namedObjects } from '../json.ts'
import { addPackages, firstOf, type OperatingSystem, type SbomPackage, sourcePackage } from './packages.ts'

/** Types of components that are no packages, unless they have a purl. */
const NO_PACKAGES: ReadonlySet<unknown> = new Set(['file', 'operating-system', 'data', 'cryptographic-asset'])

/**
 * Adds the components of a document. They can contain components. The subject of the document (`metadata.component`) is
 * none of its parts, but has parts. Services, tools and the formulation are no parts.
 * @throws FormatError, BoundError
 */
export function addCycloneDx({ root, lineOf }: JsonFile, found: InventoryBuilder): void {
  if (root.bomFormat !== 'CycloneDX') throw new FormatError("its 'bomFormat' is not CycloneDX", lineOf(root))
  if (root.specVersion !== undefined && !/^1\.\d+$/.test(text(root.specVersion) ?? '')) {
    throw new FormatError("its 'specVersion' is not 1.x", lineOf(root))
  }
  const packages: SbomPackage[] = []
  const systems: OperatingSystem[] = []
  const names = new Map<string, string>()
  const subject = isObject(root.metadata) && isObject(root.metadata.component) ? root.metadata.component : {}
  const addName = (name: string, ref: unknown) => text(ref) && names.set(text(ref)!, name)
  addName(text(subject.name) ?? 'the subject', subject['bom-ref'])
  if (subject.type === 'operating-system') systems.push(systemOf(subject))
  const waiting: unknown[] = [root.components ?? [], subject.components || []]
  for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
    for (const { name, entry, line } of namedObjects('components', list, lineOf)) {
      const purl = text(entry.purl)
      addName(name, entry['bom-ref'])
      if (entry.components !== undefined) waiting.push(entry.components)
      if (entry.type === 'operating-system') systems.push(systemOf(entry))
      if (purl === null && !isPackage(entry)) continue
      packages.push({
        ...{ name, line, purls: purl === null ? [] : [purl], version: entry.version },
        ...{ source: sourceIn(entry), dev: isForDevelopment(entry) },
      })
    }
  }
  addPackages(found, packages, systems)
  skipIncomplete(root.compositions, names, lineOf, found)
}

/** Trivy has components for lock files and their like: they have a property with the class of their packages. */
const isPackage = (entry: JsonObject): boolean =>
  !NO_PACKAGES.has(entry.type) && propertyOf(entry, 'aquasecurity:trivy:Class') === null

/** syft states the id and the version of `os-release` as properties too. */
const systemOf = (entry: JsonObject): OperatingSystem => ({
  name: propertyOf(entry, 'syft:distro:id') ?? entry.name,
  version: propertyOf(entry, 'syft:distro:versionID') ?? entry.version,
})

/** npm states it as a property. By the specification, `excluded` is for tests and other purposes than the running program. */
function isForDevelopment(entry: JsonObject): boolean | null {
  const stated = propertyOf(entry, 'cdx:npm:package:development')
  if (stated !== null) return stated === 'true'
  return entry.scope === 'excluded' ? true : null
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
    if (stated) return sourcePackage(stated, version === undefined ? null : propertyOf(entry, version))
  }
  const trivy = (name: string) => propertyOf(entry, `aquasecurity:trivy:Src${name}`)
  const [name, version, release, epoch] = [trivy('Name'), trivy('Version'), trivy('Release'), trivy('Epoch')]
  const full = version && `${epoch && epoch !== '0' ? `${epoch}:` : ''}${version}${release ? `-${release}` : ''}`
  return name ? sourcePackage(name, full) : null
}

function propertyOf({ properties }: JsonObject, name: string): string | null {
  if (!Array.isArray(properties)) return null
  const property: unknown = properties.find((one) => isObject(one) && one.name === name)
  return isObject(property) && typeof property.value === 'string' ? property.value : null
}

/** A composition states whether the parts of components, or their dependencies, are complete. */
function skipIncomplete(
  compositions: unknown,
  names: ReadonlyMap<string, string>,
  lineOf: JsonFile['lineOf'],
  found: InventoryBuilder,
): void {
  for (const one of objects(compositions)) {
    if (!text(one.aggregate)?.startsWith('incomplete')) continue
    const [parts, dependencies] = [one.assemblies, one.dependencies].map((refs) =>
      texts(refs).map((ref) => names.get(ref) ?? ref),
    )
    if (parts!.length > 0) found.skip(`parts of ${firstOf(parts!)}`, 'incomplete', lineOf(one))
    if (dependencies!.length > 0) found.skip(`dependencies of ${firstOf(dependencies!)}`, 'incomplete', lineOf(one))
    if (parts!.length + dependencies!.length === 0) found.skip('components', 'incomplete', lineOf(one))
  }
}
