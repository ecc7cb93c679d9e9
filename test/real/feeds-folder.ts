/** Feeds folders for tests, made of links to the real feeds, without copies. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { REAL_FEEDS } from '../support/needs.ts'

/** The other feeds of a night, which stay the same in these tests. */
export const SMALL_FEEDS = [
  'kev/known_exploited_vulnerabilities.json',
  'epss/epss_scores-2024-10-26.csv.gz',
  'cna/CNAsList.json',
]
export const BASELINE = 'cvelistv5/2024-09-30_all_CVEs.zip'
export const DELTA = 'cvelistv5/2024-10-24_delta_CVEs.zip'
export const NEWEST = 'cvelistv5/2024-10-24_all_CVEs.zip'

/** Links files of the real feeds, given by their paths in them, into a feeds folder at `folder`. */
export function linkFeeds(folder: string, files: readonly string[], from = REAL_FEEDS): void {
  for (const file of files) {
    const to = join(folder, dirname(file))
    mkdirSync(to, { recursive: true })
    symlinkSync(join(from, file), join(to, basename(file)))
  }
}
