/** A file to download: its address, destination and checks. */

export interface WantedFile {
  /**
   * Path in the feeds folder, with `/`: the key in state and report, and the destination unless `rename` returns
   * another.
   */
  path: string
  url: URL
  /** A longer body is aborted. */
  maxBytes: number
  /** Matches within the first 64 KiB of plain text; unused for zips. */
  head: RegExp
  /** SHA-256 in hex, if a listing states them. */
  bytes?: number
  sha256?: string
  /** NVD's `.meta` file: size, and SHA-256 of the plain text. Kept at `metaPath`. */
  meta?: URL
  /** Returns the date that the start of the plain text states, ISO 8601 in UTC. */
  dated?(head: string): string | null
  /** NVD publishes the feed of a new year late. */
  mayBeMissing?: boolean
  /**
   * Derives the file name from the start of the plain text or from the final URL. Null if neither contains it.
   * Absent if the name is fixed.
   */
  rename?(head: string, from: URL): string | null
}

/** The other fields of `WantedFile` are the same for the whole feed. */
export type FileAt = Omit<WantedFile, 'path' | 'url' | 'maxBytes' | 'head'> & { name: string; url: string }

/** Returns the path of the `.meta` file that describes `nvd/nvdcve-2.0-2024.json.gz`. */
export const metaPath = (path: string) => path.replace(/\.json\.gz$/, '.meta')

export type Form = 'zip' | 'gzip' | 'json' | 'json-lines' | 'text' | 'xml'

/** One JSON object per line, despite the name. */
const JSON_LINES = /(?:^|\/)nuclei\/cves\.json$/

export function formOf(path: string): Form {
  if (path.endsWith('.zip')) return 'zip'
  if (path.endsWith('.gz')) return 'gzip'
  if (/\.(?:csv|txt|meta)$/.test(path)) return 'text'
  if (path.endsWith('.xml')) return 'xml'
  return JSON_LINES.test(path) ? 'json-lines' : 'json'
}
