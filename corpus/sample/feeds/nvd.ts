/**
 * Writes NVD 2.0: a gzipped feed per year of ids as of the first night, and a feed of modified records per later night.
 * The newest is at its usual path, older ones are in folders named after their dates. A record has the content of the
 * CVE list plus NVD's additions.
 */
import { cutOf, DAY_MS, dateOf, FIRST_NIGHT, HOUR_MS, nightDate, timeOf } from '../calendar.ts'
import { coverageOf } from '../changes.ts'
import { contactOf } from '../cnas.ts'
import { cvss, cvssOf, type Metric, vectorPosition } from '../cvss.ts'
import { choice } from '../distribution.ts'
import { IDS_BY_YEAR } from '../figures.ts'
import { cpeKey } from '../names.ts'
import { type Item, nightsOf, type SampleFeed, type TextLayout, textOutput } from '../outputs.ts'
import type { Random } from '../random.ts'
import { type Affected, cpeOf, type Reference } from '../records/affected.ts'
import { CISA_ADP, CISA_ORG, type CnaContainer, PROGRAM_ORG } from '../records/containers.ts'
import { type CveRecord, cveRecord } from '../records/record.ts'
import { boundsOf } from '../records/versions.ts'
import { type Facts, stateAt, type World } from '../world.ts'

/** Upstream's first file includes all earlier years. */
const FIRST_YEAR = 2002
const MODIFIED = 'nvdcve-2.0-modified.json.gz'
const NVD = 'nvd@nist.gov'
/** NVD's times are UTC without a zone. */
const nvdTime = (at: number) => timeOf(at).slice(0, -1)

/** Upstream's feed of modified records covers eight days. Here it covers all changes since the first night. */
export const nvd: SampleFeed = (world, folder) => {
  const last = world.nights - 1
  const layout: Omit<TextLayout, 'path'> = {
    head: (night) =>
      `{"format":"NVD_CVE","version":"2.0","timestamp":"${nvdTime(cutOf(night) + HOUR_MS / 2)}","vulnerabilities":[\n`,
    between: ',\n',
    // Upstream states the counts first. They are known only at the end.
    tail: (records) => `\n],"resultsPerPage":${records},"startIndex":0,"totalResults":${records}}\n`,
  }
  const itemAt = (facts: Facts, nights: number[]): Item[] => {
    // NVD has no reserved ids.
    const written = nights.filter((night) => ![null, 'RESERVED'].includes(stateAt(facts, night)))
    const text = (night: number) => JSON.stringify({ cve: nvdRecord(world, facts, night) })
    return written.length > 0 ? [{ editions: written.map((night) => ({ night, text: text(night) })) }] : []
  }
  const modifiedPath = (night: number) => (night === last ? `nvd/${MODIFIED}` : `nvd/${nightDate(night)}/${MODIFIED}`)
  const modified = textOutput(folder, nightsOf(world).slice(1), { ...layout, path: modifiedPath }, (facts) =>
    itemAt(facts, changesOf(world, facts)),
  )
  const years = IDS_BY_YEAR.map(([year]) => year).filter((year) => year >= FIRST_YEAR)
  const byYear = years.map((year) => {
    const path = () => `nvd/nvdcve-2.0-${year}.json.gz`
    const isOf = ({ id }: Facts) => Math.max(FIRST_YEAR, Number(id.slice(4, 8))) === year
    return textOutput(folder, [0], { ...layout, path }, (facts) => (isOf(facts) ? itemAt(facts, [0]) : []))
  })
  return Promise.all([...byYear, modified])
}

/** NVD states CVSS 2.0 for records published until this date. */
const VERSION_2_UNTIL = Date.UTC(2022, 6, 13)
/** Share of CVEs scored by both for which NVD has the CNA's vector. */
const AGREED_SHARE = 0.55
const STATUSES = choice('Analyzed:50|Modified:38|Awaiting Analysis:7|Undergoing Analysis:2|Deferred:3')
/** NVD's weakness: the CNA's, a placeholder, or another one. */
const WEAKNESS = choice('same:84|NVD-CWE-noinfo:8|NVD-CWE-Other:3|CWE-20:5')
const TAGS: Record<string, string> = {
  'vendor-advisory': 'Vendor Advisory',
  'third-party-advisory': 'Third Party Advisory',
  exploit: 'Exploit',
  patch: 'Patch',
  'mailing-list': 'Mailing List',
  'vdb-entry': 'VDB Entry',
}

const analysedIn = (world: World, facts: Facts) => coverageOf(world, facts, 'nvd', 1)?.changedIn ?? null

