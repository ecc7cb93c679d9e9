/** What a CVE record states about packages (`packageURL` of its affected products), as a record in the OSV schema. */
import { MAX_NAME_LENGTH } from '../../model/affected/products.ts'
import type { CveClaim, CveListRecord, PublishedAdvisory } from '../../model/claim.ts'
import { PurlError, packageOfPurl, packageUrl } from '../../model/packages/purl.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import { titleOf } from '../../model/title.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { evaluationKey } from '../../model/versions/affected.ts'
import { comparatorOf } from '../../model/versions/comparator.ts'
import { baseEcosystem } from '../../model/versions/ecosystems.ts'
import { publishedAdvisory } from '../osv/published.ts'

/**
 * Returns the record, whose id is that of the CVE. Undefined if no affected product has a package URL of a type that an
 * ecosystem has.
 * @throws FeedError when the statements are too long together
 */
export function packageAdvisory({ cveId, datePublished, claims }: CveListRecord): PublishedAdvisory | undefined {
  const affected = claims.flatMap((claim) => claim.affected.flatMap(affectedPackage))
  if (affected.length === 0) return undefined
  const [cna, ...others] = claims as [CveClaim, ...CveClaim[]]
  const { description, updatedAt, metrics, weaknesses } = cna
  const summary = titleOf(cna, description, null)
  const modified = others.reduce((newest, one) => (one.updatedAt > newest ? one.updatedAt : newest), updatedAt)
  const json = {
    schema_version: '1.7.3',
    id: cveId,
    modified,
    ...(datePublished === null ? {} : { published: datePublished }),
    ...(summary === null ? {} : { summary }),
    ...(description === null ? {} : { details: description }),
    severity: metrics.flatMap(({ version, vector }) =>
      vector === '' ? [] : [{ type: `CVSS_V${version[0]}`, score: vector }],
    ),
    affected,
    references: claims.flatMap(({ references }) => references.map(({ url }) => ({ type: 'WEB', url }))),
    database_specific: {
      derived_from: 'cve_record',
      cwe_ids: weaknesses.map((id) => id.toUpperCase()),
    },
  }
  return publishedAdvisory({ json, modified, notes: [] }, JSON.stringify(json))
}

function affectedPackage(entry: AffectedEntry): JsonObject[] {
  const { package_url, default_status, affected_versions, affected_ranges, patched_versions } = entry
  const { ecosystem, name } = (package_url !== null && packageIn(package_url)) || { ecosystem: null, name: '' }
  if (ecosystem === null) return []
  const states = [affected_versions, affected_ranges, patched_versions].some((list) => list !== null)
  // Nothing is affected; without a version, the default says so.
  if (!states && default_status === 'unaffected') return []
  const stated = (affected_ranges ?? []).filter(({ version_type }) => version_type?.toLowerCase() !== 'git')
  const ranges = stated.map(eventsOf)
  if (!states && default_status === 'affected') ranges.push([{ introduced: '0' }])
  const versions = affected_versions ?? []
  // As advisories write it: the record can state a version, a folder or another spelling.
  const purl = packageUrl(baseEcosystem(ecosystem), name)
  // No package has such a name, so the CVE counts without it.
  if (Math.max(name.length, purl?.length ?? 0) > MAX_NAME_LENGTH) return []
  const named = { ecosystem, name, ...(purl !== null && { purl }) }
  const result = [{ package: named, ranges: ranges.map((events) => ({ type: 'ECOSYSTEM', events })), versions }]
  const bounds = stated.flatMap(({ introduced, fixed, last_affected }) => [introduced, fixed, last_affected])
  const isClear = [...versions, ...bounds].every((text) => text == null || isVersion(ecosystem, text))
  // As for products: the default contradicts lists that end, unless something else is stated as unaffected.
  const hasEnd = stated.every(({ fixed, last_affected }) => fixed !== null || last_affected !== undefined)
  const isContradiction = states && default_status === 'affected' && patched_versions === null && hasEnd
  // An entry without versions makes every other version undecided.
  return isClear && !isContradiction ? result : [...result, { package: named, ranges: [], versions: [] }]
}

/**
 * `2.x`, `before 2.0`, `1.0, 1.2` and commits are none, though Maven orders some of them; nor is `v1.2` where the letter
 * makes another version. Without an order no version is compared.
 */
function isVersion(ecosystem: string, text: string): boolean {
  const order = comparatorOf(ecosystem)
  if (order === null || text === '0') return true
  if (!/^v?\d[^\s,;<>=*]*$/i.test(text) || /\.x\b|^[\da-f]{40}$/i.test(text)) return false
  const [key, plain] = [text, text.replace(/^v/i, '')].map((one) => evaluationKey(order, one))
  return key !== null && plain !== null && order.compare(key, plain) === 0
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
