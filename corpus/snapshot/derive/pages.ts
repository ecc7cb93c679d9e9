/**
 * Page shards: the rows of a list in one of its orders, 100 to a member, in four segments of 25, so that pages of 25,
 * 50 and 100 rows are handed out as they lie. SPEC.md, "Page shard".
 */

import { shortHash } from '../digest.ts'
import { type EpssColumns, epssAt, epssMember } from '../epss.ts'
import { encodeMember, type Part } from '../member.ts'
import { contentDigest, type SegmentContent } from '../shard.ts'

export const ROWS_PER_SEGMENT = 25
export const SEGMENTS_PER_PAGE = 4
export const ROWS_PER_PAGE = ROWS_PER_SEGMENT * SEGMENTS_PER_PAGE

/** The segment kind of rows of a list. */
export const ROWS_KIND = 64

/** Some pages of a list: the JSON of their rows, in order. */
export interface PageRun {
  texts: readonly string[]
  /** Number of the first page. */
  firstPage: number
}

/** Rows of a run: enough that its message costs nothing beside its work. */
const ROWS_PER_RUN = 50 * ROWS_PER_PAGE

/** Rows cut into runs of whole pages. */
export function* runsOf<T extends { length: number; slice(from: number, to: number): T }>(
  rows: T,
): Generator<{ rows: T; firstPage: number }> {
  for (let from = 0; from < rows.length; from += ROWS_PER_RUN) {
    yield { rows: rows.slice(from, from + ROWS_PER_RUN), firstPage: from / ROWS_PER_PAGE }
  }
}

/** What the pages of CVEs are made from; large arrays are shared between threads. */
export interface PageSource {
  cores: Uint8Array
  coreAt: Float64Array
  epss: EpssColumns
}

/** What the content digest of a page is taken from. */
export interface PageHead {
  key: string
  segments: SegmentContent[]
}

export interface EncodedPages {
  bytes: Uint8Array
  lengths: Uint32Array
  heads: PageHead[]
}

/** Some pages of CVEs, by their rows in the order of the list. */
export interface CvePageRun {
  rows: Uint32Array
  firstPage: number
}

/** The run of pages that these CVEs make. */
export function cvePages(source: PageSource, { rows, firstPage }: CvePageRun): PageRun {
  return { texts: Array.from(rows, (row) => summaryText(source, row)), firstPage }
}

/** The text of a summary record, EPSS included. */
function summaryText(source: PageSource, row: number): string {
  const core = source.cores.subarray(source.coreAt[row], source.coreAt[row + 1])
  // Buffer.from shares the memory: decoding is the only copy.
  const text = Buffer.from(core.buffer, core.byteOffset, core.length).toString()
  return `${text}${epssMember(epssAt(source.epss, row))}}`
}

/** The key of page `page`: its number, wide enough to sort as text. */
export const pageKey = (page: number) => String(page).padStart(8, '0')

/** The segments of each page of a run of whole pages (the last page of a list may be short). */
function* pagesOf({
  texts,
  firstPage,
}: PageRun): Generator<{ key: string; segments: { kind: number; count: number; plain: Buffer }[] }> {
  for (let from = 0, page = firstPage; from < texts.length; from += ROWS_PER_PAGE, page++) {
    const end = Math.min(from + ROWS_PER_PAGE, texts.length)
    const segments = []
    for (let at = from; at < end; at += ROWS_PER_SEGMENT) {
      const some = texts.slice(at, Math.min(at + ROWS_PER_SEGMENT, end))
      segments.push({ kind: ROWS_KIND, count: some.length, plain: Buffer.from(some.join(',')) })
    }
    yield { key: pageKey(page), segments }
  }
}

/** Encodes a run of pages. */
export function encodePages(run: PageRun): EncodedPages {
  const members = []
  for (const { key, segments } of pagesOf(run)) {
    const parts: Part[] = segments.flatMap((segment, i) => [Buffer.from(i === 0 ? '{"rows":[' : ','), segment])
    members.push(encodeMember(key, [...parts, Buffer.from(']}\n')]))
  }
  return {
    bytes: new Uint8Array(Buffer.concat(members.map(({ bytes }) => bytes))),
    lengths: Uint32Array.from(members, ({ length }) => length),
    heads: members.map(({ key, segments }) => ({
      key,
      segments: segments.map(({ kind, count, plainLength, hash }) => ({
        kind,
        count,
        plainLength,
        hash: Uint8Array.from(hash),
      })),
    })),
  }
}

/** The heads that `encodePages` gives, without compressing anything. */
export function pageHeads(run: PageRun): PageHead[] {
  return Array.from(pagesOf(run), ({ key, segments }) => ({
    key,
    segments: segments.map(({ kind, count, plain }) => ({
      kind,
      count,
      plainLength: plain.length,
      hash: shortHash(plain),
    })),
  }))
}

/** The content digest of pages from what their heads say. */
export function pagesDigest(heads: Iterable<PageHead>): string {
  const digest = contentDigest()
  for (const head of heads) digest.add(head)
  return digest.hex()
}
