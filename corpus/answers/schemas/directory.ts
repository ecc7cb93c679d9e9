/** The directory: CNAs with their statistics, vendors, products, exploit modules. */
import { z } from 'zod'
import { ACTIVITY_STATUSES, GRADES } from '../../model/closed-values.ts'
import type { CnaRow, CnaStats, ImprovedCna, ProductRow, VendorRow } from '../../model/directory.ts'
import type { CnaEntryDetail } from '../../snapshot/index.ts'
import { exploitModule } from './cve-signals.ts'
import { baseScore, count, cveId, type ShapeOf, selectablePageOf, text, texts, timestamp } from './values.ts'

const grade = z.enum(GRADES)
const completeness = z.number().min(0).max(100)
const cnaSlug = z.string().describe('Key of the CNA: its short name in lower case, with `_` for blanks')
const cnaName = z.string().describe('Name of the CNA')

const cnaRow = z
  .strictObject({
    slug: cnaSlug,
    cna_name: cnaName,
    grade: grade.nullable().describe('Grade of `overall_completeness`. Null without records'),
    activity_status: z
      .enum(ACTIVITY_STATUSES)
      .describe(
        '`Active` if it published a record in the 365 days up to the newest date of the CVE list, else `Inactive`',
      ),
    total_cves: count.describe('Number of its records'),
    recent_cves: count.describe(
      'Number of records that it published in the 365 days up to the newest date of the CVE list',
    ),
    years_active: z.number().nonnegative().describe('Years from its first record to the newest date of the CVE list'),
    overall_completeness: completeness
      .nullable()
      .describe(
        'Mean completeness of its records of the last two years, or of all if these years have none. 0 to 100. Null without records',
      ),
    avg_cvss_score: baseScore.nullable().describe('Mean `cvss_score` of its records, 0 to 10. Null without scores'),
    vendor_diversity: count.describe('Number of different vendors in its records'),
    latest_cve_date: timestamp.nullable().describe('Time of publication of its newest record. Null without records'),
  } satisfies ShapeOf<CnaRow>)
  .meta({
    id: 'CnaRow',
    description: 'CNA with statistics of its records',
  })

export const cnaPage = z
  .strictObject(selectablePageOf(cnaRow, 'CnaFields'))
  .meta({ id: 'CnaPage', description: 'Page of CNAs' })

export const cnaDetail = cnaRow
  .extend({
    country: text.describe('Country. Null if not stated'),
    organization_type: texts.describe('Types of organization, such as `Vendor`'),
    scope: text.describe('Products for which it assigns ids. Null if not stated'),
    advisories_url: text.describe('URL of its advisories. Null if not stated'),
  } satisfies ShapeOf<Omit<CnaEntryDetail, 'slug' | 'cna_name'>>)
  .meta({ id: 'CnaDetail', description: 'CNA with statistics and its entry in the directory' })

const improvedCna = z
  .strictObject({
    slug: cnaSlug,
    cna_name: cnaName,
    older_grade: grade.describe('Grade of `older_score`'),
    recent_grade: grade.describe('Grade of `recent_score`'),
    older_score: completeness.describe('Mean completeness of the records published 365 to 730 days ago, 0 to 100'),
    recent_score: completeness.describe('Mean completeness of the records of the last 365 days, 0 to 100'),
    delta: z.number().describe('Increase from `older_score` to `recent_score`, in points'),
  } satisfies ShapeOf<ImprovedCna>)
  .meta({ id: 'ImprovedCna', description: 'CNA with improved completeness' })

