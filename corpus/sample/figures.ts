/**
 * Statistics of real records. By default they were counted in 4,148 published records of 2023 and 2024 of the CVE list
 * of 2024-10-24. EPSS is from the 291,657 lines of 2025-08-30, and advisories are 1,025 reviewed ones of 2025-02. Lengths
 * are in characters.
 */
import { choice, pairs, quantiles, zipf } from './distribution.ts'

/** Thousands of ids per year in the EPSS file of 2025-08-30, extrapolated at 48,000 per year for 2025 and 2026. */
export const IDS_BY_YEAR = pairs(
  `1999:1.5 2000:1.2 2001:1.5 2002:2.4 2003:1.5 2004:2.6 2005:4.6 2006:7 2007:6.5 2008:7
  2009:4.9 2010:5.1 2011:4.6 2012:5.5 2013:6.2 2014:8.4 2015:8 2016:9.3 2017:14.7
  2018:15.9 2019:15.6 2020:19 2021:22.3 2022:25.7 2023:29.3 2024:37.9 2025:48 2026:20`,
)

/** Shares among published records by year of the id. The root CNA names no vendor, score and weakness. */
export const ERAS = [
  { until: 2015, root: 0.76, scored: 0.4, weakness: 0.5, assessed: 0.04 },
  { until: 2022, root: 0.23, scored: 0.56, weakness: 0.4, assessed: 0.07 },
  { until: 2023, root: 0.165, scored: 0.9, weakness: 0.79, assessed: 0.41 },
  { until: 9999, root: 0.165, scored: 0.9, weakness: 0.79, assessed: 0.92 },
]
export type Era = (typeof ERAS)[number]

/** Share of rejected records in the full list (about 15,000 of 300,000). The vulnrichment selection has almost none. */
export const REJECTED_SHARE = 0.045
export const RESERVED_SHARE = 0.002
/** 1,404 KEV entries of 2025-08-25 for about 300,000 records. Here 1,500 for 350,000. */
export const KEV_EVERY = 233

export const DESCRIPTION_LENGTH = quantiles(
  '0:35 0.01:51 0.05:76 0.1:117 0.25:172 0.5:265 0.75:443 0.9:648 0.95:927 0.99:2805 1:3998',
)
/** Number of the CNA's references. */
export const REFERENCES = quantiles('0:1 0.5:1.5 0.69:2 0.74:3 0.9:4.5 0.95:6.5 0.99:10.5 0.999:17 0.9998:30 1:140')

/**
 * Number of `affected` entries. Real records have 2 at 0.88, 6 at 0.95 and 22 at 0.99; 0.12 % have 50 and more. Here
 * 5 % are as wide, because such records cause the most load. As in reality, they come from CNAs with many products.
 */
export const AFFECTED_ENTRIES = quantiles('0:1 0.9:1.5 0.92:2 0.955:2.9 0.975:6 0.99:18 1:49')
export const WIDE_ENTRIES = quantiles('0:50 0.8:90 1:160')
export const WIDE_SHARES: Partial<Record<string, number>> = { platform: 0.62, vendor: 0.175 }
/** Only CNAs before this rank have wide records, so that the names recur. */
export const WIDE_RANKS = 33
/** Number of versions listed in an entry, and of entries in the containers of CISA. */
export const VERSIONS_LISTED = quantiles('0:1 0.65:1.9 0.75:4 0.85:7 0.94:13 0.97:44 0.99:130 0.997:281 1:674')
export const ADP_ENTRIES = quantiles('0:1 0.75:1.9 0.9:3.5 0.95:6.5 0.98:22 0.99:64 1:258')

/** Days from reservation to publication of an id, and from publication to the CNA's latest change. */
export const DAYS_TO_PUBLISH = quantiles('0:0 0.15:0.2 0.25:6 0.5:24 0.75:74 0.9:175 0.95:252 0.99:378 1:614')
export const DAYS_TO_UPDATE = quantiles('0:0 0.5:0.1 0.6:3 0.75:26 0.9:69 0.99:300 1:900')

/** CVSS versions by a CNA that states any, and exploitation, automatable and technical impact by CISA. */
export const SCORINGS = choice('3.1:85|3.0:8|4.0:3|3.1 4.0:3|other:1|3.1 other:1')
export const SSVC = choice('none no partial:45|none no total:20|poc no partial:10|none yes partial:13|poc yes total:8')

/** Vendor ranks for CNAs that assign for others: 1,300 distinct vendors in 4,148 records, 1,001 of them once. */
export const VENDOR_RANK = zipf(60_000, 0.72, 8)
/** Ranks of the products of one vendor. */
export const PRODUCT_RANK = zipf(400, 1.6, 1.2)

const EPSS = `0:0.00001 0.01:0.00011 0.05:0.00025 0.1:0.00037 0.25:0.00083 0.5:0.00268 0.75:0.00915
  0.9:0.05639 0.95:0.1851 0.99:0.78609 0.999:0.94126 1:0.94582`
/** EPSS scores by their percentile, and percentiles by score. */
export const EPSS_SCORE = quantiles(EPSS)
export const EPSS_PERCENTILE = quantiles(EPSS.replaceAll(/(?<!\S)(\S+):(\S+)/g, '$2:$1'))

/** Characters of the `details` of reviewed advisories, their references after the usual four, and affected branches. */
export const DETAILS_LENGTH = quantiles('0:60 0.1:144 0.5:404 0.75:792 0.9:1699 0.95:2451 0.99:6171 1:14000')
export const FURTHER_REFERENCES = quantiles('0:0 0.4:0.9 0.5:1.2 0.75:3.2 0.9:6.2 0.95:9.2 0.99:19 1:170')
export const BRANCHES = quantiles('0:1 0.66:1.9 0.75:2.4 0.9:4.2 0.95:5.4 0.99:12.5 1:24')
