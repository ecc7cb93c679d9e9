/**
 * Tests of searches on a snapshot of any feeds. Counts equal a plain substring count over the served rows. The results
 * are the best by the ranks of rule 28. No text is interpreted as syntax.
 */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { advisoryNames } from './advisory-names.ts'
import type { Ask } from './combinations.ts'
import type { AllRows } from './list-rows.ts'
import { advisoryRank, byText, lower, rankOf } from './plain.ts'
import { QUERIES, SHORT_QUERIES } from './search-queries.ts'

/** A searchable entry: `key` (its id, or the slug of a product), `label` and `spellings` are searched. */
interface Entry {
  id: string
  key: string
  label: string
  spellings: string[]
  first: boolean
  /** Ids of advisories that find a CVE. */
  names: string[]
}

const TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve'] as const
type Found = Record<'counts', Record<string, number>> & Record<'results', Record<string, Item[]>>
interface Item {
  type: string
  id: string
  label: string
  score: number
}

/** Returns all entries of each type in the order within a rank: newest first, or most CVEs first, as in their lists. */
function entriesOf(rows: SearchedRows, advisories: Map<string, string[]>): Record<(typeof TYPES)[number], Entry[]> {
  const entry = (id: string, label: string | null, more: Partial<Entry> = {}): Entry => {
    return { id, key: lower(id), label: label ?? '', spellings: [], first: false, names: [], ...more }
  }
  const products = rows.products.map((row) => ({ ...row, id: `${row.vendor.replaceAll('/', '%2F')}/${row.slug}` }))
  products.sort((a, b) => b.cve_count - a.cve_count || byText(a.id, b.id))
  return {
    vendor: rows.vendors.map((row) => entry(row.slug, row.display, { spellings: row.spellings! })),
    product: products.map((row) => entry(row.id, row.display, { key: row.slug, spellings: row.spellings! })),
    cwe: rows.cwes.map((row) => entry(row.cwe_id, row.name)),
    capec: rows.capecs.map((row) => entry(row.capec_id_string, row.name)),
    cna: rows.cnas.map((row) => entry(row.slug, row.cna_name)),
    cve: rows.cves.map((row) => {
      return entry(row.cve_id, row.title, { first: row.kev.listed, names: advisories.get(row.cve_id) ?? [] })
    }),
  }
}

/** By rank. */
const SCORES = [1, 0.75, 0.5, 0.25]

function bestOf(entries: readonly Entry[], wanted: string): { count: number; best: { entry: Entry; score: number }[] } {
  const matching = entries.flatMap((entry) => {
    const named = entry.names.map((name) => advisoryRank(name, wanted))
    const ranks = [rankOf(entry, wanted), ...named].filter((rank) => rank !== null)
    return ranks.length === 0 ? [] : [{ entry, score: SCORES[Math.min(...ranks)]! }]
  })
  // Sorting is stable: equal scores stay newest first, or most CVEs first.
  const ranked = matching.sort((a, b) => b.score - a.score || Number(b.entry.first) - Number(a.entry.first))
  return { count: matching.length, best: ranked.slice(0, 25) }
}

/** Returns substrings of served texts, 2 to 30 characters long, from all types. */
function piecesOf(entries: Record<string, Entry[]>, perType: number): string[] {
  return Object.values(entries).flatMap((all) => {
    const every = Math.max(1, Math.floor(all.length / perType))
    return all
      .filter((_, i) => i % every === 0)
      .slice(0, perType)
      .map(({ key, label, spellings }, i) => {
        const characters = [...(spellings.at(i % 2) ?? (label || key))]
        const from = (i * 5) % Math.max(1, characters.length - 4)
        return characters.slice(from, from + 2 + ((i * 7) % 29)).join('')
      })
  })
}

export type SearchedRows = Omit<AllRows, 'exploits' | 'packages'>

