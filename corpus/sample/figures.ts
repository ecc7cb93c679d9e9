/**
 * Statistics of real records, which the sample reproduces. By default they were counted in 4,148 published records of
 * 2023 and 2024 of the CVE list of 2024-10-24 (every ninth record). EPSS is from the 291,657 lines of 2025-08-30; the
 * CNA list is from 2024-10-08; advisories are 1,025 reviewed ones of 2025-02. Lengths are in characters.
 */
import { choice, pairs, quantiles, shares, zipf } from './distribution.ts'

/** Thousands of ids per year in the EPSS file of 2025-08-30, extrapolated at 48,000 per year for 2025 and 2026. */
export const IDS_BY_YEAR = pairs(
  `1999:1.5 2000:1.2 2001:1.5 2002:2.4 2003:1.5 2004:2.6 2005:4.6 2006:7 2007:6.5 2008:7
  2009:4.9 2010:5.1 2011:4.6 2012:5.5 2013:6.2 2014:8.4 2015:8 2016:9.3 2017:14.7
  2018:15.9 2019:15.6 2020:19 2021:22.3 2022:25.7 2023:29.3 2024:37.9 2025:48 2026:20`,
)

/**
 * Shares among published records by year of the id. They were counted in 179 records up to 2015, 3,602 records of 2016
 * to 2022, and those of 2023 and 2024. The second group excludes the largest CNA, which the selection overrepresents.
 * `root` is the share filed by the root CNA, which names no vendor. `titled` to `weaknessAsText` are shares among the
 * records of other CNAs. `assessed` is the share with a CISA ADP container.
 */
const ERA_KEYS = ['until', 'root', 'titled', 'scored', 'weakness', 'weaknessAsText', 'assessed'] as const
export type Era = Record<(typeof ERA_KEYS)[number], number>
export const ERAS = [
  [2015, 0.76, 0.6, 0.4, 0.5, 0.35, 0.04],
  [2022, 0.23, 0.8, 0.56, 0.4, 0.3, 0.07],
  [2023, 0.165, 0.75, 0.9, 0.79, 0.09, 0.41],
  [9999, 0.165, 0.75, 0.9, 0.79, 0.09, 0.92],
].map((row) => Object.fromEntries(ERA_KEYS.map((key, i) => [key, row[i]])) as Era)

/** Share of rejected records in the full list (about 15,000 of 300,000). The vulnrichment selection has almost none. */
export const REJECTED_SHARE = 0.045
export const RESERVED_SHARE = 0.002
export const DISPUTED_SHARE = 0.006
/** 1,404 KEV entries of 2025-08-25 for about 300,000 records. Here 1,500 for 350,000. */
export const KEV_EVERY = 233
/** 293 of 1,404 entries. */
export const RANSOMWARE_SHARE = 0.21
/** Records published up to this date received a CVE Program Container with their references on it. */
export const TRANSFER_DATE = Date.UTC(2024, 7, 1)
export const TRANSFERRED_SHARE = 0.97

export const DESCRIPTION_LENGTH = quantiles(
  '0:35 0.01:51 0.05:76 0.1:117 0.25:172 0.5:265 0.75:443 0.9:648 0.95:927 0.99:2805 1:3998',
)
export const TITLE_LENGTH = quantiles(
  '0:12 0.01:17 0.05:33 0.1:39 0.25:52 0.5:69 0.75:88 0.9:103 0.95:114 0.99:154 1:256',
)
export const SOLUTION_LENGTH = quantiles('0:20 0.25:35 0.5:45 0.75:103 0.95:333 1:1486')

/** Number of the CNA's references. */
export const REFERENCES = quantiles('0:1 0.5:1.5 0.69:2 0.74:3 0.9:4.5 0.95:6.5 0.99:10.5 0.999:17 0.9998:30 1:140')
export const REFERENCE_NAMED = 0.22
/** Tags, separated by commas. `x_refsource_` tags were used until about 2022. */
export const REFERENCE_TAGS = choice(
  `:576|vdb-entry:40|vdb-entry,technical-description:31|vendor-advisory:76|x_refsource_MISC:39|exploit:31|permissions-required,signature:26|third-party-advisory:27|x_refsource_CONFIRM:23|issue-tracking:11|mailing-list:6|patch:12|mitigation:3`,
)

/**
 * Number of `affected` entries. Real records have 2 at 0.88, 6 at 0.95 and 22 at 0.99; 0.12 % have 50 and more. Here
 * the root CNA and the kernel have separate figures. Wide records replace real ones with 6 to 25 entries.
 */
