/** Cache limits for CVE searches, in bytes. */

/** Of the process: bitmaps of lists and ranges, 550 at 350,000 CVEs. */
export const BITMAPS_BYTES = 24 * 1024 * 1024

/** Of each snapshot: combinations of flags and severities that few CVEs have. */
export const RARE_BYTES = 1024 * 1024
