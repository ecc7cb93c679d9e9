/**
 * Writes NVD 2.0: a gzipped feed per year of ids as of the first night, and a feed of modified records per later night.
 * The newest is at its usual path, older ones are in folders named after their dates. A record has the content of the
 * CVE list plus NVD's additions.
 */
import { cutOf, DAY_MS, dateOf, FIRST_NIGHT, HOUR_MS, nightDate, timeOf } from '../calendar.ts'
import { coverageOf } from '../changes.ts'
import { contactOf } from '../cnas.ts'
import { cvss, cvssOf, type Metric, nvdMetric } from '../cvss.ts'
import { type TextFile, textFile } from '../disk.ts'
import { choice } from '../distribution.ts'
import { cpeKey } from '../names.ts'
import type { Folder, SampleFeed, WrittenFile } from '../outputs.ts'
import type { Random } from '../random.ts'
import type { Affected, Reference } from '../records/affected.ts'
import { CISA_ADP, CISA_ORG, type CnaContainer, PROGRAM_ORG } from '../records/containers.ts'
import { type CveRecord, cveRecord } from '../records/record.ts'
import { boundsOf, type Version } from '../records/versions.ts'
import { weaknessPhrase } from '../text.ts'
import type { Facts, World } from '../world.ts'
import { DUE_DAYS } from './exploited.ts'

/** Upstream's first file includes all earlier years. */
const FIRST_YEAR = 2002
const MODIFIED = 'nvdcve-2.0-modified.json.gz'

/** Upstream's feed of modified records covers eight days. Here it covers all changes since the first night. */
export const nvd: SampleFeed = async (world, folder) => {
  const files = new Map<string, { file: TextFile; records: number }>()
  const write = async (path: string, night: number, cve: object) => {
    const output = files.get(path) ?? { file: await opened(folder, path, night), records: 0 }
    files.set(path, output)
    await output.file.write(`${output.records++ > 0 ? ',\n' : ''}${JSON.stringify({ cve })}`)
  }
  const add = async (facts: Facts) => {
    for (const { path, night } of filesOf(world, facts)) await write(path, night, nvdRecord(world, facts, night))
  }
  const end = async () => {
    const written: WrittenFile[] = []
    for (let night = 1; night < world.nights; night++) {
      const path = modifiedPath(world, night)
      if (!files.has(path)) files.set(path, { file: await opened(folder, path, night), records: 0 })
    }
    for (const [path, { file, records }] of files) {
      // Upstream states the counts first. They are known only at the end.
      await file.write(`\n],"resultsPerPage":${records},"startIndex":0,"totalResults":${records}}\n`)
      written.push({ path, records, bytes: await file.end() })
    }
    return written
  }
  return [{ add, end }]
}

const modifiedPath = (world: World, night: number) =>
  night === world.nights - 1 ? `nvd/${MODIFIED}` : `nvd/${nightDate(night)}/${MODIFIED}`

/** Returns the files that have a record, and the night that they state. NVD has no reserved ids. */
function filesOf(world: World, facts: Facts): { path: string; night: number }[] {
  const year = Math.max(FIRST_YEAR, Number(facts.id.slice(4, 8)))
  const isReserved = facts.state === 'RESERVED'
  const first = facts.born === 0 && !isReserved ? [{ path: `nvd/nvdcve-2.0-${year}.json.gz`, night: 0 }] : []
  const [changed] = nvdNews(world, facts)
  if (changed === undefined) return first
  const since = Math.max(changed, isReserved ? (facts.change?.night ?? world.nights) : facts.born)
  const nights = Array.from({ length: Math.max(0, world.nights - since) }, (_, i) => since + i)
  return [...first, ...nights.map((night) => ({ path: modifiedPath(world, night), night }))]
}

async function opened(folder: Folder, path: string, night: number): Promise<TextFile> {
  const file = await textFile(await folder.create(path), true)
  const timestamp = nvdTime(cutOf(night) + HOUR_MS / 2)
  await file.write(`{"format":"NVD_CVE","version":"2.0","timestamp":"${timestamp}","vulnerabilities":[\n`)
  return file
}

const NVD = 'nvd@nist.gov'
/** From this date on, NVD enriches only a part of the records. */
const DEFERRED_SINCE = Date.UTC(2026, 3, 15)
const VERSION_2_UNTIL = Date.UTC(2022, 6, 13)
/** Share of CVEs scored by both for which NVD has the CNA's vector. */
const AGREED_SHARE = 0.55
const STATUSES = choice('Analyzed:50|Modified:38|Awaiting Analysis:7|Undergoing Analysis:2|Deferred:3')
/** NVD's weakness: the CNA's, a placeholder, or another one. */
const WEAKNESS = choice('same:84|NVD-CWE-noinfo:8|NVD-CWE-Other:3|CWE-20:5')
const NVD_TAGS = new Set(
  'vendor-advisory third-party-advisory exploit patch issue-tracking mailing-list vdb-entry technical-description permissions-required mitigation'.split(
    ' ',
  ),
)
/** NVD's times are UTC without a zone. */
const nvdTime = (at: number) => timeOf(at).slice(0, -1)

