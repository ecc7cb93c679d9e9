/** What a service answers about each of its records: the contract's tests look at all of them. */
import type {
  AffectedEntry,
  Analysis,
  CvssSection,
  Epss,
  EvidenceItem,
  ExploitModule,
  Reference,
  TimelineEntry,
} from '../../../corpus/model/record.ts'
import type { Summary } from './cve-rows.ts'
import type { Service } from './service.ts'

export type Detail = Summary & {
  cvss: CvssSection
  epss_detail: { current: { epss_score: number } & Omit<Epss, 'score'> } | { current: null }
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
  timeline: TimelineEntry[]
  analysis: Analysis | null
}

export const SECTIONS = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis'

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
