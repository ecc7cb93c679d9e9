/**
 * Page shards: list rows in one order, 100 per member in four segments of 25. Pages of 25, 50 and 100 rows are sent as
 * stored. SPEC.md, "Page shard".
 */

import { createHash } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { shortHash } from '../../runtime/digest.ts'
import { type EpssColumns, epssAt, epssMember } from '../record/epss.ts'
import { encodeMember, type Part } from '../record/member.ts'
import { contentDigest } from '../record/shard.ts'

export const ROWS_PER_SEGMENT = 25
export const SEGMENTS_PER_PAGE = 4
export const ROWS_PER_PAGE = ROWS_PER_SEGMENT * SEGMENTS_PER_PAGE

export const ROWS_KIND = 64

/** Texts of rows. The text of row `i` is in its chunk from `from[i]` up to `to[i]`. */
export interface RowTexts {
  chunks: readonly Uint8Array[]
  /** The chunk of each row; null when all rows share one. */
  chunkOf: Uint16Array | null
  from: Uint32Array | Float64Array
  to: Uint32Array | Float64Array
}

/** A list in one order, in memory that threads share. */
export interface PageSource {
  /** The JSON of each row. CVEs lack the closing brace, because EPSS is appended. */
  texts: RowTexts
  epss: EpssColumns | null
  rows: Uint32Array
}

export interface WrittenPages {
  at: Uint32Array
  content: string
  sha256: string
  size: number
}

/** Returns the key of a page: its number, padded to sort as text. */
export const pageKey = (page: number) => String(page).padStart(8, '0')

interface PlainSegment {
  kind: number
  count: number
  plain: Buffer
}

/** Yields the segments of each page. The last page may be short. */
function* pagesOf(source: PageSource): Generator<{ key: string; segments: PlainSegment[] }> {
  const { rows } = source
  for (let from = 0; from < rows.length; from += ROWS_PER_PAGE) {
    const end = Math.min(from + ROWS_PER_PAGE, rows.length)
    const segments: PlainSegment[] = []
    for (let at = from; at < end; at += ROWS_PER_SEGMENT) {
      const some = rows.subarray(at, Math.min(at + ROWS_PER_SEGMENT, end))
      segments.push({ kind: ROWS_KIND, count: some.length, plain: rowBytes(source, some) })
    }
    yield { key: pageKey(from / ROWS_PER_PAGE), segments }
  }
}

const COMMA = Buffer.from(',')

/** Returns the JSON of rows, joined by commas. Copies the bytes without decoding them. */
function rowBytes({ texts: { chunks, chunkOf, from, to }, epss }: PageSource, rows: Uint32Array): Buffer {
  const pieces: Uint8Array[] = []
  for (const row of rows) {
    if (pieces.length > 0) pieces.push(COMMA)
    pieces.push(chunks[chunkOf ? chunkOf[row]! : 0]!.subarray(from[row], to[row]))
    if (epss) pieces.push(Buffer.from(`${epssMember(epssAt(epss, row))}}`, 'latin1'))
  }
  return Buffer.concat(pieces)
}

/** Writes the pages of a list to a file at `path`. In memory they would be a build's largest part. */
export function writePages(source: PageSource, path: string): WrittenPages {
  const digest = contentDigest()
  const stored = createHash('sha256')
  const at = new Uint32Array(Math.ceil(source.rows.length / ROWS_PER_PAGE))
  const pending: Buffer[] = []
  let pendingBytes = 0
  let page = 0
  let size = 0
  const file = openSync(path, 'w')
  const flush = () => {
    const bytes = Buffer.concat(pending, pendingBytes)
    stored.update(bytes)
    writeFileSync(file, bytes)
    pending.length = 0
    pendingBytes = 0
  }
  try {
    for (const { key, segments } of pagesOf(source)) {
      const parts: Part[] = segments.flatMap((segment, i) => [Buffer.from(i === 0 ? '{"rows":[' : ','), segment])
      const member = encodeMember(key, [...parts, Buffer.from(']}\n')])
      digest.add(member)
      at[page++] = size
      size += member.length
      pending.push(member.bytes)
      pendingBytes += member.length
      if (pendingBytes >= WRITE_BYTES) flush()
    }
    flush()
  } finally {
    closeSync(file)
  }
  return { at, content: digest.hex(), sha256: stored.digest('hex'), size }
}

/** Write buffer size. A page has about 16 KB. */
const WRITE_BYTES = 1024 * 1024

/** Returns the content digest that `writePages` returns, without compression. */
export function pagesContent(source: PageSource): string {
  const digest = contentDigest()
  for (const { key, segments } of pagesOf(source)) {
    const heads = segments.map(({ kind, count, plain }) => ({
      kind,
      count,
      plainLength: plain.length,
      hash: shortHash(plain),
    }))
    digest.add({ key, segments: heads })
  }
  return digest.hex()
}
