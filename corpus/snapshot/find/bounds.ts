/** What finding CVEs may keep in memory of each snapshot. */

/** What filters let through, for walks that go on page after page. */
export const WALKS_BYTES = 4 * 1024 * 1024
