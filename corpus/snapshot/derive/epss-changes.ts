/** Derives the changes of EPSS scores from the history. */
import { byDays, CHANGE_DAYS, changeBase, type Edition, NO_CHANGE, ZERO_CHANGE } from '../../model/epss/changes.ts'
import { type CveId, cveBlock } from '../../model/ids/cve-id.ts'
import { type Pool, runInOrder } from '../../runtime/pool.ts'
import type { FileEntry } from '../files/manifest.ts'
import { type EpssColumns, NO_EPSS } from '../record/epss.ts'
import type { EpssChanges } from '../record/epss-changes.ts'

export interface HistorySource {
  dist: string
  files: readonly FileEntry[]
  /** Oldest first. */
  editions: readonly Edition[]
}

/** A file of the history, and the dates to compare with. */
export interface HistoryFile {
  dist: string
  file: FileEntry
  since: EpssChanges['since']
}

/** `ids` are in id order. The pool has the task `scoresBefore`. */
export async function epssChanges(
  pool: Pool,
  ids: readonly string[],
  { date, modelVersion, scores }: EpssColumns,
  { dist, files, editions }: HistorySource,
): Promise<EpssChanges> {
  const now = date === null || modelVersion === null ? null : { date, model: modelVersion }
  const since = byDays((days) => now && changeBase(editions, now, days))
  const values = byDays(() => new Uint32Array(ids.length).fill(NO_CHANGE))
  if (Object.values(since).every((one) => one === null)) return { since, values }
  const rows = Map.groupBy(ids.keys(), (row) => cveBlock(ids[row] as CveId))
  const inputs = files.map((file): HistoryFile => ({ dist, file, since }))
  let done = 0
  for await (const before of runInOrder<EpssChanges['values']>(pool, 'scoresBefore', inputs)) {
    for (const row of rows.get(files[done]!.name) ?? []) {
      const id = Number(ids[row]!.slice(-3))
      for (const days of CHANGE_DAYS) {
        const [score, past] = [scores[row]!, before[days][id]!]
        if (score !== NO_EPSS && past !== NO_EPSS) values[days][row] = score - past + ZERO_CHANGE
      }
    }
    done++
  }
  return { since, values }
}
