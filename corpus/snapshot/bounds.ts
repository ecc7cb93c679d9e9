/**
 * What a reader accepts of a snapshot that somebody else has written, in bytes unless stated otherwise. A few megabytes of
 * DEFLATE inflate to gigabytes, so each bound is checked before anything is inflated. SPEC.md, "Bounds".
 */
import type { CatalogName } from './catalog.ts'

const MIB = 1024 * 1024

/**
 * A manifest, and its files: fifteen times those of 350,000 CVEs, which are some 2,000 in 0.5 MB. JSON takes up to thirty
 * times its length in memory.
 */
export const MAX_MANIFEST_BYTES = 8 * MIB
export const MAX_FILES = 30_000

/** A file that is read as a whole: ten times the largest of 350,000 CVEs, `query.db`. */
export const MAX_WHOLE_BYTES = 2048 * MIB

/** A segment: a reader inflates one as a whole. */
export const MAX_SEGMENT_PLAIN = 64 * MIB
/** A member, and an answer: two of the largest segments. As JSON it stays within the heap of a thread. */
export const MAX_MEMBER_PLAIN = 128 * MIB
/** A shard. It is inflated member by member, so this bounds time: some ten seconds. */
export const MAX_SHARD_PLAIN = 4096 * MIB

/** A catalog, which is inflated as a whole: four times what the feeds have, and more. The gateway parses `report-types`. */
export const MAX_CATALOG_PLAIN: Readonly<Record<CatalogName, number>> = {
  cwes: 64 * MIB,
  capecs: 64 * MIB,
  cnas: 32 * MIB,
  exploits: 256 * MIB,
  'report-types': 16 * MIB,
}

/** What lists and filters need of the CVEs of one shard: 0.5 MB for each of 1,000. */
export const MAX_GATHERED_PLAIN = 512 * MIB
/** The cores and names of all CVEs, which are in memory together: seven times those of 350,000. */
export const MAX_ROWS_BYTES = 2048 * MIB

/** Files that are one gzip member. At 350,000 CVEs they have 6 KB, 3 MB and 1 MB. */
export const MAX_GZIP_PLAIN = { about: MIB, epss: 64 * MIB, rejected: 8 * MIB } as const

/** A file that a delta pack makes: a hundred times what a shard has. A larger one comes whole. */
export const MAX_MADE_BYTES = 256 * MIB

/** A row of `query.db`: as much as a segment. Those of 350,000 CVEs have up to 1 MB. */
export const MAX_ROW_BYTES = 64 * MIB
/** Entries of a set of `query.db`: fifty times those of 350,000 CVEs. A list of ordinals takes four bytes for each. */
export const MAX_ENTRIES = 2 ** 24