export const cnaStats = z
  .strictObject({
    summary: z
      .strictObject({
        total_cnas: count.describe('Number of CNAs'),
        active_cnas: count.describe('Number of active CNAs'),
        total_cves: count.describe('Number of CVEs with a CNA in their record'),
        avg_completeness: completeness
          .nullable()
          .describe('Mean `overall_completeness` of the CNAs with records, 0 to 100. Null if there are none'),
      })
      .meta({ id: 'CnaSummary', description: 'Totals of all CNAs' }),
    grade_distribution: z
      .strictObject({
        A: count.describe('Number of CNAs with grade A'),
        B: count.describe('Number of CNAs with grade B'),
        C: count.describe('Number of CNAs with grade C'),
        D: count.describe('Number of CNAs with grade D'),
        F: count.describe('Number of CNAs with grade F'),
      })
      .meta({ id: 'GradeDistribution', description: 'Number of CNAs with records, by grade' }),
    leaderboard: z
      .strictObject({
        best: z.array(cnaRow).describe('CNAs with the highest completeness, and at least ten records'),
        worst: z.array(cnaRow).describe('CNAs with the lowest completeness, and at least ten records'),
        most_active: z.array(cnaRow).describe('CNAs with the most records in the last 365 days'),
        most_improved: z
          .array(improvedCna)
          .describe(
            'CNAs with the largest increase in completeness, and at least ten records in each of the last two years',
          ),
      })
      .meta({ id: 'CnaLeaderboard', description: 'Rankings of CNAs' }),
  } satisfies ShapeOf<CnaStats>)
  .meta({ id: 'CnaStats', description: 'Statistics of all CNAs' })

const vendorKey = z
  .string()
  .describe('Key of the vendor: its name in the most frequent spelling, in lower case, with `_` for blanks')
const cveCount = count.describe('Number of CVEs in which CNA, ADPs or NVD name it')

const spellings = z
  .array(z.string())
  .describe('Spellings that the records use, ascending. Each of them finds the row, as its key does')

export const vendorRow = z
  .strictObject({
    slug: vendorKey,
    display: z.string().describe('Vendor name in its most frequent spelling'),
    product_count: count.describe('Number of its products'),
    cve_count: cveCount,
    spellings,
  } satisfies ShapeOf<VendorRow>)
  .meta({ id: 'VendorRow', description: 'Vendor' })

export const vendorPage = z
  .strictObject(selectablePageOf(vendorRow, 'VendorFields'))
  .meta({ id: 'VendorPage', description: 'Page of vendors' })

const vendorReference = z
  .strictObject({ slug: vendorKey, display: text.describe('Vendor name. Null if the vendor is unknown') })
  .meta({ id: 'VendorReference', description: 'Vendor, by key and name' })

const vendorProduct = z
  .strictObject({
    slug: z.string().describe('Key of the product: its name in lower case, with `_` for blanks'),
    display: z.string().describe('Product name in its most frequent spelling'),
    vendor: vendorKey,
    cve_count: cveCount,
  })
  .meta({ id: 'VendorProduct', description: 'Product of a vendor' })

export const vendorProducts = z
  .strictObject({ vendor: vendorReference, ...selectablePageOf(vendorProduct, 'VendorProductFields') })
  .meta({ id: 'VendorProducts', description: 'Page of the products of a vendor' })

export const productRow = z
  .strictObject({
    slug: vendorProduct.shape.slug,
    display: vendorProduct.shape.display,
    vendor: vendorKey,
    vendor_display: z.string().describe('Vendor name in its most frequent spelling'),
    cve_count: cveCount,
    spellings,
  } satisfies ShapeOf<ProductRow>)
  .meta({ id: 'ProductRow', description: 'Product with its vendor' })

const productListRow = productRow
  .omit({ spellings: true })
  .extend({ spellings: spellings.optional() })
  .meta({ id: 'ProductListRow', description: 'Product with its vendor. `spellings` only with `include=spellings`' })

export const productPage = z
  .strictObject(selectablePageOf(productListRow, 'ProductFields'))
  .meta({ id: 'ProductPage', description: 'Products that match the query' })

const cveIds = z.array(cveId).describe('CVEs that the module exploits. Some may have no record in this service')

const exploitListRow = exploitModule
  .extend({ cve_ids: cveIds.optional() })
  .meta({ id: 'ExploitListRow', description: 'Exploit module. `cve_ids` only with `include=cves`' })

export const exploitPage = z
  .strictObject(selectablePageOf(exploitListRow, 'ExploitFields'))
  .meta({ id: 'ExploitPage', description: 'Page of exploit modules' })

export const exploitDetail = exploitModule
  .extend({ cve_ids: cveIds })
  .meta({ id: 'ExploitDetail', description: 'Exploit module with its CVEs' })
