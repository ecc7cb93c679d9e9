/** The searchable texts of a snapshot, as input of `query.db`. */

import { packTexts } from '../codec/text-column.ts'
import type { PackedSet } from '../query/sets.ts'
import { FLAGS, SEVERITIES } from './facts.ts'
import type { ListRows } from './list-rows.ts'
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
export function listTexts({ cwes, capecs, cnas, vendors, products }: ListRows): PackedSet[] {
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
      subtitle: (row) => `${counted(row.product_count, 'product')}, ${counted(row.cve_count, 'CVE')}`,
    }),
    packSet('product', products, {
      key: ({ slug }) => slug,
      id: ({ vendor, slug }) => `${vendor}/${slug}`,
      label: ({ display }) => display,
      subtitle: (row) => `${row.vendor_display}, ${counted(row.cve_count, 'CVE')}`,
    }),
  ]
}

/** Maps a row to the texts of its entry. The id defaults to the key. */
interface TextsOf<Row> {
  key(row: Row): string
  id?(row: Row): string
  label(row: Row): string
  subtitle(row: Row): string
}

function packSet<Row>(name: PackedSet['name'], rows: readonly Row[], { key, id, label, subtitle }: TextsOf<Row>) {
  const pack = (textOf: (row: Row) => string) => packTexts(rows.length, (ordinal) => textOf(rows[ordinal]!))
  const keys = pack(key)
  return { name, keys, ids: id ? pack(id) : keys, labels: pack(label), subtitles: pack(subtitle) }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