/** Returns the later nights in which NVD's record changes: with the CVE list's record, or after NVD's analysis. */
function changesOf(world: World, facts: Facts): number[] {
  const nights = new Set([facts.born, facts.change?.night ?? 0, analysedIn(world, facts) ?? 0])
  return [...nights].filter((night) => night > 0).sort((a, b) => a - b)
}

/** Returns the CVSS 3.1 base score by NVD: often the CNA's, otherwise a different one. */
export function nvdScore(world: World, facts: Facts): Metric {
  const random = world.random(facts.id, 'nvd-score')
  const { cna } = cveRecord(world, facts, world.nights).containers
  const stated = cna.metrics?.find((one) => one.cvssV3_1)?.cvssV3_1 as Metric | undefined
  const own = cvss('3.1', vectorPosition(facts, random))
  return stated && random.chance(AGREED_SHARE) ? stated : own
}

function nvdRecord(world: World, facts: Facts, night: number): object {
  const record = cveRecord(world, facts, night)
  const random = world.random(facts.id, 'nvd')
  const publishedAt = Date.parse(record.cveMetadata.datePublished ?? timeOf(facts.reservedAt)) + 7 * 60_000
  const head = {
    id: facts.id,
    sourceIdentifier: contactOf(facts.cna),
    published: nvdTime(publishedAt),
    lastModified: nvdTime(lastModifiedAt(world, facts, record, night, publishedAt)),
  }
  if (record.cveMetadata.state === 'REJECTED') {
    const [{ value }] = record.containers.cna.rejectedReasons as [{ value: string }]
    const descriptions = [{ lang: 'en', value: `Rejected reason: ${value}` }]
    return { ...head, vulnStatus: 'Rejected', cveTags: [], descriptions, metrics: {}, references: [] }
  }
  const cna = record.containers.cna as CnaContainer
  const isWaiting = (analysedIn(world, facts) ?? 0) > night
  const drawn = STATUSES(random.float())
  const vulnStatus = isWaiting ? 'Awaiting Analysis' : analysedIn(world, facts) === null ? drawn : 'Analyzed'
  const isAnalysed = vulnStatus === 'Analyzed' || vulnStatus === 'Modified'
  const isListed = facts.kevAddedAt !== null && facts.kevNight <= night
  const weaknesses = weaknessesOf(facts, cna, isAnalysed, random)
  return {
    ...head,
    vulnStatus,
    cveTags: cna.tags ? [{ sourceIdentifier: head.sourceIdentifier, tags: cna.tags }] : [],
    ...(isListed ? { cisaExploitAdd: dateOf(facts.kevAddedAt!) } : {}),
    descriptions: cna.descriptions.map(({ lang, value }) => ({ lang: lang.slice(0, 2), value })),
    metrics: metricsOf(world, facts, record, isAnalysed),
    ...(weaknesses.length > 0 ? { weaknesses } : {}),
    ...(isAnalysed ? { configurations: configurationsOf(facts, cna.affected, random) } : {}),
    references: referencesOf(facts, record, isAnalysed),
  }
}

/** Returns a time after the CVE list's own change and before the files of that night are created. */
function lastModifiedAt(world: World, facts: Facts, record: CveRecord, night: number, publishedAt: number): number {
  const random = world.random(facts.id, 'nvd-time')
  const changed = Date.parse(record.cveMetadata.dateUpdated)
  const last = changesOf(world, facts).findLast((one) => one <= night)
  if (last !== undefined) return Math.max(cutOf(last) - random.between(1, 4) * HOUR_MS, changed)
  return Math.max(Math.min(changed + random.int(120) * DAY_MS, FIRST_NIGHT), changed, publishedAt)
}

const METRIC_KEYS: Record<string, string> = { '4.0': 'V40', '3.1': 'V31', '3.0': 'V30', '2.0': 'V2' }

/** Returns NVD's metrics, and copies of the CNA's and CISA's. */
function metricsOf(
  world: World,
  facts: Facts,
  { containers }: CveRecord,
  isAnalysed: boolean,
): Record<string, unknown> {
  const cisa = containers.adp?.find((one) => one.providerMetadata.shortName === CISA_ADP)
  const old = cvss('2.0', world.random(facts.id, 'nvd-score-2').float())
  const own = isAnalysed ? [nvdScore(world, facts), ...(facts.publishedAt < VERSION_2_UNTIL ? [old] : [])] : []
  const metrics: Record<string, object[]> = {}
  for (const [source, scores] of [
    [contactOf(facts.cna), cvssOf(containers.cna.metrics)],
    [CISA_ORG, cvssOf(cisa?.metrics)],
    [NVD, own],
  ] as const) {
    for (const cvssData of scores) {
      const key = `cvssMetric${METRIC_KEYS[String(cvssData.version)]}`
      const score = Number(cvssData.baseScore)
      // CVSS 2.0 has its severity beside the data.
      const rated = { baseSeverity: score < 4 ? 'LOW' : score < 7 ? 'MEDIUM' : 'HIGH' }
      const type = source === NVD ? 'Primary' : 'Secondary'
      metrics[key] ??= []
      metrics[key].push({ source, type, cvssData, ...(cvssData.version === '2.0' ? rated : {}) })
    }
  }
  return metrics
}

