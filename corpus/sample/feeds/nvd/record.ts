/** Builds a record of NVD (API version 2.0) as of a night: the content of the CVE list plus NVD's additions. */

import { cutOf, DAY_MS, dateOf, FIRST_NIGHT, HOUR_MS, timeOf } from '../../calendar.ts'
import { contactOf } from '../../cnas.ts'
import { coverageOf } from '../../coverage.ts'
import { weighted } from '../../distribution.ts'
import { FIXES } from '../../phrases.ts'
import type { Random } from '../../random.ts'
import { CISA_ADP, CISA_ORG, PROGRAM_ORG } from '../../record/adp-containers.ts'
import type { CnaContainer } from '../../record/cna-container.ts'
import { type CveRecord, cveRecord } from '../../record/cve-record.ts'
import { cvss, type Metric } from '../../record/metrics.ts'
import type { Reference } from '../../record/references.ts'
import { weaknessPhrase } from '../../record/text.ts'
import type { Facts, World } from '../../world.ts'
import { configurationsOf } from './configurations.ts'
import { addMetric, cvssOf, nvdScore } from './metrics.ts'

const NVD = 'nvd@nist.gov'
/** From this date on, NVD enriches only a part of the records. */
const DEFERRED_SINCE = Date.UTC(2026, 3, 15)
const VERSION_2_UNTIL = Date.UTC(2022, 6, 13)
/** CISA sets a due date after three weeks. */
const DUE_DAYS = 21

const STATUSES = weighted<string>([
  ['Analyzed', 50],
  ['Modified', 38],
  ['Awaiting Analysis', 7],
  ['Undergoing Analysis', 2],
  ['Deferred', 3],
])
/** NVD's weakness: the CNA's, a placeholder, or another one. */
const WEAKNESS = weighted<'same' | 'NVD-CWE-noinfo' | 'NVD-CWE-Other' | 'CWE-20'>([
  ['same', 84],
  ['NVD-CWE-noinfo', 8],
  ['NVD-CWE-Other', 3],
  ['CWE-20', 5],
])
/** NVD's names for tags of the CVE list. */
const TAGS: Record<string, string> = {
  'vendor-advisory': 'Vendor Advisory',
  'third-party-advisory': 'Third Party Advisory',
  exploit: 'Exploit',
  patch: 'Patch',
  'issue-tracking': 'Issue Tracking',
  'mailing-list': 'Mailing List',
  'vdb-entry': 'VDB Entry',
  'technical-description': 'Technical Description',
  'permissions-required': 'Permissions Required',
  mitigation: 'Mitigation',
}

/** Returns the later nights in which NVD's record changes: with the CVE list's record, or after NVD's analysis. */
export function nvdNews(world: World, facts: Facts): number[] {
  const analysed = coverageOf(world, facts, 'nvd', 1)?.changedIn ?? null
  const nights = new Set([facts.born, facts.change?.night ?? 0, analysed ?? 0])
  return [...nights].filter((night) => night > 0).sort((a, b) => a - b)
}

/** Returns null if NVD has no record. NVD has no reserved ids. */
export function nvdRecord(world: World, facts: Facts, night: number): object | null {
  if (facts.born > night) return null
  const record = cveRecord(world, facts, night)
  if (record.cveMetadata.state === 'RESERVED') return null
  const random = world.random(facts.id, 'nvd')
  const analysedIn = coverageOf(world, facts, 'nvd', 1)?.changedIn ?? null
  const head = {
    id: facts.id,
    sourceIdentifier: contactOf(facts.cna),
    published: nvdTime(publishedAt(facts, record)),
    lastModified: nvdTime(lastModifiedAt(world, facts, record, night)),
  }
  if (record.cveMetadata.state === 'REJECTED') return rejected(head, record)
  const status = statusOf(facts, STATUSES(random.float()), analysedIn, night)
  const cna = record.containers.cna as CnaContainer
  const analysed = status === 'Analyzed' || status === 'Modified'
  const weaknesses = weaknessesOf(facts, cna, analysed, random)
  return {
    ...head,
    vulnStatus: status,
    cveTags: [],
    ...(facts.kevAddedAt !== null && facts.kevNight <= night ? kevMembers(facts) : {}),
    descriptions: cna.descriptions.map(({ lang, value }) => ({ lang: lang.slice(0, 2), value })),
    metrics: metricsOf(world, facts, record, analysed),
    ...(weaknesses.length > 0 ? { weaknesses } : {}),
    ...(analysed ? { configurations: configurationsOf(facts, cna.affected, random) } : {}),
    references: referencesOf(facts, record, analysed, random),
  }
}

/** Returns the status. A record waits until its night of analysis. Old records without analysis are deferred. */
function statusOf(facts: Facts, drawn: string, analysedIn: number | null, night: number): string {
  if (analysedIn !== null) return analysedIn <= night ? 'Analyzed' : 'Awaiting Analysis'
  if (drawn === 'Analyzed' || drawn === 'Modified') return drawn
  return facts.publishedAt < DEFERRED_SINCE - 400 * DAY_MS ? 'Deferred' : drawn
}

function rejected(head: object, record: CveRecord): object {
  const reasons = record.containers.cna.rejectedReasons as { value: string }[]
  return {
    ...head,
    vulnStatus: 'Rejected',
    cveTags: [],
    descriptions: [{ lang: 'en', value: `Rejected reason: ${reasons[0]!.value}` }],
    metrics: {},
    references: [],
  }
}

