/**
 * Builds one piece of an answer from rows of many shards. The index has the position, length and inflated length of
 * each core segment. A row is one read directly into the answer: 2 µs, mostly in the kernel. Hot rows are cached.
 *
 * Such pages are spliced too, although rows compressed one by one are larger: 25 random rows, 26 KB of JSON, are 15.7
 * KB spliced and 5.6 KB with gzip -6. Splicing takes 45 µs of the answering thread; inflate and deflate take 365 µs
 * (level 1: 6.2 KB, 283 µs). CPU time runs out long before bandwidth. Scans consist mostly of adjacent rows, which
 * page shards compress together.
 */
import { crc32, crc32Combine } from '../../corpus/runtime/crc32.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/runtime/digest.ts'
import {
  CORE,
  CORE_NUMBERS,
  epssAt,
  epssMember,
  type FusedPieces,
  snapshotNumber,
  storedLength,
  writeStoredText,
} from '../../corpus/snapshot/index.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'

/** Rows are joined by commas, and followed by `end`. */
export function gatheredRows(snapshot: OpenSnapshot, rows: readonly number[], end: '' | ','): FusedPieces {
  const { epss, index } = snapshot
  const { coreSegments } = index
  const number = snapshotNumber(snapshot)
  const last = rows.length - 1
  let length = 0
  let plainLength = 0
  let plainCrc = 0
  const suffixes = rows.map((row, i) => {
    const suffix = `${epssMember(epssAt(epss, row))}}${i < last ? ',' : end}`
    const core = row * CORE_NUMBERS
    const coreLength = coreSegments[core + CORE.plainLength]!
    length += coreSegments[core + CORE.length]! + storedLength(suffix.length)
    plainLength += coreLength + suffix.length
    plainCrc = crc32(suffix, crc32Combine(plainCrc, coreSegments[core + CORE.plainCrc]!, coreLength))
    return suffix
  })
  return {
    segment: { plainLength, plainCrc },
    length,
    write(out, at) {
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i]!
        const compressed = coreSegments[row * CORE_NUMBERS + CORE.length]!
        if (!cores.take(number, row, compressed, out, at)) {
          snapshot.readCore(row, out, at)
          cores.offer(number, row, compressed, out, at)
        }
        at = writeStoredText(out, at + compressed, suffixes[i]!).end
      }
    },
    seed: seedOf(snapshot, rows, end),
  }
}

/** No literal has this length, and it differs from the mark of a segment. */
const ROWS_MARK = 0xfffffffe
const NUMBER = 4
/** Mark, number of rows, lengths of `end` and of the date. */
const SEED_HEAD = 4 * NUMBER
const SEED_OF_ROW = SHORT_HASH_LENGTH + 3 * NUMBER

/** The tag depends on the EPSS date, and on each row's source digest, core CRC, score and percentile. */
function seedOf({ index, epss }: OpenSnapshot, rows: readonly number[], end: '' | ','): Buffer {
  const { sources, coreSegments } = index
  const date = epss.date ?? ''
  const seed = Buffer.allocUnsafe(SEED_HEAD + date.length + rows.length * SEED_OF_ROW)
  let at = 0
  for (const number of [ROWS_MARK, rows.length, end.length, date.length]) at = seed.writeUInt32LE(number, at)
  at += seed.write(date, at, 'latin1')
  for (const row of rows) {
    const source = row * SHORT_HASH_LENGTH
    for (let byte = 0; byte < SHORT_HASH_LENGTH; byte++) seed[at++] = sources[source + byte]!
    at = seed.writeUInt32LE(coreSegments[row * CORE_NUMBERS + CORE.plainCrc]!, at)
    at = seed.writeUInt32LE(epss.scores[row]!, at)
    at = seed.writeUInt32LE(epss.percentiles[row]!, at)
  }
  return seed
}

/**
 * Core segments that were requested more than once, in one buffer without an object for each. A hit copies some 500
 * bytes instead of a read. Each row maps to one slot, shared with others. Evicts a row only when another row in its
 * slot is requested twice, so that scans do not flush hot rows.
 */
export interface CoreCache {
  /** Copies a cached core to `at` in `out`; returns whether it was cached. */
  take(snapshot: number, row: number, length: number, out: Buffer, at: number): boolean
  /** Caches the core if its row was also the slot's last offer. */
  offer(snapshot: number, row: number, length: number, out: Buffer, at: number): void
}

/** 95 % of the cores fit; longer ones are not cached. */
const SLOT_BYTES = 768
/** The cached row, and the row offered last. */
const KEYS_BYTES = 16
const NOBODY = -1
/** More rows than any snapshot has. */
const ROWS = 2 ** 32

/** Uses at most `bytes`; the system allocates pages on first use. */
export function coreCache(bytes: number): CoreCache {
  const slots = Math.floor(bytes / (SLOT_BYTES + KEYS_BYTES))
  const memory = Buffer.alloc(slots * SLOT_BYTES)
  // Adjacent, because they are read together.
  const keys = new Float64Array(2 * slots).fill(NOBODY)
  return {
    take(snapshot, row, length, out, at) {
      const slot = row % slots
      if (keys[2 * slot] !== snapshot * ROWS + row) return false
      const from = slot * SLOT_BYTES
      memory.copy(out, at, from, from + length)
      return true
    },
    offer(snapshot, row, length, out, at) {
      if (length > SLOT_BYTES) return
      const slot = row % slots
      const key = snapshot * ROWS + row
      if (keys[2 * slot + 1] === key) {
        keys[2 * slot] = key
        out.copy(memory, slot * SLOT_BYTES, at, at + length)
      }
      keys[2 * slot + 1] = key
    },
  }
}

/** Shared by all snapshots, so that the limit applies to the process. */
const cores = coreCache(PROCESS_BYTES.cores)
