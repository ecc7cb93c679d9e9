/**
 * Memory limits of a gateway. With 350,000 CVEs and `--memory 700M`, all of it must stay below 700 MB, and each retained
 * snapshot may add 60 MB.
 */
import { totalmem } from 'node:os'
import { ANSWER_BYTES } from '../../corpus/answers/bounds.ts'
import { BITMAPS_BYTES, RARE_BYTES } from '../../corpus/snapshot/index.ts'
import { MEMORY_BYTES } from '../../corpus/snapshot/memory/bounds.ts'

const MIB = 1024 * 1024

/** A gateway under load without rows and pages of a snapshot in memory, at 350,000 CVEs and 540,000 advisories. */
const BASE_BYTES = 690e6

/** The default of `--memory`, per worker. */
const MOST_BYTES = 1e9
const SHARE_OF_MACHINE = 1 / 4

/** Returns a quarter of the memory of the machine or container, at most 1 GB per worker. */
export const defaultMemory = (workers: number): number =>
  Math.min(
    MOST_BYTES * workers,
    Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) * SHARE_OF_MACHINE,
  )

/** Returns the memory for rows and pages of the current snapshot, in each worker. */
export const holdBytes = (memory: number, workers: number): number => Math.max(0, memory / workers - BASE_BYTES)

/** Per process, for all open snapshots together. */
export const PROCESS_BYTES = {
  /** Whole answers that are requested often. */
  answers: 16 * MIB,
  /** Filters of CVE lists. */
  bitmaps: BITMAPS_BYTES,
  /** Results of text queries. */
  queries: 8 * MIB,
  /** Pages of the current snapshot's search database: the most frequent parts of its indexes. */
  texts: 48 * MIB,
  /** Verified tokens: about 15,000. */
  tokens: 16 * MIB,
  /** Opened sessions of browsers: about 2,000. */
  sessions: 8 * MIB,
} as const

/** Per open snapshot. */
export const SNAPSHOT_BYTES = {
  /** Filters of CVE lists that few CVEs pass. */
  rareFacets: RARE_BYTES,
  /** Changes since earlier snapshots. */
  changes: 4 * MIB,
  ...MEMORY_BYTES,
  ...ANSWER_BYTES,
} as const

/** Requests for products with many CVEs that may wait, in each worker. One at a time reads records. */
export const WAITING_PRODUCTS = 64

/** Limit of a thread's young generation, in MB. Node's default reserves three times 16 MB. */
export const THREAD_YOUNG_MB = 4

/** Earlier snapshots that are read at once, by default. Filters of one take 60 MB at 350,000 CVEs. */
export const EARLIER_OPEN = 2

/** Limit of the heap of the thread of earlier snapshots, in MB. Tables and files are outside of it. */
export const EARLIER_HEAP_MB = 512

/** Query threads that were given up and still run, each possibly using a core. At this number, no new thread starts. */
export const HANGING_THREADS = 2

/** Default port of the interfaces of other tools. */
export const COMPAT_PORT = 8081

/** Default maximum of open connections of a listener, all workers together. */
export const MAX_CONNECTIONS = 4096

/** Maximum length of a request target, in characters. */
export const MAX_TARGET = 8192

/** Maximum size of the request target and headers together, in bytes. */
export const MAX_HEADER_BYTES = 16_384

/** Maximum number of header lines: short headers take many times their length in memory. */
export const MAX_HEADERS = 256

/** Maximum of queued requests per connection: about 2 KB of memory each, plus `WAITING_BYTES`. */
export const WAITING_REQUESTS = 64

/** Maximum length of their targets and headers, in bytes: 1 KB each. In memory they take up to three times as much. */
export const WAITING_BYTES = 64 * 1024

/** Bounds of request bodies, which only the interfaces of other tools read. */
export const BODY_BOUNDS = {
  wireBytes: MIB,
  /** After decompression. */
  bytes: 16 * MIB,
  /** Wire bytes of all bodies that are read or in work. */
  waitingBytes: 64 * MIB,
  /** The same for the bodies of one subject or address: eight have room, and the largest real ones have 0.2 MiB. */
  shareBytes: 8 * MIB,
  /** Bodies that are decompressed, parsed and answered at a time: up to 150 MB of memory each. */
  atOnce: 2,
}

/**
 * Bounds of messages of the Model Context Protocol. Its clients do not compress the file of a `check`, which can have
 * 2,000,000 characters. A call can wait for a query, so more of them are in work.
 */
export const MCP_BODY_BOUNDS = { ...BODY_BOUNDS, wireBytes: 4 * MIB, bytes: 4 * MIB, atOnce: 16 }

/**
 * Bounds of the work for one body. Its unit is the comparison of a version with an advisory, 1 to 5 µs. An audit of 20,000
 * packages of npm needs about 15,000.
 */
export const WORK = {
  /** Between turns of the event loop. */
  inATurn: 1000,
  /** For one unit of the quota. */
  perUnit: 10_000,
  /** For one request. A larger one is rejected, or the rest of its answer is on a later page. */
  most: 400_000,
  /** Bytes of an answer that take as long. */
  bytes: 250,
} as const

/** Maximum size of an answer of npm's and Composer's interfaces: all advisories of Packagist are 5 MB. */
export const COMPAT_ANSWER_BYTES = 16_000_000

/** Time for a client to read an answer, in ms. The check interval can double it. */
export const ANSWER_MS = 60_000

/** Time for requests in progress after a signal to stop, in ms. */
export const DRAIN_MS = 10_000

/**
 * After a signal to stop, connections without a request stay open until no request has arrived for this time, in ms. A
 * client may have sent one that has not arrived. The answer to it tells the client to connect again.
 */
export const IDLE_MS = 1000

/** Interval between the messages to which a worker must reply, in ms. */
export const BEAT_MS = 1000

/**
 * Replies in a row that a worker may miss. Longer than an event loop stands on a machine that is far too slow. The
 * primary counts them by its own beats, so that none is missed while the whole machine sleeps.
 */
export const MISSED_BEATS = 10

/** Maximum lines per message that clients can cause in the log: at 200 bytes each, 3 MB a day. */
export const LINES_PER_MINUTE = 10