/** `corpus` is the path of the corpus that the snapshot was built from. */
export function registerSearchCounts(name: string, ask: Ask, rows: SearchedRows, corpus: string): void {
  const entries = entriesOf(rows, advisoryNames(corpus, new Set(rows.cves.map(({ cve_id }) => cve_id))))
  const pieces = piecesOf(entries, 12).filter((piece) => [...piece].length >= 2)
  const queries = [...new Set([...QUERIES, ...pieces].map((query) => query.trim()))].filter(
    (query) => [...query].length >= 2,
  )

  test(`${name}: there are more than a hundred queries, of 2 to 30 characters`, () => {
    const lengths = queries.map((query) => [...query].length)
    assert.ok(queries.length > 100)
    assert.equal([Math.min(...lengths), Math.max(...lengths)], [2, 30])
  })

  test(`rule 28: ${name}: counts are those of a plain substring search, results its best, each group capped`, async () => {
    const matched = Object.fromEntries(TYPES.map((type) => [type, 0]))
    for (const [i, q] of queries.entries()) {
      const limit = [25, 5, 1][i % 3]!
      const { text, servedFrom } = await ask('/search', `q=${encodeURIComponent(q)}&limit=${limit}`)
      const { counts, results } = JSON.parse(text) as Found
      assert.is(servedFrom, 'sqlite')
      for (const type of TYPES) {
        const { count, best } = bestOf(entries[type], lower(q))
        const asked = `${type} ${JSON.stringify(q)}`
        assert.is(counts[type], count, asked)
        assert.equal(
          results[type]!.map(({ id, label, score }) => [id, label, score]),
          best.slice(0, limit).map(({ entry, score }) => [entry.id, entry.label || entry.id, score]),
          asked,
        )
        if (count > 0) matched[type]!++
      }
    }
    const found = TYPES.map((type) => `${type} ${matched[type]}`).join(', ')
    console.log(`\n${name} → ${queries.length} searches, so many of which found something: ${found}`)
    for (const type of TYPES) {
      if (entries[type].length > 0) assert.ok(matched[type]! > 20, `too few searches find a ${type}`)
    }
  })

  test(`rule 5: ${name}: q of a list finds the rows that a plain substring search finds, in their order`, async () => {
    const lists: Record<string, { id: string; texts: (string | null)[] }[]> = {
      '/cves': rows.cves.map((row) => ({ id: row.cve_id, texts: [row.cve_id, row.title] })),
      '/cwes': rows.cwes.map((row) => ({ id: row.cwe_id, texts: [row.cwe_id, row.name] })),
      '/capecs': rows.capecs.map((row) => ({ id: row.capec_id_string, texts: [row.name, row.description] })),
      '/cnas': rows.cnas.map((row) => ({ id: row.slug, texts: [row.slug, row.cna_name] })),
      '/vendors': rows.vendors.map((row) => ({ id: row.slug, texts: [row.slug, row.display, ...row.spellings!] })),
    }
    for (const [path, all] of Object.entries(lists)) {
      const folded = all.map(({ id, texts }) => ({ id, texts: texts.map((text) => lower(text ?? '')) }))
      for (const q of [...SHORT_QUERIES.filter((one) => one.trim() === one), ...queries]) {
        const wanted = folded.filter(({ texts }) => texts.some((text) => text.includes(lower(q)))).map(({ id }) => id)
        const { text, servedFrom } = await ask(path, `q=${encodeURIComponent(q)}&limit=100`)
        const { data, pagination } = JSON.parse(text) as { data: Record<string, unknown>[]; pagination: Pagination }
        const asked = `${path} ${JSON.stringify(q)}`
        const given = data.map((row) => row.cve_id ?? row.capec_id_string ?? row.cwe_id ?? row.slug)
        assert.equal(given, wanted.slice(0, 100), asked)
        assert.is(pagination.next_cursor !== null, wanted.length > 100, asked)
        assert.is(servedFrom, 'sqlite')
      }
    }
  })
}

interface Pagination {
  next_cursor: string | null
}
