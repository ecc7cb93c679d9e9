/** Packages, the advisories that affect them, and advisories as their publishers state them. */
import { z } from 'zod'
import type { AdvisoryRow } from '../../model/packages/advisory-row.ts'
import type { AffectedRow } from '../../model/packages/affected-row.ts'
import type { PackageDetail, PackageRow } from '../../model/packages/package-entry.ts'
import { severity } from './cve-summary.ts'
import { baseScore, count, cveId, fraction, type ShapeOf, selectablePageOf, text, texts, timestamp } from './values.ts'

const matchedBy = z
  .strictObject({
    kind: z
      .enum(['range', 'version', 'cpe'])
      .describe(
        '`range`: a range of the advisory contains the version. `version`: the advisory enumerates it. `cpe`: a source of the CVE states the product of the CPE name',
      ),
    introduced: text.describe(
      'Start of the range. `0` is before every version. Null for `version`, and for `cpe` without a range',
    ),
    fixed: text.describe('First version after the range that is not affected. Null if there is none'),
    last_affected: text.describe('Last affected version of the range. Null if the range does not state it'),
    source: z.string().describe('Id of the advisory that states it. For `cpe`: `nvd`, `cna` or `adp`'),
  } satisfies ShapeOf<NonNullable<AffectedRow['matched_by']>>)
  .meta({ id: 'MatchedBy', description: 'Statement of an advisory that the version matches' })

export const affectedRow = z
  .strictObject({
    advisory_id: z
      .string()
      .describe('Id of the advisory. Of several that alias each other, the GitHub advisory (GHSA)'),
    aliases: texts.describe('All other ids of the advisory'),
    cve_ids: z.array(cveId).describe('CVEs that the advisories name. Some may have no record in this service'),
    summary: text.describe('Summary that the advisory states. Null if it states none'),
    severity: severity
      .nullable()
      .describe(
        'Severity of the CVE with the highest score. Without one, the band of the score of the advisory, else its rating. Null if unknown',
      ),
    cvss_score: baseScore
      .nullable()
      .describe(
        'Score that belongs to `severity`, 0 to 10. Of an advisory, with the threat metrics of its vector. Null without a score',
      ),
    kev: z.boolean().describe('Whether one of the CVEs is in the KEV catalog'),
    epss: fraction.nullable().describe('Highest EPSS score of the CVEs, 0 to 1. Null without a score'),
    has_exploit: z.boolean().describe('Whether one of the CVEs has public exploit code or evidence of exploitation'),
    stated_severity: severity
      .nullable()
      .describe('Highest rating that the advisories state. Null if they state none, or the same as `severity`'),
    urgency: z
      .enum(['unimportant'])
      .nullable()
      .describe('`unimportant`: Debian states that the vulnerability has no practical effect in the release'),
    verdict: z
      .enum(['affected', 'undecided'])
      .describe('`undecided`: the request has no version, or the versions cannot be compared'),
    undecided_reason: z
      .enum(['no_version', 'no_order', 'version', 'event', 'release', 'no_versions', 'floating', 'too_large'])
      .nullable()
      .describe(
        '`no_version`: the request has no version. `no_order`: the ecosystem has no order of versions. `version`: the version cannot be compared. `event`: a bound of a range cannot. `release`: the request or the advisory names no release of the distribution. `no_versions`: the advisory states no versions that can be compared. `floating`: only some of the releases that the version can mean are affected. `too_large`: the advisories, or the record of the CVE, state more versions than an answer compares. Null if affected',
      ),
    matched_by: matchedBy.nullable().describe('Why the version is affected. Null if undecided'),
    fixed_versions: texts.describe(
      'Versions that fix the advisory, above the version of the request. None is affected by an advisory of the row. Ascending',
    ),
    published_at: timestamp.nullable().describe('Time of publication. Null if not stated'),
    modified_at: timestamp.nullable().describe('Time of the last change. Null if not stated'),
  } satisfies ShapeOf<AffectedRow>)
  .meta({ id: 'AffectedRow', description: 'Advisories that alias each other, and whether they affect the version' })

