/** Cache limits per snapshot for CVE searches, in bytes. */

/** Bitmaps of positions: 380 at 350,000 CVEs. */
export const BITMAPS_BYTES = 16 * 1024 * 1024

/** Combinations of flags and severities that few CVEs have. */
export const RARE_BYTES = 1024 * 1024