/** Returns the later nights in which NVD's record changes: with the CVE list's record, or after NVD's analysis. */
function nvdNews(world: World, facts: Facts): number[] {
  const nights = new Set([facts.born, facts.change?.night ?? 0, analysedIn(world, facts) ?? 0])
  return [...nights].filter((night) => night > 0).sort((a, b) => a - b)
}

const analysedIn = (world: World, facts: Facts) => coverageOf(world, facts, 'nvd', 1)?.changedIn ?? null

/** Returns the CVSS 3.1 base score by NVD: often the CNA's, otherwise a different one. */
export function nvdScore(world: World, facts: Facts): Metric {
  const random = world.random(facts.id, 'nvd-score')
  const { cna } = cveRecord(world, facts, world.nights).containers
  const stated = cna.metrics?.find((one) => one.cvssV3_1)?.cvssV3_1 as Metric | undefined
  const own = cvss('3.1', random.float())
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
  const { cna: container, adp = [] } = record.containers
  if (record.cveMetadata.state === 'REJECTED') {
    const [{ value }] = container.rejectedReasons as [{ value: string }]
    const descriptions = [{ lang: 'en', value: `Rejected reason: ${value}` }]
    return { ...head, vulnStatus: 'Rejected', cveTags: [], descriptions, metrics: {}, references: [] }
  }
  const cna = container as CnaContainer
  const vulnStatus = statusOf(facts, STATUSES(random.float()), analysedIn(world, facts), night)
  const analysed = vulnStatus === 'Analyzed' || vulnStatus === 'Modified'
  const weaknesses = weaknessesOf(facts, cna, analysed, random)
  const tags = cna.tags as string[] | undefined
  return {
    ...head,
    vulnStatus,
    cveTags: tags ? [{ sourceIdentifier: head.sourceIdentifier, tags }] : [],
    ...(facts.kevAddedAt !== null && facts.kevNight <= night ? kevMembers(facts) : {}),
    descriptions: cna.descriptions.map(({ lang, value }) => ({ lang: lang.slice(0, 2), value })),
    metrics: metricsOf(world, facts, cna, adp, analysed),
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

/** Returns a time after the CVE list's own change and before the files of that night are created. */
function lastModifiedAt(world: World, facts: Facts, record: CveRecord, night: number, publishedAt: number): number {
  const random = world.random(facts.id, 'nvd-time')
  const changed = Date.parse(record.cveMetadata.dateUpdated)
  const last = nvdNews(world, facts).findLast((one) => one <= night)
  if (last !== undefined) return Math.max(cutOf(last) - random.between(1, 4) * HOUR_MS, changed)
  return Math.max(Math.min(changed + random.int(120) * DAY_MS, FIRST_NIGHT), changed, publishedAt)
}

function kevMembers({ kevAddedAt, vendor, product, weakness }: Facts): object {
  return {
    cisaExploitAdd: dateOf(kevAddedAt!),
    cisaActionDue: dateOf(kevAddedAt! + DUE_DAYS * DAY_MS),
    cisaRequiredAction: 'Apply updates per the instructions of the vendor.',
    cisaVulnerabilityName: `${vendor.name} ${product} ${weaknessPhrase(weakness).name} Vulnerability`,
  }
}

type Adp = NonNullable<CveRecord['containers']['adp']>

/** Returns NVD's metrics, and copies of the CNA's and CISA's. */
function metricsOf(
  world: World,
  facts: Facts,
  cna: CnaContainer,
  adp: Adp,
  analysed: boolean,
): Record<string, unknown[]> {
  const metrics: Record<string, unknown[]> = {}
  const add = (one: Metric, source: string, type: 'Primary' | 'Secondary' = 'Secondary') => {
    const [key, metric] = nvdMetric(one, source, type)
    metrics[key] = [...(metrics[key] ?? []), metric]
  }
  const cisa = adp.find((one) => one.providerMetadata.shortName === CISA_ADP)?.metrics ?? []
  for (const one of cvssOf(cna.metrics)) add(one, contactOf(facts.cna))
  for (const one of cvssOf(cisa)) add(one, CISA_ORG)
  if (analysed) {
    add(nvdScore(world, facts), NVD, 'Primary')
    const random = world.random(facts.id, 'nvd-score-2')
    if (facts.publishedAt < VERSION_2_UNTIL) add(cvss('2.0', random.float()), NVD, 'Primary')
  }
  return metrics
}

function weaknessesOf(facts: Facts, cna: CnaContainer, analysed: boolean, random: Random): object[] {
  const own = WEAKNESS(random.float())
  const stated = cna.problemTypes?.[0]?.descriptions[0]?.cweId
  const rows = [
    ...(analysed ? [[NVD, 'Primary', own === 'same' ? `CWE-${facts.weakness}` : own]] : []),
    ...(stated ? [[contactOf(facts.cna), 'Secondary', stated]] : []),
  ]
  return rows.map(([source, type, value]) => ({ source, type, description: [{ lang: 'en', value }] }))
}

/** Returns the CNA's references, the copies of the CVE Program, and in some records one of NVD's own. */
function referencesOf(facts: Facts, { containers }: CveRecord, analysed: boolean, random: Random): object[] {
  const written = ({ url, tags = [] }: Reference, source: string) => {
    const known = tags.filter((tag) => NVD_TAGS.has(tag))
    const named = known.map((tag) =>
      tag.replaceAll(/(^|-)(vdb|[a-z])/g, (_, dash, start) => (dash && ' ') + start.toUpperCase()),
    )
    return { url, source, ...(analysed && named.length > 0 ? { tags: named } : {}) }
  }
  const program = containers.adp?.find((one) => one.providerMetadata.shortName === 'CVE')
  const tags = ['third-party-advisory', random.pick(['exploit', 'patch', 'mitigation'])]
  const own = random.chance(0.08) ? [{ url: `https://research.example.net/notes/nvd/${random.hex(10)}`, tags }] : []
  return [
    ...(containers.cna.references ?? []).map((one) => written(one, contactOf(facts.cna))),
    ...(program?.references ?? []).map((one) => written(one, PROGRAM_ORG)),
    ...own.map((one) => written(one, NVD)),
  ]
}

type CpeMatch = { vulnerable: boolean; criteria: string; matchCriteriaId: string } & Record<string, unknown>

/** Share of entries with other versions than the CNA's. */
const DISAGREED_SHARE = 0.12
/** Share of configurations that name the platform of the product. */
const PLATFORM_SHARE = 0.13
/** Share of records with one configuration per product: four of 62. At most six are written. */
const SEVERAL_SHARE = 0.15
/** Maximum matches of a configuration. Further ones of a large record are omitted. */
const MATCHES_MOST = 40

/** Returns CPEs of the CNA's products, mostly with the CNA's version ranges. */
function configurationsOf(facts: Facts, affected: readonly Affected[], random: Random): object[] {
  const part = facts.cna.kind === 'kernel' || /Firmware/.test(facts.product) ? 'o' : 'a'
  const matches = new Map<string, CpeMatch>()
  for (const { product = 'n/a', versions = [] } of affected) {
    if (matches.size >= MATCHES_MOST) break
    // The root CNA names no product, so NVD adds it.
    const named = product === 'n/a' ? facts.product : product
    const key = `cpe:2.3:${part}:${cpeKey(facts.vendor.name)}:${cpeKey(named)}`
    for (const match of matchesOf(key, facts.productKind === 'plugin' ? 'pagepress' : '*', versions, random)) {
      matches.set(JSON.stringify({ ...match, matchCriteriaId: '' }), match)
    }
  }
  const all = [...matches.values()]
  const node = (cpeMatch: CpeMatch[]) => ({ operator: 'OR', negate: false, cpeMatch })
  if (all.length > 1 && random.chance(SEVERAL_SHARE)) {
    return all.slice(0, 6).map((match) => ({ nodes: [node([match])] }))
  }
  if (!random.chance(PLATFORM_SHARE)) return [{ nodes: [node(all)] }]
  const platform = part === 'o' ? `h:${cpeKey(facts.vendor.name)}:${cpeKey(facts.product)}` : 'o:kernhold:kernel'
  const criteria = `cpe:2.3:${platform}:-:*:*:*:*:*:*:*`
  const required = { vulnerable: false, criteria, matchCriteriaId: random.uuid().toUpperCase() }
  return [{ operator: 'AND', nodes: [node(all), node([required])] }]
}

function matchesOf(key: string, software: string, versions: readonly Version[], random: Random): CpeMatch[] {
  const match = (version: string, bounds: object): CpeMatch => ({
    vulnerable: true,
    criteria: `${key}:${version}:*:*:*:*:${software}:*:*`,
    ...bounds,
    matchCriteriaId: random.uuid().toUpperCase(),
  })
  const stated = random.chance(DISAGREED_SHARE) ? [] : versions.flatMap((one) => boundsOf(one) ?? [])
  if (stated.length === 0) return [match('*', ownBounds(random))]
  return stated.map((one) => {
    if ('exact' in one) return match(one.exact, {})
    const { from, before, upTo } = one
    const bounds = { versionStartIncluding: from, versionEndExcluding: before, versionEndIncluding: upTo }
    return match('*', Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== null)))
  })
}

function ownBounds(random: Random): object {
  const end = `${random.between(1, 14)}.${random.int(20)}.${random.int(20)}`
  const even = random.float()
  if (even < 0.6) return { versionEndExcluding: end }
  if (even < 0.8) return { versionEndIncluding: end }
  if (even < 0.9) return { versionStartIncluding: '1.0.0', versionEndExcluding: end }
  // All versions, or a range that excludes its start.
  return even < 0.96 ? {} : { versionStartExcluding: '0.9.0', versionEndExcluding: end }
}
