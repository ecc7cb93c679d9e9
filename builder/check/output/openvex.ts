/**
 * The findings and decisions of `vulnshelf check` as an OpenVEX 0.2.0 document: a start for the user's own. Without a
 * decision, a finding is under investigation.
 */
import { VERSION } from '../../../corpus/command/version.ts'
import type { DecidedFinding } from '../../../corpus/inventory/decisions/apply.ts'
import { packageUrl } from '../../../corpus/model/packages/purl.ts'
import { baseEcosystem } from '../../../corpus/model/versions/ecosystems.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import type { CheckReport } from '../check.ts'

const CONTEXT = 'https://openvex.dev/ns/v0.2.0'

/** The namespace for documents of everyone (OpenVEX, "Public namespace"). */
const PUBLIC = 'https://openvex.dev/docs/public/vex-'

export interface OpenVex {
  '@context': string
  '@id': string
  author: string
  timestamp: string
  version: number
  tooling: string
  statements: OpenVexStatement[]
}

interface OpenVexStatement {
  vulnerability: { name: string; aliases?: string[] }
  timestamp?: string
  products: { '@id': string }[]
  status: 'not_affected' | 'affected' | 'fixed' | 'under_investigation'
  justification?: string
  impact_statement?: string
  action_statement?: string
  status_notes?: string
}

/** The labels of OpenVEX. Other formats have others. */
const JUSTIFICATIONS = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
]

/** Returns null without findings: a document has a statement. The same findings have the same `@id`. */
export function openVexOf({ snapshot, findings }: CheckReport, author: string): OpenVex | null {
  if (findings.length === 0) return null
  const content = {
    author,
    // Not the time of day: the same check gives the same document.
    timestamp: snapshot.createdAt,
    version: 1,
    tooling: `vulnshelf ${VERSION}, snapshot ${snapshot.id}`,
    statements: statementsOf(findings),
  }
  return { '@context': CONTEXT, '@id': PUBLIC + sha256(JSON.stringify(content)), ...content }
}

/** Equal statements about several packages become one. */
function statementsOf(findings: readonly DecidedFinding[]): OpenVexStatement[] {
  const byContent = new Map<string, { about: Omit<OpenVexStatement, 'products'>; products: Set<string> }>()
  for (const finding of findings) {
    const about = aboutFinding(finding)
    const key = JSON.stringify(about)
    const one = byContent.get(key) ?? { about, products: new Set<string>() }
    byContent.set(key, one)
    one.products.add(productOf(finding))
  }
  return Array.from(byContent.values(), ({ about: { vulnerability, ...about }, products }) => ({
    vulnerability,
    products: Array.from(products, (id) => ({ '@id': id })),
    ...about,
  }))
}

function aboutFinding({ advisory, decision }: DecidedFinding): Omit<OpenVexStatement, 'products'> {
  const { advisory_id, aliases, cve_ids, fixed_versions } = advisory
  const name = cve_ids.length === 1 ? cve_ids[0]! : advisory_id
  const others = [...new Set([advisory_id, ...aliases, ...cve_ids])].filter((id) => id !== name)
  const vulnerability = { name, ...(others.length > 0 && { aliases: others }) }
  const update = fixed_versions[0] === undefined ? 'no fixed version' : `fixed in ${fixed_versions[0]}`
  if (decision === null) return { vulnerability, status: 'under_investigation', status_notes: update }
  const { status, justification, reason, until, statedAt } = decision
  const timestamp = statedAt === null ? {} : { timestamp: statedAt }
  if (status === 'ignored') {
    // Someone accepts the risk; nobody says that there is none.
    const action_statement = `accepted${until === null ? '' : ` until ${until}`}: ${reason}`
    return { vulnerability, status: 'affected', action_statement, status_notes: update }
  }
  if (status === 'affected') {
    return { vulnerability, ...timestamp, status, action_statement: reason ?? update }
  }
  const notes = [justification, reason].filter((one) => one !== null).join(': ')
  if (status === 'not_affected') {
    const label = JUSTIFICATIONS.find((one) => one === justification)
    // One of both.
    if (label === undefined) return { vulnerability, ...timestamp, status, impact_statement: notes || 'not stated' }
    return {
      vulnerability,
      ...timestamp,
      status,
      justification: label,
      ...(reason !== null && { status_notes: reason }),
    }
  }
  return { vulnerability, ...timestamp, status, ...(notes !== '' && { status_notes: notes }) }
}

function productOf({ ecosystem, name, version, purl }: DecidedFinding): string {
  if (purl !== null) return purlWithVersion(purl, version)
  const derived = ecosystem === null ? null : packageUrl(baseEcosystem(ecosystem), name)
  if (derived !== null) return `${derived}@${encodeURIComponent(version)}`
  return `urn:vulnshelf:package:${[ecosystem ?? '', name, version].map(encodeURIComponent).join(':')}`
}

/** An SBOM can state the version outside of the purl. */
function purlWithVersion(purl: string, version: string): string {
  const [path, rest] = [purl.replace(/[?#].*$/s, ''), /[?#].*$/s.exec(purl)?.[0] ?? '']
  return /[^/]@[^@/]*$/.test(path) ? purl : `${path}@${encodeURIComponent(version)}${rest}`
}
