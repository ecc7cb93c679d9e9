/**
 * Limits for snapshots from untrusted sources, in bytes unless stated otherwise. A few megabytes of DEFLATE can inflate
 * to gigabytes, so readers check each limit before they inflate. SPEC.md, "Bounds".
 */
import type { CatalogName } from './catalog.ts'

const MIB = 1024 * 1024

/**
 * Limits of a manifest and its file count. 350,000 CVEs need about 2,000 files and 0.5 MB, a fifteenth. Parsed JSON
 * takes up to thirty times its length in memory.
 */
export const MAX_MANIFEST_BYTES = 8 * MIB
export const MAX_FILES = 30_000

/** A file that is read as a whole. Ten times the largest file of 350,000 CVEs, `query.db`. */
export const MAX_WHOLE_BYTES = 2048 * MIB

/** A segment. Readers inflate a segment as a whole. */
export const MAX_SEGMENT_PLAIN = 64 * MIB
/** A member or an answer: two segments of maximum size. As JSON it fits into the heap of a thread. */
export const MAX_MEMBER_PLAIN = 128 * MIB
/** A shard. Readers inflate it member by member, so this limits time to about ten seconds. */
export const MAX_SHARD_PLAIN = 4096 * MIB

/**
 * A catalog. Readers inflate it as a whole. At least four times the size of the feeds. The gateway parses
 * `report-types`.
 */
export const MAX_CATALOG_PLAIN: Readonly<Record<CatalogName, number>> = {
  cwes: 64 * MIB,
  capecs: 64 * MIB,
  cnas: 32 * MIB,
  exploits: 256 * MIB,
  'report-types': 16 * MIB,
}

/** The extracted list and filter data of one shard. 1,000 CVEs need 0.5 MB. */
export const MAX_GATHERED_PLAIN = 512 * MIB
/** The cores and names of all CVEs, which are in memory together. Seven times those of 350,000 CVEs. */
export const MAX_ROWS_BYTES = 2048 * MIB

/** Files that are one gzip member. 350,000 CVEs need 6 KB, 3 MB and 1 MB. */
export const MAX_GZIP_PLAIN = { about: MIB, epss: 64 * MIB, rejected: 8 * MIB } as const

/** A file rebuilt from a delta pack: a hundred times a shard. Larger files are downloaded whole. */
export const MAX_MADE_BYTES = 256 * MIB

/** A row of `query.db`: the limit of a segment. 350,000 CVEs have rows of up to 1 MB. */
export const MAX_ROW_BYTES = 64 * MIB
/** Entries of a set in `query.db`: fifty times those of 350,000 CVEs. A list of ordinals takes four bytes per entry. */
export const MAX_ENTRIES = 2 ** 24
