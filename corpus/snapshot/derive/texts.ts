/** The texts that `query.db` is made of: what can be searched for in a snapshot, set by set. */
import type { TextSet } from '../query/sets.ts'
import { FLAGS } from './gather.ts'
import type { ListRows } from './list-rows.ts'
import type { Rows } from './rows.ts'

/** The CVEs, matched by id and title (decisions 28); `row` is the row of each ordinal, newest first. */
export function cveTexts(rows: Rows, row: Uint32Array): TextSet {
  const ids = Array.from(row, (one) => rows.ids[one]!)
  return {
    name: 'cve',
    keys: ids,
    ids,
    labels: Array.from(row, (one) => rows.titles[one] ?? ''),
    subtitles: Array.from(row, (one) => cveSubtitle(rows, one)),
    first: Uint8Array.from(row, (one) => (rows.flags[one]! & FLAGS.kev ? 1 : 0)),
  }
}

/** `critical 9.8, known exploited`. */
function cveSubtitle({ severity, score, flags }: Rows, row: number): string {
  const band = severity[row]
  const words = [band ? `${band} ${score[row]!.toFixed(1)}` : 'not scored']
  if (flags[row]! & FLAGS.reserved) words.unshift('reserved')
  if (flags[row]! & FLAGS.kev) words.push('known exploited')
  return words.join(', ')
}

/** The lists, matched by id and name; their ordinals are those of the lists (decisions 28). */
export function listTexts({ cwes, capecs, cnas, vendors, products }: ListRows): TextSet[] {
  return [
    {
      name: 'cwe',
      keys: cwes.map(({ cwe_id }) => cwe_id),
      ids: cwes.map(({ cwe_id }) => cwe_id),
      labels: cwes.map(({ name }) => name),
      subtitles: cwes.map(({ abstraction, cve_count }) => `${abstraction}, ${counted(cve_count, 'CVE')}`),
    },
    {
      name: 'capec',
      keys: capecs.map(({ capec_id_string }) => capec_id_string),
      ids: capecs.map(({ capec_id_string }) => capec_id_string),
      labels: capecs.map(({ name }) => name ?? ''),
      subtitles: capecs.map(({ abstraction, status }) => [abstraction, status].filter(Boolean).join(', ')),
    },
    {
      name: 'capec_text',
      keys: capecs.map(({ name }) => name ?? ''),
      ids: capecs.map(({ capec_id_string }) => capec_id_string),
      labels: capecs.map(({ description }) => description),
      subtitles: capecs.map(() => ''),
    },
    {
      name: 'cna',
      keys: cnas.map(({ slug }) => slug),
      ids: cnas.map(({ slug }) => slug),
      labels: cnas.map(({ cna_name }) => cna_name),
      subtitles: cnas.map(({ total_cves }) => counted(total_cves, 'CVE')),
    },
    {
      name: 'vendor',
      keys: vendors.map(({ slug }) => slug),
      ids: vendors.map(({ slug }) => slug),
      labels: vendors.map(({ display }) => display),
      subtitles: vendors.map((row) => `${counted(row.product_count, 'product')}, ${counted(row.cve_count, 'CVE')}`),
    },
    {
      name: 'product',
      keys: products.map(({ slug }) => slug),
      ids: products.map(({ vendor, slug }) => `${vendor}/${slug}`),
      labels: products.map(({ display }) => display),
      subtitles: products.map((row) => `${row.vendor_display}, ${counted(row.cve_count, 'CVE')}`),
    },
  ]
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
