/** Bounds of what answers keep in memory, in bytes for each snapshot. */
const MIB = 1024 * 1024

export const ANSWER_BYTES = {
  /** Rows of `/affected`, for walks through many pages. */
  affectedRows: 6 * MIB,
  /** Rows of `/affected` for CPE names: as above. */
  affectedProducts: 6 * MIB,
  /** Affected entries of products: 2 KB for each CVE. The records of a product with more than 2,000 are read again. */
  productEntries: 4 * MIB,
} as const
