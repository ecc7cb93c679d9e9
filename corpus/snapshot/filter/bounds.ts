/** Cache limits for CVE searches, in bytes. */

/** Bytes for the bitmaps of lists and ranges in a process: 550 bitmaps at 350,000 CVEs. */
export const BITMAPS_BYTES = 24 * 1024 * 1024

/** Bytes for combinations of flags and severities that few CVEs have, in each snapshot. */
export const RARE_BYTES = 1024 * 1024
