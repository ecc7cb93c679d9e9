/** Rows of lists other than that of CVEs: their orders written out (rule 6), and the catalogs they come from. */
import * as assert from 'uvu/assert'
import type { CapecEntry, CweEntry } from '../../../corpus/model/catalog.ts'
import type { Corpus } from '../../../corpus/store/corpus.ts'
import type { Service } from './service.ts'

type Value = number | string | null

/** How the rows of a list sort: by the value of each key, texts lower-cased; ties by the id. */
export interface Orders<Row> {
  keys: Record<string, (row: Row) => Value>
  id: (row: Row) => number | string
}

const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0)

/** Rows in the order of a `sort` (`-cves`): nulls last both ways, ties by the id in the same direction. */
export function inListOrder<Row>(rows: readonly Row[], { keys, id }: Orders<Row>, sort: string): Row[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const key = keys[sort.replace('-', '')]!
  return rows.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)]
    if (x === null || y === null) return x === y ? sign * compare(id(a), id(b)) : x === null ? 1 : -1
    return sign * (compare(x, y) || compare(id(a), id(b)))
  })
}

/** Holds every sort of a list, both ways, and what it is without one. */
export async function holdListSorts<Row>(
  service: Service,
  path: string,
  rows: readonly Row[],
  orders: Orders<Row>,
  unsaid: string,
): Promise<void> {
  assert.equal(await service.all<Row>(path), inListOrder(rows, orders, unsaid), path)
  for (const key of Object.keys(orders.keys)) {
    for (const sort of [key, `-${key}`]) {
      const expected = inListOrder(rows, orders, sort)
      assert.equal(await service.all<Row>(`${path}?sort=${sort}`), expected, `${path} ${sort}`)
      assert.equal(await service.all<Row>(`${path}?sort=${sort}`, 7), expected, `${path} ${sort} by 7`)
    }
  }
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

/** Lower case, as texts are compared: a final sigma is a sigma. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
