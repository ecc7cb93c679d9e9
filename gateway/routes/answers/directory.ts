/** The directory: CNAs with their figures, vendors, products, exploit modules. */
import { z } from 'zod'
import { exploitModule } from './cve-signals.ts'
import { baseScore, count, cveId, pageOf, text, texts, timestamp } from './values.ts'

const grade = z.enum(['A', 'B', 'C', 'D', 'F'])
const completeness = z.number().min(0).max(100)
const cnaSlug = z.string().describe('The key of the CNA')
const cnaName = z.string().describe('The name of the CNA')

const cnaRow = z
  .strictObject({
    slug: cnaSlug,
    cna_name: cnaName,
    grade: grade.nullable().describe('The grade of its completeness; null where it has no records'),
    activity_status: z.enum(['Active', 'Inactive']).describe('Whether it published a record in the last 365 days'),
    total_cves: count.describe('The number of its records'),
    recent_cves: count.describe('How many of these were published in the last 365 days'),
    years_active: z.number().nonnegative().describe('Years since its first record'),
    overall_completeness: completeness.nullable().describe('The mean completeness of its records, 0 to 100'),
    avg_cvss_score: baseScore.nullable().describe('The mean headline score of its records'),
    vendor_diversity: count.describe('The number of vendors its records name'),
    latest_cve_date: timestamp.nullable().describe('When its newest record was published'),
  })
  .meta({
    id: 'CnaRow',
    description: 'A CNA with its figures; grade, means and dates are null where it has no records',
  })

export const cnaPage = z.strictObject(pageOf(cnaRow)).meta({ id: 'CnaPage', description: 'A page of CNAs' })

export const cnaDetail = cnaRow
  .extend({
    country: text.describe('The country it is in'),
    organization_type: texts.describe('What kinds of organization it is'),
    scope: text.describe('What it assigns ids for'),
    advisories_url: text.describe('Where it publishes its advisories'),
  })
  .meta({ id: 'CnaDetail', description: 'A CNA with its figures and what the directory says of it' })

const improvedCna = z
  .strictObject({
    slug: cnaSlug,
    cna_name: cnaName,
    older_grade: grade.describe('The grade of the year before the last'),
    recent_grade: grade.describe('The grade of the last year'),
    older_score: completeness.describe('The mean completeness of the year before the last'),
    recent_score: completeness.describe('The mean completeness of the last year'),
    delta: z.number().describe('By how much it got better'),
  })
  .meta({ id: 'ImprovedCna', description: 'A CNA whose records got better' })

export const cnaStats = z
  .strictObject({
    summary: z
      .strictObject({
        total_cnas: count.describe('The number of CNAs'),
        active_cnas: count.describe('How many of these are active'),
        total_cves: count.describe('The number of their records: every CVE whose record names its CNA'),
        avg_completeness: completeness.nullable().describe('The mean of their scores'),
      })
      .meta({ id: 'CnaSummary', description: 'All CNAs in four figures' }),
    grade_distribution: z
      .strictObject({
        A: count.describe('CNAs of grade A'),
        B: count.describe('CNAs of grade B'),
        C: count.describe('CNAs of grade C'),
        D: count.describe('CNAs of grade D'),
        F: count.describe('CNAs of grade F'),
      })
      .meta({ id: 'GradeDistribution', description: 'How many CNAs with records have each grade' }),
    leaderboard: z
      .strictObject({
        best: z.array(cnaRow).describe('Those with the most complete records'),
        worst: z.array(cnaRow).describe('Those with the least complete records'),
        most_active: z.array(cnaRow).describe('Those with most records in the last 365 days'),
        most_improved: z.array(improvedCna).describe('Those whose records got better most'),
      })
      .meta({ id: 'CnaLeaderboard', description: 'Who leads, and who does not' }),
  })
  .meta({ id: 'CnaStats', description: 'Statistics of the directory of CNAs' })

const vendorKey = z.string().describe('The key of the vendor')
const cveCount = count.describe('The number of CVEs that name it')

const vendorRow = z
  .strictObject({
    slug: vendorKey,
    display: z.string().describe('The vendor, as most records write it'),
    product_count: count.describe('The number of its products'),
    cve_count: cveCount,
  })
  .meta({ id: 'VendorRow', description: 'A vendor' })

export const vendorPage = z.strictObject(pageOf(vendorRow)).meta({ id: 'VendorPage', description: 'A page of vendors' })

const vendorReference = z
  .strictObject({ slug: vendorKey, display: text.describe('The vendor; null for one that no record names') })
  .meta({ id: 'VendorReference', description: 'A vendor by key and name' })

const vendorProduct = z
  .strictObject({
    slug: z.string().describe('The key of the product'),
    display: z.string().describe('The product, as most records write it'),
    vendor: vendorKey,
    cve_count: cveCount,
  })
  .meta({ id: 'VendorProduct', description: 'A product of a vendor' })

export const vendorProducts = z
  .strictObject({ vendor: vendorReference, ...pageOf(vendorProduct) })
  .meta({ id: 'VendorProducts', description: 'A page of the products of a vendor' })

const productRow = z
  .strictObject({
    slug: vendorProduct.shape.slug,
    display: vendorProduct.shape.display,
    vendor: vendorKey,
    vendor_display: z.string().describe('The vendor, as most records write it'),
    cve_count: cveCount,
  })
  .meta({ id: 'ProductRow', description: 'A product and who makes it' })

export const productPage = z
  .strictObject(pageOf(productRow))
  .meta({ id: 'ProductPage', description: 'The products that match' })

export const exploitPage = z
  .strictObject(pageOf(exploitModule))
  .meta({ id: 'ExploitPage', description: 'A page of exploit modules' })

export const exploitDetail = exploitModule
  .extend({ cve_ids: z.array(cveId).describe('The CVEs it is for, with or without a record here') })
  .meta({ id: 'ExploitDetail', description: 'An exploit module and the CVEs it is for' })