function publishedAt(facts: Facts, record: CveRecord): number {
  return Date.parse(record.cveMetadata.datePublished ?? timeOf(facts.reservedAt)) + 7 * 60_000
}

/** Returns a time after the CVE list's own change and before the files of that night are created. */
function lastModifiedAt(world: World, facts: Facts, record: CveRecord, night: number): number {
  const random = world.random(facts.id, 'nvd-time')
  const news = nvdNews(world, facts).filter((one) => one <= night)
  const changed = Date.parse(record.cveMetadata.dateUpdated)
  const days = random.int(120) * DAY_MS
  const last = news.at(-1)
  if (last !== undefined) return Math.max(cutOf(last) - random.between(1, 4) * HOUR_MS, changed)
  return Math.max(Math.min(changed + days, FIRST_NIGHT), changed, publishedAt(facts, record))
}

/** NVD's times are UTC without a zone. */
function nvdTime(at: number): string {
  return timeOf(at).slice(0, -1)
}

function kevMembers(facts: Facts): object {
  return {
    cisaExploitAdd: dateOf(facts.kevAddedAt!),
    cisaActionDue: dateOf(facts.kevAddedAt! + DUE_DAYS * DAY_MS),
    cisaRequiredAction: FIXES[0],
    cisaVulnerabilityName: `${facts.vendor.name} ${facts.product} ${weaknessPhrase(facts.weakness).name} Vulnerability`,
  }
}

/** Returns NVD's metrics, and copies of the CNA's and CISA's. Only recent CVEs also get a copy of CISA's SSVC. */
function metricsOf(
  world: World,
  facts: Facts,
  { containers }: CveRecord,
  analysed: boolean,
): Record<string, unknown[]> {
  const metrics: Record<string, unknown[]> = {}
  const cna = containers.cna as CnaContainer
  for (const one of cvssOf(cna.metrics ?? [])) addMetric(metrics, one, contactOf(facts.cna), 'Secondary')
  const cisa = containers.adp?.find((one) => one.providerMetadata.shortName === CISA_ADP)
  for (const one of cvssOf(cisa?.metrics ?? [])) addMetric(metrics, one, CISA_ORG, 'Secondary')
  if (analysed) {
    addMetric(metrics, nvdScore(world, facts, cna), NVD, 'Primary')
    if (facts.publishedAt < VERSION_2_UNTIL) {
      addMetric(metrics, cvss('2.0', world.random(facts.id, 'nvd-score-2').float()), NVD, 'Primary')
    }
  }
  const ssvc = facts.publishedAt >= DEFERRED_SINCE - 365 * DAY_MS ? ssvcOf(cisa?.metrics ?? []) : null
  if (ssvc) metrics.ssvcV203 = [{ source: CISA_ORG, ssvcData: ssvc }]
  return metrics
}

const SSVC_KEYS: Record<string, string> = {
  Exploitation: 'exploitation',
  Automatable: 'automatable',
  'Technical Impact': 'technicalImpact',
}

interface SsvcContent {
  timestamp: string
  id: string
  role: string
  version: string
  options: Record<string, string>[]
}

/** NVD's copy has the same points under other keys. */
function ssvcOf(metrics: readonly Metric[]): object | null {
  const other = metrics.map((one) => one.other as { type: string; content: SsvcContent } | undefined)
  const content = other.find((one) => one?.type === 'ssvc')?.content
  if (!content) return null
  const { timestamp, id, role, version } = content
  const options = content.options.flatMap((option) =>
    Object.entries(option).map(([key, value]) => ({ [SSVC_KEYS[key]!]: value.toLowerCase() })),
  )
  return { timestamp, id, options, role, version }
}

function weaknessesOf(facts: Facts, cna: CnaContainer, analysed: boolean, random: Random): object[] {
  const weakness = (source: string, type: string, value: string) => ({
    source,
    type,
    description: [{ lang: 'en', value }],
  })
  const found: object[] = []
  const own = WEAKNESS(random.float())
  if (analysed) found.push(weakness(NVD, 'Primary', own === 'same' ? `CWE-${facts.weakness}` : own))
  const stated = cna.problemTypes?.[0]?.descriptions[0]?.cweId
  if (stated) found.push(weakness(contactOf(facts.cna), 'Secondary', stated))
  return found
}

/** Returns the CNA's references, the copies of the CVE Program, and in some records one of NVD's own. */
function referencesOf(facts: Facts, { containers }: CveRecord, analysed: boolean, random: Random): object[] {
  const written = ({ url, tags = [] }: Reference, source: string) => {
    const named = tags.flatMap((tag) => TAGS[tag] ?? [])
    return { url, source, ...(analysed && named.length > 0 ? { tags: named } : {}) }
  }
  const program = containers.adp?.find((one) => one.providerMetadata.shortName === 'CVE')
  const own: Reference[] = random.chance(0.08)
    ? [
        {
          url: `https://research.example.net/notes/nvd/${random.hex(10)}`,
          tags: ['third-party-advisory', random.pick(['exploit', 'patch', 'mitigation'])],
        },
      ]
    : []
  return [
    ...(containers.cna.references ?? []).map((one) => written(one, contactOf(facts.cna))),
    ...(program?.references ?? []).map((one) => written(one, PROGRAM_ORG)),
    ...own.map((one) => written(one, NVD)),
  ]
}
