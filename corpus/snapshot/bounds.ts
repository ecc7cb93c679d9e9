/**
 * Limits for untrusted snapshots, in bytes unless stated otherwise. Checked before inflation, because a few megabytes
 * of DEFLATE can inflate to gigabytes. SPEC.md, "Bounds".
 */
import type { CatalogName } from './record/catalog.ts'

const MIB = 1024 * 1024

/**
 * Eleven times the need of 350,000 CVEs: about 2,700 files, in a manifest of 0.7 MB. Parsed JSON takes up to thirty
 * times its length in memory.
 */
export const MAX_MANIFEST_BYTES = 8 * MIB
export const MAX_FILES = 30_000
/** CVE shards, and files of the EPSS history. 350,000 CVEs have 700 of each. */
export const MAX_SHARDS = 13_750
/** Shards of advisories, and of packages; a power of two. A snapshot has about 100 other files. */
export const MAX_HASHED_SHARDS = 1024

/** A file that is read whole: ten times `query.db` of 350,000 CVEs, the largest file. */
export const MAX_READ_BYTES = 2048 * MIB

/** A segment. Readers inflate a segment as a whole. */
export const MAX_SEGMENT_PLAIN = 64 * MIB
/** A member or an answer: two segments of maximum size. As JSON it fits into the heap of a thread. */
export const MAX_MEMBER_PLAIN = 128 * MIB
/** A shard. Readers inflate it member by member, so this limits time to about ten seconds. */
export const MAX_SHARD_PLAIN = 4096 * MIB

/** A catalog, inflated as a whole: at least four times the feeds' size. The gateway parses `report-types`. */
export const MAX_CATALOG_PLAIN: Readonly<Record<CatalogName, number>> = {
  cwes: 64 * MIB,
  capecs: 64 * MIB,
  cnas: 32 * MIB,
  exploits: 256 * MIB,
  'report-types': 16 * MIB,
}

/** Extracted list and filter data of one shard. 1,000 CVEs need 0.5 MB. */
export const MAX_EXTRACT_PLAIN = 512 * MIB
/** Cores and names of all CVEs, together in memory: seven times those of 350,000 CVEs. */
export const MAX_ROWS_BYTES = 2048 * MIB

/** A package with all of its advisories. Readers parse it whole. */
export const MAX_PACKAGE_BYTES = 16 * MIB

/** One gzip member each. 350,000 CVEs need 6 KB, 3 MB, 1 MB and 100 KB. */
export const MAX_GZIP_PLAIN = {
  about: MIB,
  epss: 64 * MIB,
  'epss-editions': MIB,
  'epss-changes': 64 * MIB,
  rejected: 16 * MIB,
  stats: 32 * MIB,
} as const

/** A file rebuilt from a delta pack: a hundred times a shard. Larger files are downloaded whole. */
export const MAX_REBUILT_BYTES = 256 * MIB

/** Members of hashed shards, 16 bytes each in the index: thirty times 500,000 advisories. */
export const MAX_HASHED_ROWS = 2 ** 24
/** Ids that have aliases, about 20 bytes each in memory. 500,000 advisories have 700,000. */
export const MAX_ALIAS_IDS = 2 ** 24
/**
 * Ids of one set of aliases, because answers list the set of each advisory. The largest set of the public feeds has 16. A
 * further alias joins nothing.
 */
export const MAX_ALIAS_SET = 1000

/** Entries of a set in `query.db`: fifty times those of 350,000 CVEs. */
export const MAX_ENTRIES = 2 ** 24
