/** Feeds folders for tests, put together from the real feeds by links: no byte of them is copied or kept. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { REAL_FEEDS } from '../support/needs.ts'

/** The other feeds of a night, which do not move in these tests. */
export const SMALL_FEEDS = [
  'kev/known_exploited_vulnerabilities.json',
  'epss/epss_scores-2024-10-26.csv.gz',
  'cna/CNAsList.json',
]
export const BASELINE = 'cvelistv5/2024-09-30_all_CVEs.zip'
export const DELTA = 'cvelistv5/2024-10-24_delta_CVEs.zip'
export const NEWEST = 'cvelistv5/2024-10-24_all_CVEs.zip'

/** Links files of the real feeds, named by their path in there, into a feeds folder at `folder`. */
export function linkFeeds(folder: string, files: readonly string[]): void {
  for (const file of files) {
    const to = join(folder, dirname(file))
    mkdirSync(to, { recursive: true })
    symlinkSync(join(REAL_FEEDS, file), join(to, basename(file)))
  }
}
