/** The `vulnerabilities` of CycloneDX 1.4 and later, in a document of their own or in an SBOM. */
import { isObject, type JsonObject, objects } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from '../formats/json.ts'
import {
  listOf,
  optionalListOf,
  optionalObject,
  optionalText,
  optionalTime,
  Products,
  requiredText,
  type StatedFacts,
} from './fields.ts'
import type { VexStatus } from './statement.ts'

/** `analysis.state`. */
const STATES: Readonly<Record<string, VexStatus>> = {
  resolved: 'fixed',
  resolved_with_pedigree: 'fixed',
  exploitable: 'affected',
  in_triage: 'under_investigation',
  false_positive: 'not_affected',
  not_affected: 'not_affected',
}

/** `affects[].versions[].status`, where it differs from the state of the analysis. */
const VERSION_STATES: Readonly<Record<string, VexStatus>> = {
  unaffected: 'not_affected',
  unknown: 'under_investigation',
}

/**
 * Vulnerabilities without an analysis state nothing.
 * @throws FormatError
 */
export function cycloneDxStatements({ root, lineOf }: JsonFile): StatedFacts[] {
  const components = componentsByRef(root)
  const writtenAt = optionalTime(optionalObject(root, 'metadata', 1), 'timestamp', 1)
  return listOf(root, 'vulnerabilities', lineOf, 1).flatMap(({ entry, line }) => {
    const analysis = optionalObject(entry, 'analysis', line)
    if (analysis.state === undefined) return []
    const state = String(analysis.state)
    if (!Object.hasOwn(STATES, state)) {
      throw new FormatError(`'analysis.state' is none of ${Object.keys(STATES).join(', ')}`, line)
    }
    const id = requiredText(entry, 'id', "an entry of 'vulnerabilities' has no 'id'", line)
    const references = optionalListOf(entry, 'references', lineOf)
    const stated = {
      line,
      ids: [id, ...references.flatMap(({ entry: one, line: at }) => optionalText(one, 'id', at) ?? [])],
      justification: optionalText(analysis, 'justification', line),
      reason: optionalText(analysis, 'detail', line),
      statedAt: optionalTime(analysis, 'lastUpdated', line) ?? optionalTime(analysis, 'firstIssued', line) ?? writtenAt,
    }
    return [...productsByStatus(entry, STATES[state]!, components, lineOf)].map(
      ([status, { packages, notCompared }]) => ({
        ...stated,
        ...{ status, packages, notCompared },
      }),
    )
  })
}

function productsByStatus(
  vulnerability: JsonObject,
  status: VexStatus,
  components: ReadonlyMap<string, JsonObject>,
  lineOf: JsonFile['lineOf'],
): Map<VexStatus, Products> {
  const found = new Map([[status, new Products()]])
  const productsOf = (one: VexStatus) => found.get(one) ?? found.set(one, new Products()).get(one)!
  for (const { entry, line } of optionalListOf(vulnerability, 'affects', lineOf)) {
    const ref = requiredText(entry, 'ref', "an entry of 'affects' has no 'ref'", line)
    const component = componentOf(ref, components)
    const purl = component.purl === undefined ? null : String(component.purl)
    const versions = optionalListOf(entry, 'versions', lineOf)
    if (versions.length === 0) {
      const { version } = component
      productsOf(status).add(purl, ref, typeof version === 'string' ? version || null : null)
    }
    for (const { entry: one } of versions) {
      const products = productsOf(VERSION_STATES[String(one.status ?? 'affected')] ?? status)
      if (typeof one.version === 'string') products.add(withoutVersion(purl), ref, one.version)
      else products.notCompared.push(`${ref} has a range of versions`)
    }
  }
  return found
}

/** The version that an entry of `versions` states counts. */
const withoutVersion = (purl: string | null) => purl?.replace(/(?<=[^/@?#])@[^@/?#]*(?=[?#]|$)/, '') ?? null

/** A reference names a component of the document, or of another one by its BOM-Link. */
function componentOf(ref: string, components: ReadonlyMap<string, JsonObject>): JsonObject {
  const [, linked = null] = /^urn:cdx:[^#]*#(.*)$/s.exec(ref) ?? []
  const local = linked === null ? ref : decoded(linked)
  return components.get(local) ?? (/^pkg:/i.test(local) ? { purl: local } : {})
}

function decoded(text: string): string {
  // Many tools write a purl as it is.
  if (/^pkg:/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function componentsByRef({ components, metadata }: JsonObject): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  const subject = isObject(metadata) && isObject(metadata.component) ? [metadata.component] : []
  const waiting: JsonObject[] = [...objects(components), ...subject]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const ref = one['bom-ref']
    if (typeof ref === 'string') found.set(ref, one)
    for (const inner of objects(one.components)) waiting.push(inner)
  }
  return found
}
