/** Past editions of EPSS: one file for each day, of which those that are here are skipped. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../corpus/model/values/date.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { type DownloadContext, download, type FileReport } from './download.ts'
import type { WantedFile } from './wanted.ts'

/** The first edition that FIRST published. */
export const FIRST_EDITION = '2021-04-14'

const FOLDER = 'epss'
const PUBLISHER = 'https://epss.empiricalsecurity.com/'
/** Fifteen times an edition. Editions of the first months have no percentiles. */
export const MAX_EDITION_BYTES = 64 << 20
const HEAD = /^(?:#[^\n]*\n)?cve,epss(?:,percentile)?\r?\n/
const AT_ONCE = 4

/** Returns the days from `since` up to the day before `today`, oldest first. */
function daysFrom(since: string, today: string): string[] {
  const from = Date.parse(since > FIRST_EDITION ? since : FIRST_EDITION)
  const count = Math.max(0, Math.round((Date.parse(today) - from) / DAY_MS))
  return Array.from({ length: count }, (_, i) => new Date(from + i * DAY_MS).toISOString().slice(0, 10))
}

/**
 * Downloads the editions of the days from `since` up to yesterday, several at once, from the publisher or from a copy at
 * `base`. A day without an edition is `missing`. Files that are here are not in the report.
 */
export async function fetchPastEditions(
  since: string,
  today: string,
  base: URL | null,
  context: DownloadContext,
): Promise<FileReport[]> {
  const wanted = daysFrom(since, today)
    .map((day) => `epss_scores-${day}.csv.gz`)
    .filter((name) => !existsSync(join(context.feeds, FOLDER, name)))
    .map((name): WantedFile => {
      const url = base ? new URL(`${FOLDER}/${name}`, base) : new URL(name, PUBLISHER)
      return { path: `${FOLDER}/${name}`, url, maxBytes: MAX_EDITION_BYTES, head: HEAD, mayBeMissing: true }
    })
  const reports = new Map<WantedFile, FileReport>()
  await runParallel(wanted, AT_ONCE, async (file) => void reports.set(file, await download('epss', file, context)))
  return wanted.map((file) => reports.get(file)!)
}
