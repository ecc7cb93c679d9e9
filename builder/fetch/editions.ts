/** File names with dates or versions: parses them and selects the newest. */
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { FileAt } from './wanted.ts'

/**
 * `2026-11-21_all_CVEs_at_midnight.zip.zip`: everything as of 00:00 UTC of that day.
 * `2026-11-21_delta_CVEs_at_0600Z.zip`, `…_delta_CVEs_at_end_of_day.zip`: changes since then.
 */
export const RELEASE_FILE = /^\d{4}-\d{2}-\d{2}_(?:all|delta)_CVEs[\w-]*\.zip(?:\.zip)?$/

/** Returns the newest baseline, and the newest delta if it is not older. Each delta contains its whole day. */
export function newestRelease(names: string[]): string[] {
  const baseline = newest(names.filter((name) => name.includes('_all_CVEs')))
  const delta = newest(names.filter((name) => name.includes('_delta_CVEs')))
  if (baseline === undefined) return []
  return delta !== undefined && delta.slice(0, 10) >= baseline.slice(0, 10) ? [baseline, delta] : [baseline]
}

/** Lexical order works: `_at_0600Z` sorts before `_at_end_of_day`, and dates sort by time. */
const newest = (names: string[]) => names.toSorted().at(-1)

/** Reads GitHub's list of releases (https://docs.github.com/rest/releases/releases). */
export function cveListFiles(page: string): FileAt[] {
  const assets = releaseAssets(page)
  const chosen = newestRelease([...assets.keys()])
  if (chosen.length === 0) throw new TransferError('listing', 'no release has a file *_all_CVEs_at_midnight.zip')
  return chosen.map((name) => assets.get(name)!)
}

function releaseAssets(page: string): Map<string, FileAt> {
  let releases: unknown
  try {
    releases = parseUntrustedJson(page)
  } catch (cause) {
    throw new TransferError('wrong_body', `the list of releases is not JSON: ${(cause as Error).message}`, { cause })
  }
  const assets = new Map<string, FileAt>()
  for (const release of list(releases)) {
    const { draft, assets: files } = fields(release)
    if (draft === true) continue
    for (const file of list(files)) {
      const { name, browser_download_url: url, size, digest, state } = fields(file)
      if (typeof name !== 'string' || !RELEASE_FILE.test(name) || typeof url !== 'string' || !URL.canParse(url))
        continue
      // `starter` during the upload.
      if (state !== undefined && state !== 'uploaded') continue
      // The first, newest release counts.
      if (assets.has(name)) continue
      const sha256 = typeof digest === 'string' ? /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] : undefined
      assets.set(name, {
        name,
        url,
        ...(typeof size === 'number' ? { bytes: size } : {}),
        ...(sha256 === undefined ? {} : { sha256 }),
      })
    }
  }
  return assets
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const SCORES = /^epss_scores-(\d{4}-\d{2}-\d{2})\.csv\.gz$/

/** EPSS: `epss_scores-current.csv.gz` redirects to the newest day's file. Its first line states the day. */
export const newestScores = {
  pattern: SCORES,
  choose: (names: string[]) => names.toSorted().slice(-1),
  nameOf(head: string, from: URL): string | null {
    const stated = /^#.*score_date:(\d{4}-\d{2}-\d{2})/.exec(head)?.[1]
    const date = stated ?? SCORES.exec(from.pathname.split('/').at(-1)!)?.[1]
    return date === undefined ? null : `epss_scores-${date}.csv.gz`
  },
}

/** Returns `latest` if present, else the highest version: `cwec_v4.9` is older than `cwec_v4.15`. */
export function newestCatalog(names: string[]): string[] {
  const byVersion = names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const chosen = names.find((name) => name.includes('latest')) ?? byVersion.at(-1)
  return chosen === undefined ? [] : [chosen]
}
