/** SPDX 2, in all its serializations. Packages are those with a purl. */
import { isObject, type JsonObject, objects, text, texts } from '../../../model/values/json-value.ts'
import { FormatError } from '../../error.ts'
import type { InventoryBuilder } from '../../inventory.ts'
import { type JsonFile, namedObjects } from '../json.ts'
import { addPackages, type OperatingSystem, type SbomPackage, sourcePackage } from './packages.ts'

/** Purposes of packages that are none, unless they have a purl. */
const NO_PACKAGES: ReadonlySet<unknown> = new Set(['FILE', 'OPERATING-SYSTEM'])

/** Trivy has packages for operating systems, and for lock files and their like, before SPDX 2.3 without a purpose. */
const TRIVY_NO_PACKAGE = /^SPDXRef-(?:Application|OperatingSystem)-[0-9a-f]+$/
const TRIVY_SYSTEM = /^SPDXRef-OperatingSystem-[0-9a-f]+$/

/**
 * Adds the packages of a document. GitHub's API puts the document into an object with the key `sbom`. A single described
 * package without a purl is the subject of the document, and none of its parts.
 * @throws FormatError, BoundError
 */
export function addSpdx({ root, lineOf }: JsonFile, found: InventoryBuilder): void {
  const document = isObject(root.sbom) ? root.sbom : root
  const { spdxVersion, packages = [] } = document
  if (typeof spdxVersion !== 'string' || !spdxVersion.startsWith('SPDX-2.')) {
    throw new FormatError("its 'spdxVersion' is not SPDX-2.x", lineOf(document))
  }
  const relations = objects(document.relationships)
  const subjects = subjectsOf(document, relations)
  const development = developmentOf(relations)
  const entries: SbomPackage[] = []
  const systems: OperatingSystem[] = []
  for (const { name, entry, line } of namedObjects('packages', packages, lineOf)) {
    const purls = purlsIn(entry)
    const id = text(entry.SPDXID) ?? ''
    const purpose = entry.primaryPackagePurpose
    if (purpose === 'OPERATING-SYSTEM' || TRIVY_SYSTEM.test(id)) systems.push({ name, version: entry.versionInfo })
    const isPackage = !NO_PACKAGES.has(purpose) && !TRIVY_NO_PACKAGE.test(id)
    const isSubject = subjects.size === 1 && subjects.has(id)
    if (purls.length === 0 && (!isPackage || isSubject)) continue
    entries.push({
      ...{ name, line, purls, version: versionOf(entry.versionInfo), source: builtFrom(entry.sourceInfo) },
      dev: development.get(id) ?? null,
    })
  }
  addPackages(found, entries, systems)
  for (const reference of objects(document.externalDocumentRefs)) {
    const name = text(reference.spdxDocument) ?? text(reference.externalDocumentId) ?? 'a document'
    found.skip(name, 'not-followed', lineOf(reference))
  }
}

/** `NOASSERTION` and `NONE` are no values. */
const versionOf = (version: unknown): unknown => (version === 'NOASSERTION' || version === 'NONE' ? null : version)

function subjectsOf(document: JsonObject, relations: readonly JsonObject[]): Set<string> {
  const described = relations.flatMap(({ spdxElementId, relationshipType, relatedSpdxElement }) => {
    const described = { DESCRIBES: relatedSpdxElement, DESCRIBED_BY: spdxElementId }[String(relationshipType)]
    return text(described) ?? []
  })
  return new Set([...texts(document.documentDescribes), ...described])
}

/** Returns the packages that only development or tests need, as far as the document states it of each. */
function developmentOf(relations: readonly JsonObject[]): Map<string, true> {
  const [needed, development] = [new Set<string>(), new Set<string>()]
  for (const { spdxElementId, relationshipType, relatedSpdxElement } of relations) {
    const [, scope, kind] = /^(|[A-Z]+_)(DEPENDENCY_OF|DEPENDS_ON)$/.exec(String(relationshipType)) ?? []
    const dependency = text(kind === 'DEPENDENCY_OF' ? spdxElementId : relatedSpdxElement)
    if (kind === undefined || dependency === null) continue
    const set = scope === 'DEV_' || scope === 'TEST_' ? development : needed
    set.add(dependency)
  }
  return new Map([...development.difference(needed)].map((id) => [id, true]))
}

/** Returns the source package that Trivy states: `built package from: openssl 1.1.1n-0+deb11u3`. */
export function builtFrom(sourceInfo: unknown): string | null {
  const [, name, version] = /^built package from: (\S+)(?: (\S+))?$/.exec(text(sourceInfo) ?? '') ?? []
  return name === undefined ? null : sourcePackage(name, version ?? null)
}

/** The type is `purl`, or its IRI. */
function purlsIn({ externalRefs }: JsonObject): string[] {
  const purls = objects(externalRefs)
    .filter(({ referenceType }) => /^(?:http.*\/)?purl$/.test(text(referenceType) ?? ''))
    .flatMap(({ referenceLocator }) => text(referenceLocator) ?? [])
  return [...new Set(purls)]
}
