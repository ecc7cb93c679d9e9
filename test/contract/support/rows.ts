/** Expected rows and records, read from corpus.db, and the orders of API 9.11 and rule 6 in plain JavaScript. */
import * as assert from 'uvu/assert'
import type { CapecEntry, CweEntry } from '../../../corpus/model/catalog.ts'
import type {
  AffectedEntry,
  Analysis,
  CvssSection,
  Epss,
  EvidenceItem,
  ExploitModule,
  GuidanceSection,
  RecordParts,
  Reference,
  TimelineEntry,
} from '../../../corpus/model/record.ts'
import type { KevDetail } from '../../../corpus/reader/record.ts'
import type { Corpus } from '../../../corpus/store/corpus.ts'
import type { Order } from '../../support/combinations.ts'
import { CVE_KEYS, CVE_ORDERS, type Summary } from '../../support/cve-cases.ts'
import type { Service } from './service.ts'

export { CVE_KEYS, type Summary }

export interface CvePage {
  data: Summary[]
  pagination: { limit: number; next_cursor: string | null }
}

export type CveKey = keyof typeof CVE_KEYS

/** CVEs in the order of a `sort` such as `-cvss`. */
export const inOrder = (rows: readonly Summary[], sort: string) => inListOrder(rows, CVE_ORDERS, sort)

export const idsOf = (rows: readonly { cve_id: string }[]): string[] => rows.map(({ cve_id }) => cve_id)

/** Holds a list of CVEs against what it must be: the same rows, in the order of `sort`. */
export async function expectCves(service: Service, path: string, rows: readonly Summary[], sort = '-published') {
  assert.equal(idsOf(await service.all<Summary>(path)), idsOf(inOrder(rows, sort)), path)
}

/** Every order of a list that has these keys, both ways. */
export async function expectSorts(service: Service, path: string, rows: readonly Summary[], keys: readonly CveKey[]) {
  for (const key of keys) {
    for (const sort of [key, `-${key}`]) {
      await expectCves(service, `${path}${path.includes('?') ? '&' : '?'}sort=${sort}`, rows, sort)
    }
  }
}

/** All records of the corpus, part by part, by their ids. */
export function recordsOf(corpus: Corpus): Map<string, RecordParts> {
  const records = new Map<string, RecordParts>()
  for (const { block } of corpus.blocks()) {
    for (const { cveId, parts } of corpus.records(block)) {
      const read = Object.entries(parts).map(([name, text]) => [name, JSON.parse(text)])
      records.set(cveId, Object.fromEntries(read) as RecordParts)
    }
  }
  return records
}

/** The summary record of each CVE of the corpus, made of its core and the EPSS release. */
export function summariesOf(corpus: Corpus): Summary[] {
  const { release, scores } = corpus.epss()
  const byId = new Map(Array.from(scores, ({ cveId, score, percentile }) => [String(cveId), { score, percentile }]))
  return [...recordsOf(corpus)].map(([id, { core }]) => {
    const found = byId.get(id)
    const epss = found ? { ...found, date: release!.date } : { score: null, percentile: null, date: null }
    return { ...core, epss }
  })
}

/** What the EPSS file says of itself. */
export function releaseOf(corpus: Corpus): { date: string; modelVersion: string } {
  const { release, scores } = corpus.epss()
  // The scores are read to their end: a corpus cannot be closed while they are not.
  assert.ok([...scores].length > 0)
  return release!
}

/** Rows in the order of a `sort` such as `-cves`. */
function inListOrder<Row>(rows: readonly Row[], orders: readonly Order<Row>[], sort: string): Row[] {
  return rows.toSorted(orders.find((order) => order.sort === sort)!.compare)
}

/** The catalogs, each with the names that it takes from the other one. */
export function catalogsOf(corpus: Corpus): { cwes: CweEntry[]; capecs: CapecEntry[] } {
  const cwes = corpus.catalog<CweEntry>('cwe')
  const capecs = corpus.catalog<CapecEntry>('capec')
  const weaknesses = new Map(cwes.map(({ slug, name }) => [slug, name]))
  const patterns = new Map(capecs.map(({ id, name }) => [id, name]))
  return {
    cwes: cwes.map((entry) => ({
      ...entry,
      attack_patterns_detailed: entry.attack_patterns_detailed.map((one) => ({
        ...one,
        name: patterns.get(one.slug) ?? null,
      })),
    })),
    capecs: capecs.map((entry) => ({
      ...entry,
      related_weaknesses: entry.related_weaknesses.map((one) => ({ ...one, name: weaknesses.get(one.id) ?? null })),
    })),
  }
}

export type Detail = Summary & {
  cvss: CvssSection
  epss_detail: { current: { epss_score: number } & Omit<Epss, 'score'> } | { current: null }
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
  timeline: TimelineEntry[]
  analysis: Analysis | null
  guidance: GuidanceSection
  kev_detail: KevDetail
}

export const SECTIONS = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis,guidance,kev'

/** The details of all CVEs, with every section. */
export async function allDetails(service: Service): Promise<Detail[]> {
  const rows = await service.all<Summary>('/cves')
  return aboutEach(rows, ({ cve_id: id }) => service.json<Detail>(`/cves/${id}?include=${SECTIONS}`))
}

/** Asks about each item, one after the other. */
export async function aboutEach<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const item of items) answers.push(await ask(item))
  return answers
}

/** Items by a key, for looking them up. */
export function byKey<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item> {
  return new Map(Array.from(items, (item) => [keyOf(item), item]))
}
