/** Bounds of what an open snapshot keeps in memory beside its tables. */
const MIB = 1024 * 1024

/** In bytes, for each snapshot. */
export const MEMORY_BYTES = {
  /** The rows that pass filters, for walks through the other lists. */
  listWalks: 2 * MIB,
  /** Texts of list rows. */
  listRows: 3 * MIB,
  /** Packages with their advisories: 2 KB each. A package with more than 1,200 is parsed for each request. */
  packages: 5 * MIB,
} as const

/** Earlier snapshots that are open for comparison, per open snapshot: 14 MB each at 350,000 CVEs. */
export const ANCESTORS_OPEN = 2

/** Summaries of earlier snapshots' manifests in memory: about 0.5 KB each. */
export const MANIFESTS_KNOWN = 4096
