/**
 * Page shards: the rows of a list in one of its orders, 100 to a member, in four segments of 25, so that pages of 25,
 * 50 and 100 rows are handed out as they lie. SPEC.md, "Page shard".
 */

import { createHash } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { shortHash } from '../digest.ts'
import { type EpssColumns, epssAt, epssMember } from '../epss.ts'
import { encodeMember, type Part } from '../member.ts'
import { contentDigest } from '../shard.ts'

export const ROWS_PER_SEGMENT = 25
export const SEGMENTS_PER_PAGE = 4
export const ROWS_PER_PAGE = ROWS_PER_SEGMENT * SEGMENTS_PER_PAGE

/** The segment kind of rows of a list. */
export const ROWS_KIND = 64

/** Texts of rows: those of row `i` lie in its chunk from `from[i]` up to `to[i]`. */
export interface RowTexts {
  chunks: readonly Uint8Array[]
  /** The chunk of each row; null where there is one for all. */
  chunkOf: Uint16Array | null
  from: Uint32Array | Float64Array
  to: Uint32Array | Float64Array
}

/** A list in one of its orders, in memory that threads share. */
export interface PageSource {
  /** The JSON of each row; of CVEs without its closing brace, since EPSS is still to come. */
  texts: RowTexts
  /** EPSS of each row of CVEs; null for other lists. */
  epss: EpssColumns | null
  /** Which rows, in the order of the list. */
  rows: Uint32Array
}

/** A page shard that was written to a file. */
export interface WrittenPages {
  /** Where each member begins. */
  at: Uint32Array
  content: string
  /** SHA-256 of the file, and its length. */
  sha256: string
  size: number
}

/** The key of page `page`: its number, wide enough to sort as text. */
export const pageKey = (page: number) => String(page).padStart(8, '0')

interface PlainSegment {
  kind: number
  count: number
  plain: Buffer
}

/** The segments of each page (the last page of a list may be short). */
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

/** The JSON of rows, joined by commas: bytes are copied as they are, since nothing has to be read in them. */
function rowBytes({ texts: { chunks, chunkOf, from, to }, epss }: PageSource, rows: Uint32Array): Buffer {
  const pieces: Uint8Array[] = []
  for (const row of rows) {
    if (pieces.length > 0) pieces.push(COMMA)
    pieces.push(chunks[chunkOf ? chunkOf[row]! : 0]!.subarray(from[row], to[row]))
    if (epss) pieces.push(Buffer.from(`${epssMember(epssAt(epss, row))}}`, 'latin1'))
  }
  return Buffer.concat(pieces)
}

/** Writes the pages of a list to a file at `path`: held in memory until they are handed over they would be what a build takes most of. */
export function writePages(source: PageSource, path: string): WrittenPages {
  const digest = contentDigest()
  const stored = createHash('sha256')
  const at = new Uint32Array(Math.ceil(source.rows.length / ROWS_PER_PAGE))
  const gathered: Buffer[] = []
  let gatheredBytes = 0
  let page = 0
  let size = 0
  const file = openSync(path, 'w')
  const flush = () => {
    const bytes = Buffer.concat(gathered, gatheredBytes)
    stored.update(bytes)
    writeFileSync(file, bytes)
    gathered.length = 0
    gatheredBytes = 0
  }
  try {
    for (const { key, segments } of pagesOf(source)) {
      const parts: Part[] = segments.flatMap((segment, i) => [Buffer.from(i === 0 ? '{"rows":[' : ','), segment])
      const member = encodeMember(key, [...parts, Buffer.from(']}\n')])
      digest.add(member)
      at[page++] = size
      size += member.length
      gathered.push(member.bytes)
      gatheredBytes += member.length
      if (gatheredBytes >= WRITE_BYTES) flush()
    }
    flush()
  } finally {
    closeSync(file)
  }
  return { at, content: digest.hex(), sha256: stored.digest('hex'), size }
}

/** Pages have some 16 KB each. */
const WRITE_BYTES = 1024 * 1024

/** The content digest that `writePages` gives, without compressing anything. */
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
