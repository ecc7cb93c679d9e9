/** The figures of a snapshot. */
import { z } from 'zod'
import type { LastUpdate, UpdatedCves } from '../../model/last-update.ts'
import type { CnaScores, RecentFigures, SeverityCounts, Stats, TopEntries, TopEntry } from '../../model/stats.ts'
import { baseScore, count, cveId, day, fraction, type ShapeOf, timestamp } from './values.ts'

const month = z.string().regex(/^\d{4}-\d{2}$/)

const severities = {
  critical: count.describe('CVEs of severity `critical`'),
  high: count.describe('CVEs of severity `high`'),
  medium: count.describe('CVEs of severity `medium`'),
  low: count.describe('CVEs of severity `low`'),
  none: count.describe('CVEs of severity `none`'),
  unscored: count.describe('CVEs without severity'),
} satisfies ShapeOf<SeverityCounts>

const severityCounts = z
  .strictObject(severities)
  .meta({ id: 'SeverityCounts', description: 'Number of CVEs by severity' })

const publishedMonth = z
  .strictObject({ month: month.describe('Month, `YYYY-MM`'), ...severities })
  .meta({ id: 'PublishedMonth', description: 'CVEs published in a month, by severity' })

const kevMonth = z
  .strictObject({ month: month.describe('Month, `YYYY-MM`'), cves: count.describe('CVEs that KEV added') })
  .meta({ id: 'KevMonth', description: 'CVEs that KEV added in a month' })

const updated = z
  .strictObject({
    cves: count.describe('Number of CVEs'),
    cve_ids: z.array(cveId).max(100).describe('The first 100 of them'),
  } satisfies ShapeOf<UpdatedCves>)
  .meta({ id: 'UpdatedCves', description: 'CVEs that an update changed in one way' })

const lastUpdate = z
  .strictObject({
    since: timestamp.describe('Newest date in the CVE list before the update'),
    until: timestamp.describe('Newest date in the CVE list after the update'),
    added: updated.describe('New CVEs'),
    changed: updated.describe('CVEs that any feed except EPSS changed'),
    removed: updated.describe('CVEs that were rejected, or are no longer in the CVE list'),
    rejected: updated.describe('Ids that were rejected, with or without a record before'),
    kev_added: updated.describe('CVEs that KEV added'),
    severity_up: updated.describe('CVEs with a higher severity'),
    severity_down: updated.describe('CVEs with a lower severity'),
    severity_new: updated.describe('CVEs that got their first severity'),
  } satisfies ShapeOf<LastUpdate>)
  .meta({ id: 'LastUpdate', description: 'What the last update of the corpus changed' })

const topEntry = z
  .strictObject({
    id: z.string().describe('Id or slug in the list of the entry'),
    name: z.string().describe('Name'),
    cve_count: count.describe('Number of CVEs'),
    kev_count: count.describe('Number of CVEs that KEV lists'),
  } satisfies ShapeOf<TopEntry>)
  .meta({ id: 'TopEntry', description: 'Weakness, vendor or CNA with its number of CVEs' })

const topEntries = z
  .strictObject({
    all_time: z.array(topEntry).max(20).describe('By all CVEs'),
    last_year: z.array(topEntry).max(20).describe('By the CVEs published since `last_year_since`'),
  } satisfies ShapeOf<TopEntries>)
  .meta({ id: 'TopEntries', description: 'The entries with the most CVEs, the first one with the most' })

const cnaScores = z
  .strictObject({
    slug: z.string().describe('Slug of the CNA'),
    cna_name: z.string().describe('Name of the CNA'),
    total_cves: count.describe('Number of records'),
    without_cna_cvss: count.describe('Records without a CVSS score of the CNA itself'),
    recent_cves: count.describe('Records published since `last_year_since`'),
    recent_without_cna_cvss: count.describe('Those of them without a CVSS score of the CNA itself'),
  } satisfies ShapeOf<CnaScores>)
  .meta({ id: 'CnaScores', description: 'How many records of a CNA lack a CVSS score of its own' })

const epssByCvss = z
  .strictObject({
    epss_from: z.array(fraction).describe('Lower bound of each EPSS band. The last band ends at 1'),
    cvss_from: z.array(baseScore).describe('Lower bound of each CVSS band. The last band ends at 10'),
    counts: z.array(z.array(count)).describe('CVEs with both scores: for each EPSS band a number per CVSS band'),
    without_scores: count.describe('CVEs without one of the scores'),
    highest: z
      .array(
        z.strictObject({
          cve_id: cveId,
          cvss_score: baseScore.describe('CVSS base score'),
          epss: fraction.describe('EPSS score'),
        }),
      )
      .max(10)
      .describe('CVEs with a CVSS score of 9 or more and the highest EPSS scores'),
  } satisfies ShapeOf<Stats['epss_by_cvss']>)
  .meta({ id: 'EpssByCvss', description: 'Number of CVEs by EPSS and CVSS score' })

const recent = z
  .strictObject({
    days: z.int().positive().describe('Length of the period in days'),
    since: day.describe('First day, included'),
    until: day.describe('Last day, included: the day of `corpus_date`'),
    published: severityCounts.describe('CVEs published in the period'),
    kev_added: count.describe('CVEs that KEV added in the period'),
    exploits: count.describe('Exploit modules published in the period'),
  } satisfies ShapeOf<RecentFigures>)
  .meta({ id: 'RecentFigures', description: 'What the last days brought' })

const totals = z
  .strictObject({
    cves: count.describe('Number of CVEs'),
    kev: count.describe('CVEs that KEV lists'),
    has_exploit: count.describe('CVEs with `has_exploit`'),
    has_patch: count.describe('CVEs with `has_patch`'),
    severity: severityCounts,
  } satisfies ShapeOf<Stats['totals']>)
  .meta({ id: 'StatsTotals', description: 'Numbers of all CVEs' })

export const stats = z
  .strictObject({
    corpus_date: timestamp.nullable().describe('Newest date in the CVE list'),
    epss_date: day.nullable().describe('Date of the EPSS scores. Null without scores'),
    last_update: lastUpdate.nullable().describe('Null if the corpus was never updated'),
    recent: z.array(recent).max(3).describe('The last 1, 7 and 30 days. Empty without `corpus_date`'),
    totals,
    published_by_month: z.array(publishedMonth).describe('Ascending. Months without CVEs are absent'),
    kev_by_month: z.array(kevMonth).describe('Ascending. Months without CVEs are absent'),
    epss_by_cvss: epssByCvss,
    last_year_since: timestamp
      .nullable()
      .describe('Begin of the last year, the 365 days before `corpus_date`. A value for `published_since`'),
    weaknesses: topEntries.describe('Weaknesses, with mappings of any source (`scope=any`)'),
    vendors: topEntries.describe('Vendors'),
    cnas: topEntries.describe('CNAs'),
    cna_scores: z
      .array(cnaScores)
      .max(1000)
      .describe('CNAs with at least 20 records, the one with the most records first'),
  } satisfies ShapeOf<Stats>)
  .meta({ id: 'Stats', description: 'Figures of a snapshot' })
