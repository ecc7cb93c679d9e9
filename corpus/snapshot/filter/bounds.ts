/** Cache limits per snapshot for CVE searches, in bytes. */

/** Filter results, for clients that page on. */
export const WALKS_BYTES = 4 * 1024 * 1024

/** Rare matches, and which bit constraints have many matches: about 250 full lists, or 5,000 of the others. */
export const FEW_BYTES = 1024 * 1024