export const AFFECTED_ENTRIES = quantiles('0:1 0.9:1.5 0.92:2 0.955:2.9 0.975:6 0.99:18 1:49')
/**
 * Share of records with 50 and more entries, by kind of CNA. They are 5 % of all records, forty times the real share,
 * because they cause the most load. As in reality, they come from CNAs that list the editions of their own products.
 */
export const WIDE_SHARES: Partial<Record<string, number>> = { platform: 0.62, vendor: 0.175 }
/** Only CNAs before this rank have wide records: they have many products, and the names recur. */
export const WIDE_RANKS = 33
export const WIDE_ENTRIES = quantiles('0:50 0.8:90 1:160')
/** Number of versions listed in an entry. */
export const VERSIONS_LISTED = quantiles('0:1 0.65:1.9 0.75:4 0.85:7 0.94:13 0.97:44 0.99:130 0.997:281 1:674')
/** Number of `affected` entries in CISA ADP containers that have any, and of their versions. */
export const ADP_ENTRIES = quantiles('0:1 0.75:1.9 0.9:3.5 0.95:6.5 0.98:22 0.99:64 1:258')
export const ADP_VERSIONS = quantiles('0:1 0.95:1.9 0.99:5.5 1:60')
/** Shares of CISA ADP containers with `affected`, and with CVSS and CWE if the CNA gave no CVSS. */
export const ADP_AFFECTED = 0.45
export const ADP_SCORED = 0.46
/** Share of recent records with the container of a supplier. Suppliers began in 2026. */
export const SUPPLIER_SHARE = 0.02

/** Exploitation, automatable and technical impact by CISA. `active` depends on KEV and is not included. */
export const SSVC = choice(
  'none no partial:448|none no total:204|poc no partial:90|none yes partial:79|none yes total:49|poc no total:47|poc yes total:27|poc yes partial:24',
)
/** The same for records in KEV. */
export const SSVC_ACTIVE = choice('active no total:15|active yes total:11|active no partial:3|active yes partial:3')

/** CVSS versions by a CNA that states any. CNAs like VulDB state three or four. */
export const SCORINGS = choice('3.1:845|3.0:77|4.0:30|3.1 4.0:20|joint:5|other:10|3.1 other:13')
export const DATABASE_SCORINGS = choice('2.0 3.0 3.1 4.0:32|2.0 3.0 3.1:29')

/** Days from reservation to publication of an id, and from publication to the CNA's latest change. */
export const DAYS_TO_PUBLISH = quantiles('0:0 0.15:0.2 0.25:6 0.5:24 0.75:74 0.9:175 0.95:252 0.99:378 1:614')
export const DAYS_TO_UPDATE = quantiles('0:0 0.5:0.1 0.6:3 0.75:26 0.9:69 0.99:300 1:900')

export const CREDITED = 0.365
export const SOLVED = 0.13
export const WORKED_AROUND = 0.018
export const EXPLOIT_NOTED = 0.017
export const IMPACT_NAMED = 0.15
export const MARKED_UP = 0.3
export const NON_ASCII = 0.11

/** Vendor ranks for CNAs that assign for others: 1,300 distinct vendors in 4,148 records, 1,001 of them once. */
export const VENDOR_RANK = zipf(60_000, 0.72, 8)
/** Ranks of the products of one vendor. */
export const PRODUCT_RANK = zipf(400, 1.6, 1.2)

/** Records per CNA by rank among 4,148, from rank 9 on. The first nine have profiles of their own. */
export const CNA_WEIGHT = quantiles('0:68 0.03:36 0.06:25 0.11:10 0.16:7 0.24:3 0.36:2 0.5:1 0.6:0.4 0.75:0.1 1:0.02')
export const CNA_COUNT = 412

const EPSS =
  '0:0.00001 0.01:0.00011 0.05:0.00025 0.1:0.00037 0.25:0.00083 0.5:0.00268 0.75:0.00915 0.9:0.05639 0.95:0.1851 0.99:0.78609 0.999:0.94126 1:0.94582'
export const EPSS_SCORE = quantiles(EPSS)
export const EPSS_PERCENTILE = shares(EPSS)

/** Figures of reviewed advisories: characters of `details`, references after the usual four, `affected` entries after the first. */
export const DETAILS_LENGTH = quantiles('0:60 0.1:144 0.5:404 0.75:792 0.9:1699 0.95:2451 0.99:6171 1:14000')
export const FURTHER_REFERENCES = quantiles('0:0 0.4:0.9 0.5:1.2 0.75:3.2 0.9:6.2 0.95:9.2 0.99:19 1:170')
export const BRANCHES = quantiles('0:0 0.66:0.9 0.75:1.4 0.9:3.2 0.95:4.4 0.99:11.5 1:23')
