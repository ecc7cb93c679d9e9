/** SPDX 3 in JSON-LD. Packages are those with a purl. */
import { isObject, type JsonObject, objects, text } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import type { InventoryBuilder } from '../../inventory.ts'
import type { JsonFile } from '../json.ts'
import { addPackages, type OperatingSystem, type SbomPackage } from './packages.ts'
import { builtFrom } from './spdx.ts'

/** The address of the JSON-LD context: releases and drafts have different hosts. */
const CONTEXT = /^https?:\/\/spdx\.(?:org|github\.io)\/.*\b3[.-]/

/** Purposes of packages that are none, unless they have a purl. Data sets have a type of their own. */
const NO_PACKAGES: ReadonlySet<unknown> = new Set(['file', 'operatingSystem', 'data'])

/** The names of types have the prefix of their profile: `software_Package`, or are IRIs. */
const PACKAGE = /(?:^|[_/#:])(?:AI|Dataset)?Package$/
const DATA_SET = /DatasetPackage$/
const RELATIONSHIP = /Relationship$/

/**
 * Adds the packages of a document. A single root element that is a package without a purl is the subject of the document,
 * and none of its parts.
 * @throws FormatError, BoundError
 */
export function addSpdx3({ root, lineOf }: JsonFile, found: InventoryBuilder): void {
  if (!contextsOf(root).some((context) => CONTEXT.test(context))) {
    throw new FormatError("its '@context' is not the one of SPDX 3", lineOf(root))
  }
  if (root['@graph'] !== undefined && !Array.isArray(root['@graph'])) {
    throw new FormatError("'@graph' is not a list", lineOf(root))
  }
  const elements = elementsOf(root)
  const byId = new Map(elements.flatMap((one) => (idOf(one) === null ? [] : [[idOf(one)!, one] as const])))
  const packages = elements.filter((one) => PACKAGE.test(typeOf(one)))
  const relations = elements.filter((one) => RELATIONSHIP.test(typeOf(one)))
  const subject = subjectOf(elements, byId)
  const development = developmentOf(relations)
  const entries: SbomPackage[] = []
  const systems: OperatingSystem[] = []
  for (const entry of packages) {
    const purls = purlsIn(entry, byId)
    const [name, version, purpose] = [nameOf(entry), entry.software_packageVersion, entry.software_primaryPurpose]
    if (purpose === 'operatingSystem') systems.push({ name, version })
    const isPackage = !NO_PACKAGES.has(purpose) && !DATA_SET.test(typeOf(entry))
    if (purls.length === 0 && (!isPackage || entry === subject)) continue
    const dev = development.has(idOf(entry) ?? '') ? true : null
    entries.push({ name, line: lineOf(entry), purls, version, source: builtFrom(entry.software_sourceInfo), dev })
  }
  addPackages(found, entries, systems)
  for (const one of relations) {
    const what = { contains: 'parts', dependsOn: 'dependencies' }[String(one.relationshipType)]
    if (one.completeness !== 'incomplete' || what === undefined) continue
    const from = resolved(one.from, byId)
    found.skip(`${what} of ${from ? nameOf(from) : (text(one.from) ?? 'a package')}`, 'incomplete', lineOf(one))
  }
  for (const one of elements) {
    const count = typeOf(one).endsWith('SpdxDocument') && Array.isArray(one.import) ? one.import.length : 0
    if (count > 0) found.skip(`elements of other documents (${count})`, 'not-followed', lineOf(one))
  }
}

function contextsOf(root: JsonObject): string[] {
  const context = root['@context']
  return (Array.isArray(context) ? context : [context]).flatMap((one) => text(one) ?? [])
}

/** Elements are in the graph, or inside others. */
function elementsOf(root: JsonObject): JsonObject[] {
  const found: JsonObject[] = []
  const waiting: unknown[] = [root]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isObject(value)) found.push(value)
    // In reverse, so that they come in the order of the file.
    const members = (Array.isArray(value) ? value : Object.values(value as object)).toReversed()
    for (const member of members) if (typeof member === 'object' && member !== null) waiting.push(member)
  }
  return found
}

const typeOf = (element: JsonObject): string => text(element.type) ?? text(element['@type']) ?? ''
const idOf = (element: JsonObject): string | null => text(element.spdxId) ?? text(element['@id'])
const nameOf = (element: JsonObject): string => text(element.name) ?? idOf(element) ?? 'a package'

/** A value is the element, or its id. */
const resolved = (value: unknown, byId: ReadonlyMap<string, JsonObject>): JsonObject | null =>
  isObject(value) ? value : (byId.get(text(value) ?? '') ?? null)

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** The root of a document can be an SBOM, which has roots of its own. */
function subjectOf(elements: readonly JsonObject[], byId: ReadonlyMap<string, JsonObject>): JsonObject | null {
  const roots = elements.flatMap((one) => listOf(one.rootElement).map((root) => resolved(root, byId)))
  const packages = new Set(roots.filter((one) => one !== null && PACKAGE.test(typeOf(one))))
  return packages.size === 1 ? [...packages][0]! : null
}

/** Returns the packages that only development or tests need, as far as the document states it of each. */
function developmentOf(relations: readonly JsonObject[]): Set<string> {
  const [needed, development] = [new Set<string>(), new Set<string>()]
  for (const { relationshipType, scope, to } of relations) {
    if (relationshipType !== 'dependsOn') continue
    const set = scope === 'development' || scope === 'test' ? development : needed
    for (const one of listOf(to)) set.add((isObject(one) ? idOf(one) : text(one)) ?? '')
  }
  return development.difference(needed)
}

function purlsIn(entry: JsonObject, byId: ReadonlyMap<string, JsonObject>): string[] {
  const identifiers = objects(listOf(entry.externalIdentifier).map((one) => resolved(one, byId)))
    .filter(({ externalIdentifierType }) => /(?:^|\/)(?:packageUrl|purl)$/.test(text(externalIdentifierType) ?? ''))
    .map(({ identifier }) => text(identifier))
  return [...new Set([text(entry.software_packageUrl), ...identifiers].filter((one) => one !== null))]
}