function weaknessesOf(facts: Facts, cna: CnaContainer, isAnalysed: boolean, random: Random): object[] {
  const own = WEAKNESS(random.float())
  const stated = cna.problemTypes?.[0]?.descriptions[0]?.cweId
  const rows = [
    ...(isAnalysed ? [[NVD, 'Primary', own === 'same' ? `CWE-${facts.weakness}` : own]] : []),
    ...(stated ? [[contactOf(facts.cna), 'Secondary', stated]] : []),
  ]
  return rows.map(([source, type, value]) => ({ source, type, description: [{ lang: 'en', value }] }))
}

/** Returns the CNA's references and the copies of the CVE Program. Analysed records have NVD's tags. */
function referencesOf(facts: Facts, { containers }: CveRecord, isAnalysed: boolean): object[] {
  const written = ({ url, tags = [] }: Reference, source: string) => {
    const known = isAnalysed ? tags.flatMap((tag) => TAGS[tag] ?? []) : []
    return { url, source, ...(known.length > 0 ? { tags: known } : {}) }
  }
  const program = containers.adp?.find((one) => one.providerMetadata.shortName === 'CVE')
  return [
    ...(containers.cna.references ?? []).map((one) => written(one, contactOf(facts.cna))),
    ...(program?.references ?? []).map((one) => written(one, PROGRAM_ORG)),
  ]
}

/** Share of records in which NVD states other versions than the CNA. */
const DISAGREED_SHARE = 0.12
/** Bounds by NVD, where the CNA states none or other ones. */
const OWN_BOUNDS = [
  { versionEndExcluding: '7.4.2' },
  { versionEndIncluding: '3.1.0' },
  { versionStartIncluding: '1.0.0', versionEndExcluding: '2.0.5' },
  { versionStartExcluding: '0.9.0', versionEndExcluding: '1.8.0' },
  {},
]
/** Maximum matches of a configuration. Further ones of a large record are omitted. */
const MATCHES_MOST = 40

/** Returns CPEs of the CNA's products, mostly with its version ranges. One in eight also names the platform. */
function configurationsOf(facts: Facts, affected: readonly Affected[], random: Random): object[] {
  const isAgreed = !random.chance(DISAGREED_SHARE)
  const part = facts.cna.kind === 'kernel' || facts.product.includes('Firmware') ? 'o' : 'a'
  const match = (criteria: string, bounds: object = {}, vulnerable = true) => {
    return { vulnerable, criteria, ...bounds, matchCriteriaId: random.uuid().toUpperCase() }
  }
  const matches = affected.flatMap(({ product = 'n/a', versions = [] }) => {
    // The root CNA names no product, so NVD adds it.
    const criteria = (version: string) =>
      cpeOf(facts.vendor.name, product === 'n/a' ? facts.product : product, version, part)
    const stated = isAgreed ? versions.flatMap((one) => boundsOf(one) ?? []) : []
    if (stated.length === 0) return [match(criteria('*'), random.pick(OWN_BOUNDS))]
    return stated.map((one) => {
      if ('exact' in one) return match(criteria(one.exact))
      const bounds = {
        versionStartIncluding: one.from,
        versionEndExcluding: one.before,
        versionEndIncluding: one.upTo,
      }
      return match(criteria('*'), Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== null)))
    })
  })
  const node = (cpeMatch: object[]) => ({ operator: 'OR', negate: false, cpeMatch })
  const all = node(matches.slice(0, MATCHES_MOST))
  if (!random.chance(0.13)) return [{ nodes: [all] }]
  const platform = part === 'o' ? `h:${cpeKey(facts.vendor.name)}:${cpeKey(facts.product)}` : 'o:kernhold:kernel'
  return [{ operator: 'AND', nodes: [all, node([match(`cpe:2.3:${platform}:-:*:*:*:*:*:*:*`, {}, false)])] }]
}
