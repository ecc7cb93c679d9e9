/** What a CVE record states about packages (`packageURL` of its affected products), as a record in the OSV schema. */
import type { CveClaim, CveListRecord, PublishedAdvisory } from '../../model/claim.ts'
import { PurlError, packageOfPurl } from '../../model/packages/purl.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { publishedAdvisory } from '../osv/published.ts'

/**
 * Returns the record, whose id is that of the CVE. Undefined if no affected product has a package URL of a type that an
 * ecosystem has.
 * @throws FeedError when the name of a package is too long, or the statements together
 */
export function packageAdvisory({ cveId, datePublished, claims }: CveListRecord): PublishedAdvisory | undefined {
  const affected = claims.flatMap((claim) => claim.affected.flatMap(affectedPackage))
  if (affected.length === 0) return undefined
  const [{ title, description, updatedAt, metrics, weaknesses }, ...others] = claims as [CveClaim, ...CveClaim[]]
  const modified = others.reduce((newest, one) => (one.updatedAt > newest ? one.updatedAt : newest), updatedAt)
  const json = {
    schema_version: '1.7.3',
    id: cveId,
    modified,
    ...(datePublished === null ? {} : { published: datePublished }),
    ...(title === null ? {} : { summary: title }),
    ...(description === null ? {} : { details: description }),
    severity: metrics.map(({ version, vector }) => ({ type: `CVSS_V${version[0]}`, score: vector })),
    affected,
    references: claims.flatMap(({ references }) => references.map(({ url }) => ({ type: 'WEB', url }))),
    database_specific: {
      derived_from: 'cve_record',
      cwe_ids: weaknesses.map((id) => id.toUpperCase()),
    },
  }
  return publishedAdvisory({ json, modified }, JSON.stringify(json))
}

function affectedPackage(entry: AffectedEntry): JsonObject[] {
  const { package_url: purl, default_status, affected_versions, affected_ranges, patched_versions } = entry
  const named = purl === null ? null : packageIn(purl)
  if (named?.ecosystem == null) return []
  const states = [affected_versions, affected_ranges, patched_versions].some((list) => list !== null)
  // Nothing is affected; without a version, the default says so.
  if (!states && default_status === 'unaffected') return []
  const ranges = (affected_ranges ?? []).filter(({ version_type }) => version_type !== 'git').map(eventsOf)
  if (!states && default_status === 'affected') ranges.push([{ introduced: '0' }])
  return [
    {
      package: { ecosystem: named.ecosystem, name: named.name, purl },
      ranges: ranges.map((events) => ({ type: 'ECOSYSTEM', events })),
      versions: affected_versions ?? [],
    },
  ]
}

function eventsOf({ introduced, fixed, last_affected }: AffectedRange): JsonObject[] {
  return [
    { introduced: introduced ?? '0' },
    ...(fixed === null ? [] : [{ fixed }]),
    ...(last_affected === undefined ? [] : [{ last_affected }]),
  ]
}

/** Null for a malformed one. */
function packageIn(purl: string) {
  try {
    return packageOfPurl(purl)
  } catch (error) {
    if (error instanceof PurlError) return null
    throw error
  }
}
