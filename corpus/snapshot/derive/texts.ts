/** The texts that `query.db` is made of: what can be searched for in a snapshot, set by set. */
import type { TextSet } from '../query/sets.ts'
import { FLAGS } from './gather.ts'
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
