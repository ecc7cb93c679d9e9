/** A file to download: where from, where to, and what its bytes must turn out to be. */

export interface WantedFile {
  /** In the feeds folder, with `/`: what state and report call it, and where it goes unless `rename` knows better. */
  path: string
  url: URL
  /** A longer body is broken off. */
  maxBytes: number
  /** What its plain text begins with, within the first 64 KiB; a zip has none. */
  head: RegExp
  /** Its size and SHA-256 (hex), where a listing states them. */
  bytes?: number
  sha256?: string
  /** NVD's `.meta` beside it: size, and SHA-256 of the plain text. */
  meta?: URL
  /** A publisher may not have it yet: NVD's feed of a year that has just begun. */
  mayBeMissing?: boolean
  /**
   * The path for a file whose name depends on what it is, from the beginning of its plain text and the address it came
   * from in the end; null where neither tells.
   */
  rename?(head: string, from: URL): string | null
}

/** A file by its place in the feed's folder; the other fields of `WantedFile` are the same for all of a feed. */
export type FileAt = Omit<WantedFile, 'path' | 'url' | 'maxBytes' | 'head'> & { name: string; url: string }

/** How a file is packed, told by its name. */
export type Form = 'zip' | 'gzip' | 'json' | 'json-lines' | 'csv' | 'xml'

/** The nuclei index is one JSON object a line, whatever its name says. */
const JSON_LINES = /(?:^|\/)nuclei\/cves\.json$/

export function formOf(path: string): Form {
  if (path.endsWith('.zip')) return 'zip'
  if (path.endsWith('.gz')) return 'gzip'
  if (path.endsWith('.csv')) return 'csv'
  if (path.endsWith('.xml')) return 'xml'
  return JSON_LINES.test(path) ? 'json-lines' : 'json'
}
