/**
 * Memory limits of a gateway. Node, code and threads use 200 MB, and the tables of a snapshot with 350,000 CVEs 58 MB.
 * All of it must stay below 700 MB, and each retained snapshot may add 60 MB.
 */
import { BITMAPS_BYTES, RARE_BYTES } from '../../corpus/snapshot/filter/bounds.ts'

const MIB = 1024 * 1024

/** Of the process, whatever snapshots are open. */
export const PROCESS_BYTES = {
  /** Core segments of rows that are requested often: 128,000 rows. */
  cores: 96 * MIB,
  /** Whole answers that are asked for often. */
  answers: 24 * MIB,
  /** Heads of pages: 12 MB are all of 350,000 CVEs. */
  pages: 12 * MIB,
  /** Filters of CVE lists. */
  bitmaps: BITMAPS_BYTES,
  /** Results of text queries. */
  queries: 8 * MIB,
  /** Texts that the query thread looks in: those of one snapshot take some 40 MB, the least used going first. */
  texts: 40 * MIB,
  /** Tokens that were verified: some 15,000. */
  tokens: 16 * MIB,
} as const

/** Of each open snapshot. */
export const SNAPSHOT_BYTES = {
  /** Filters of CVE lists that few CVEs pass. */
  rareFacets: RARE_BYTES,
  /** What filters let through, for walks through the other lists. */
  listWalks: 2 * MIB,
  /** Texts of rows of lists. */
  listRows: 3 * MIB,
  /** What changed since earlier snapshots. */
  changes: 4 * MIB,
} as const

/** Earlier snapshots, opened to compare with, for each open one: 14 MB each at 350,000 CVEs. */
export const ANCESTORS_OPEN = 2

/** Manifests of earlier snapshots of which the process remembers the summary: some 0.5 KB each. */
export const MANIFESTS_KNOWN = 4096

/** What the young objects of a thread may take, in MB: node reserves three times 16 unless told otherwise. */
export const THREAD_YOUNG_MB = 4

/** Query threads that were given up and have not ended, each perhaps with a core: then no other is started. */
export const HANGING_THREADS = 2

/** Open connections of a gateway, for all its workers together, unless the operator sets another number. */
export const MAX_CONNECTIONS = 4096

/** Characters of a request target. */
export const MAX_TARGET = 8192

/** Bytes of a request target and the headers together. */
export const MAX_HEADER_BYTES = 16_384

/** Header lines of a request: short ones take many times their characters in memory. */
export const MAX_HEADERS = 256

/** Requests that wait on a connection for the answers to those before them: some 2 KB each, without what follows. */
export const WAITING_REQUESTS = 64

/** Memory of their targets and headers: 2 KB each, for a token and 12 other headers. */
export const WAITING_BYTES = 128 * 1024

/** A client has this time (ms), at most twice this time, to read an answer. */
export const ANSWER_MS = 60_000

/** Lines of one message that clients can cause in the log: at 200 bytes each, 3 MB a day. */
export const LINES_PER_MINUTE = 10
