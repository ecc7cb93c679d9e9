/** What finding CVEs may keep in memory of each snapshot. */

/** What filters let through, for walks that go on page after page. */
export const WALKS_BYTES = 4 * 1024 * 1024

/** What few CVEs have, and which sets many have: some 250 full lists, or 5,000 of the others. */
export const FEW_BYTES = 1024 * 1024