export const affectedRequest = z
  .strictObject({
    purl: text.describe('Package URL of the request. Null if the request has none'),
    cpe: z.string().optional().describe('CPE name of the request. Absent if the request has none'),
    ecosystem: text.describe(
      'Ecosystem in the spelling of the OSV schema, with the release of a distribution. Null for a CPE name, and if no ecosystem has the type of the purl',
    ),
    name: z
      .string()
      .describe('Name of the package, as requested. For a CPE name: vendor and product, `vendor/product`'),
    version: text.describe('Version of the package or product. Null if the request has none'),
    matched_source: text.describe(
      "Source package of a distribution's package, by which advisories were matched. Null if the request names none",
    ),
    indexed: z.boolean().describe('Whether the snapshot has advisories of this ecosystem and release, or this product'),
  })
  .meta({ id: 'AffectedRequest', description: 'Package or product, and version, of the request' })

const affectedPage = z
  .strictObject({ query: affectedRequest, ...selectablePageOf(affectedRow, 'AffectedFields') })
  .meta({ id: 'AffectedPage', description: 'Page of the advisories that affect a package' })

const affectedGroups = z
  .strictObject({ groups: z.array(affectedPage).describe('A page for each purl, in the order of the request') })
  .meta({ id: 'AffectedGroups', description: 'Pages of the advisories that affect several packages' })

export const affected = z.union([affectedPage, affectedGroups]).meta({
  id: 'AffectedAnswer',
  description: 'A page of advisories, or one for each purl of a request with several',
})

export const advisoryRow = z
  .strictObject({
    advisory_id: z.string().describe('Id of the advisory'),
    summary: text.describe('Summary that it states, at most 500 characters. Null if it states none'),
    severity: severity
      .nullable()
      .describe('Band of the score that the advisory states. Without one, its rating; that of malware is critical'),
    ecosystems: texts.describe('Ecosystems of its packages, without releases'),
    cve_ids: z
      .array(cveId)
      .describe('The first 100 CVEs that it names, by year and number. Some may have no record in this service'),
    cve_count: count.describe('Number of all CVEs that it names'),
    is_malware: z.boolean().describe('Whether it states that its packages are malicious'),
    is_withdrawn: z.boolean().describe('Whether its publisher has withdrawn it. Then it affects no package'),
    published_at: timestamp.nullable().describe('Time of publication. Null if not stated'),
    modified_at: timestamp.nullable().describe('Time of the last change. Null if not stated'),
    withdrawn_at: timestamp.nullable().describe('Time of the withdrawal. Null if not withdrawn, or not a valid time'),
  } satisfies ShapeOf<AdvisoryRow>)
  .meta({ id: 'AdvisoryRow', description: 'Advisory in short' })

export const advisoryPage = z
  .strictObject(selectablePageOf(advisoryRow, 'AdvisoryFields'))
  .meta({ id: 'AdvisoryPage', description: 'Page of advisories' })

const packageRow = z
  .strictObject({
    ecosystem: z.string().describe('Ecosystem in the spelling of the OSV schema, without a release'),
    name: z.string().describe('Name of the package in its most frequent spelling'),
    purl: text.describe('Package URL without a version. Null if the ecosystem has none'),
    advisory_count: count.describe('Number of advisories. Advisories that alias each other count once'),
  } satisfies ShapeOf<PackageRow>)
  .meta({ id: 'PackageRow', description: 'Package that advisories name' })

export const packagePage = z
  .strictObject(selectablePageOf(packageRow, 'PackageFields'))
  .meta({ id: 'PackagePage', description: 'Page of packages' })

export const packageDetail = packageRow
  .extend({
    spellings: texts.describe('All spellings of the name in advisories'),
    latest_advisory_at: timestamp
      .nullable()
      .describe('Time of publication of the newest advisory. Null if none states it'),
  } satisfies ShapeOf<Omit<PackageDetail, keyof PackageRow>>)
  .meta({ id: 'PackageDetail', description: 'Package with the spellings of its name' })

/** Readers have the OSV schema, so this one is minimal. */
export const osvRecord = z
  .looseObject({
    id: z.string().describe('Id of the advisory'),
    modified: z.string().optional().describe('Time of the last change'),
    aliases: z.array(z.string()).optional().describe('Ids of the same vulnerability in other databases'),
  })
  .meta({ id: 'OsvRecord', description: 'Advisory in the OSV schema (https://ossf.github.io/osv-schema/)' })
