/** The searchable texts of a snapshot, as input of `query.db`. */

import type { VendorRow } from '../../model/directory.ts'
import { type CveId, compareCveIds, parseCveId } from '../../model/ids/cve-id.ts'
import { foldName } from '../../model/packages/name.ts'
import type { PackageRow } from '../../model/packages/package-entry.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../codec/fold.ts'
import { packTexts, type TextColumn } from '../codec/text-column.ts'
import { LISTS } from '../cursor/lists.ts'
import type { WordSource } from '../query/build.ts'
import { type AdvisoryIds, type PackedSet, SPELLING_BORDER } from '../query/sets.ts'
import type { AdvisoryRows } from './advisory-rows.ts'
import { FLAGS, SEVERITIES } from './facts.ts'
import type { RecordLists } from './list-rows.ts'
import type { Rows } from './rows.ts'

/** Returns the CVEs, matched by id and title (rule 28). `row` is the row of each ordinal, newest first. */
export function cveTexts(rows: Rows, row: Uint32Array): PackedSet {
  const ids = packTexts(row.length, (ordinal) => rows.ids[row[ordinal]!]!)
  return {
    name: 'cve',
    keys: ids,
    ids,
    labels: packTexts(row.length, (ordinal) => rows.titles[row[ordinal]!] ?? ''),
    subtitles: packTexts(row.length, (ordinal) => cveSubtitle(rows, row[ordinal]!)),
    first: Uint8Array.from(row, (one) => (rows.flags[one]! & FLAGS.kev ? 1 : 0)),
  }
}

function cveSubtitle({ severity, score, flags }: Rows, row: number): string {
  const band = SEVERITIES[severity[row]!]
  const words = [band ? `${band} ${score[row]!.toFixed(1)}` : 'not scored']
  if (flags[row]! & FLAGS.reserved) words.unshift('reserved')
  if (flags[row]! & FLAGS.kev) words.push('known exploited')
  return words.join(', ')
}

/** Returns the lists, matched by id and name, with the ordinals of the lists (rule 28). */
export function listTexts({ cwes, capecs, cnas, vendors, products }: RecordLists): PackedSet[] {
  return [
    packSet('cwe', cwes, {
      key: ({ cwe_id }) => cwe_id,
      label: ({ name }) => name,
      subtitle: ({ abstraction, cve_count }) => `${abstraction}, ${counted(cve_count, 'CVE')}`,
    }),
    packSet('capec', capecs, {
      key: ({ capec_id_string }) => capec_id_string,
      label: ({ name }) => name ?? '',
      subtitle: ({ abstraction, status }) => [abstraction, status].filter(Boolean).join(', '),
    }),
    packSet('capec_text', capecs, {
      key: ({ name }) => name ?? '',
      id: ({ capec_id_string }) => capec_id_string,
      label: ({ description }) => description,
      subtitle: () => '',
    }),
    packSet('cna', cnas, {
      key: ({ slug }) => slug,
      label: ({ cna_name }) => cna_name,
      subtitle: ({ total_cves }) => counted(total_cves, 'CVE'),
    }),
    packSet('vendor', vendors, {
      key: ({ slug }) => slug,
      label: ({ display }) => display,
      spellings: otherSpellings,
      subtitle: (row) => `${counted(row.product_count, 'product')}, ${counted(row.cve_count, 'CVE')}`,
    }),
    packSet('product', products, {
      key: ({ slug }) => slug,
      id: LISTS.products.id,
      label: ({ display }) => display,
      spellings: otherSpellings,
      subtitle: (row) => `${row.vendor_display}, ${counted(row.cve_count, 'CVE')}`,
    }),
  ]
}

/**
 * Returns the spellings of a row with which neither key nor display begins, each after the border. A match in the others
 * is also one in key or display, with the same rank or a better one.
 */
export function otherSpellings({ slug, display, spellings }: Named): string {
  const found = [slug, display].map(fold)
  const others = spellings.filter((spelling) => !found.some((text) => text.startsWith(fold(spelling))))
  return others.map((spelling) => SPELLING_BORDER + spelling).join('')
}

type Named = Pick<VendorRow, 'slug' | 'display' | 'spellings'>

/** Returns the packages, matched by folded name and name, with the ordinals of their list (rule 28). */
export const packageTexts = (packages: readonly PackageRow[]): PackedSet =>
  packSet('package', packages, {
    key: ({ ecosystem, name }) => foldName(ecosystem, name),
    id: LISTS.packages.id,
    label: ({ name }) => name,
    subtitle: ({ ecosystem, advisory_count }) =>
      `${ecosystem}, ${advisory_count} ${advisory_count === 1 ? 'advisory' : 'advisories'}`,
  })

/**
 * Returns the ids that find a CVE with a record: ids and aliases of advisories, except CVE ids. An id that is in several
 * advisories finds the first CVE of its own advisory, else the first of all. `row` is the row of each ordinal.
 */
export function advisoryIds(advisories: AdvisoryRows, { ids }: Rows, row: Uint32Array): AdvisoryIds<TextColumn> {
  const ordinals = new Map(Array.from(row, (one, ordinal) => [ids[one]!, ordinal]))
  const found = new Map<string, CveId>()
  const named = new Map<string, CveId>()
  advisories.keys.forEach((key, at) => {
    const [cveId] = advisories.cveIds[at]!.filter((id) => ordinals.has(id)).sort(compareCveIds)
    if (cveId === undefined) return
    found.set(key, cveId)
    for (const alias of advisories.aliases[at]!) {
      if (parseCveId(alias) !== null) continue
      const known = named.get(alias)
      if (known === undefined || compareCveIds(cveId, known) < 0) named.set(alias, cveId)
    }
  })
  const entries = Array.from(new Map([...named, ...found]), ([id, cveId]) => ({ id, cve: ordinals.get(cveId)! }))
    .filter(({ id }) => parseCveId(id) === null)
    .sort((a, b) => a.cve - b.cve || compareText(a.id, b.id))
  return {
    ids: packTexts(entries.length, (entry) => entries[entry]!.id),
    cves: Uint32Array.from(entries, ({ cve }) => cve),
  }
}

/** Returns what the text search of CVEs finds words in. */
export function wordSource({ cores, shard, coreFrom, coreTo, named }: Rows, row: Uint32Array): WordSource {
  const texts = named.names.map(({ vendor, product, vendor_display, product_display }) =>
    [vendor, vendor_display, product ?? '', product_display ?? ''].join(' '),
  )
  return {
    cores: { chunks: cores, chunkOf: shard, from: coreFrom, to: coreTo },
    rows: row,
    names: packTexts(texts.length, (name) => texts[name]!),
    named: named.named,
    namedAt: named.namedAt,
  }
}

/** Maps a row to the texts of its entry. The id defaults to the key. */
interface TextsOf<Row> {
  key(row: Row): string
  id?(row: Row): string
  label(row: Row): string
  spellings?(row: Row): string
  subtitle(row: Row): string
}

function packSet<Row>(
  name: PackedSet['name'],
  rows: readonly Row[],
  { key, id, label, spellings, subtitle }: TextsOf<NoInfer<Row>>,
): PackedSet {
  const pack = (textOf: (row: Row) => string) => packTexts(rows.length, (ordinal) => textOf(rows[ordinal]!))
  const keys = pack(key)
  return {
    name,
    keys,
    ids: id ? pack(id) : keys,
    labels: pack(label),
    ...(spellings && { spellings: pack(spellings) }),
    subtitles: pack(subtitle),
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
