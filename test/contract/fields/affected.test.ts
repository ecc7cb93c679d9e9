/** gateway/API.md, section 12: the claims of each source, one by one, against the upstream files. */
import * as assert from 'uvu/assert'
import type { AffectedEntry } from '../../../corpus/model/record.ts'
import { contractSuite } from '../support/contract.ts'
import { affectedClaims, CLAIMS, CONTAINERS, OSV_SCHEMA, packageOf } from '../support/expected.ts'
import {
  expectField,
  expectNullable,
  expectValues,
  listOf,
  matching,
  nullable,
  object,
  onlyNull,
  string,
  timestamp,
} from '../support/field-types.ts'
import { allDetails } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('affected entry')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const entries = details.flatMap(({ affected }) => affected)

const { paired, criteriaOf } = affectedClaims(feeds, details)

states('12.6', 'one entry for each claim', () => {
  const pairs = paired(...CLAIMS)
  assert.ok(pairs.length > 1500)
  for (const { cve_id: id, affected } of details) {
    const nvd = affected.filter(({ source }) => source === 'nvd')
    assert.equal(nvd.flatMap(({ cpes }) => cpes ?? []).sort(), [...new Set(criteriaOf(id))].sort(), id)
    for (const { cpes } of nvd) {
      assert.is(new Set(cpes!.map((cpe) => cpe.split(':').slice(3, 5).join(':'))).size, 1, id)
    }
  }
  // Two sources that say the same of the same product are two entries all the same.
  const same = details.filter(({ affected }) => {
    const keys = affected.map(({ vendor, product }) => `${vendor} ${product}`.toLowerCase().replaceAll(' ', '_'))
    return new Set(keys).size < new Set(affected.map(({ source }, i) => `${source} ${keys[i]}`)).size
  })
  assert.ok(same.length > 20)
})

states('12.7', 'the source of the claim', () => {
  expectField(entries, 'source', string)
  expectValues(
    entries.map(({ source }) => source),
    ['cna', 'adp', 'advisory', 'osv', 'nvd', 'svc_analysis'],
  )
})

const named = (value: unknown) => (value === undefined || value === 'n/a' ? null : value)

states('12.8', 'names as the source writes them', () => {
  for (const name of ['vendor', 'product'] as const) {
    expectNullable(entries, name, string)
    for (const { id, entry, claim } of paired(...CONTAINERS, 'svc_analysis')) {
      assert.is(entry[name], named(claim.member[name]), `${name} of ${entry.source} on ${id}`)
    }
  }
})

states('12.9', 'the package of the claim', () => {
  expectNullable(entries, 'package_name', string)
  expectNullable(entries, 'ecosystem', string)
  for (const { id, entry, claim } of paired(...CONTAINERS)) {
    assert.is(entry.package_name, claim.member.packageName ?? null, id)
  }
  for (const { id, entry, claim } of paired(...OSV_SCHEMA)) {
    const { name, ecosystem } = packageOf(claim)
    assert.equal([entry.package_name, entry.ecosystem], [name ?? null, ecosystem ?? null], id)
  }
})

states('12.10', 'the platforms of the claim', () => {
  expectNullable(entries, 'platforms', listOf(string))
  for (const { id, entry, claim } of paired(...CONTAINERS)) {
    assert.equal(entry.platforms, claim.member.platforms ?? null, id)
  }
})

states('12.11', 'the status of all other versions', () => {
  expectNullable(entries, 'default_status', string)
  for (const { id, entry, claim } of paired(...CONTAINERS)) {
    assert.is(entry.default_status, claim.member.defaultStatus ?? null, id)
  }
  expectValues(
    entries.map(({ default_status: status }) => status),
    ['affected', 'unaffected', 'unknown', null],
  )
})

interface Version {
  version: string
  status: string
  versionType?: string
  lessThan?: string
  lessThanOrEqual?: string
  changes?: unknown
}

/** Claims whose versions are plain: affected, without branches, placeholders or comparators. */
function plainClaims(): { id: string; entry: AffectedEntry; versions: Version[] }[] {
  const plain = (text: string | undefined) => text === undefined || /^\d[\w.]*$/.test(text)
  return paired('cna').flatMap(({ id, entry, claim }) => {
    const versions = (claim.member.versions ?? []) as Version[]
    const isPlain = versions.every(
      ({ status, changes, ...texts }) =>
        status === 'affected' &&
        changes === undefined &&
        [texts.version, texts.lessThan, texts.lessThanOrEqual].every(plain) &&
        texts.version !== (texts.lessThan ?? texts.lessThanOrEqual),
    )
    return isPlain && versions.length > 0 && claim.member.defaultStatus !== 'affected' ? [{ id, entry, versions }] : []
  })
}

const isRange = ({ lessThan, lessThanOrEqual }: Version) => lessThan !== undefined || lessThanOrEqual !== undefined

states('12.12', 'single versions', () => {
  expectNullable(entries, 'affected_versions', listOf(string))
  assert.not.ok(entries.some(({ affected_versions: versions }) => versions?.length === 0))
  const claims = plainClaims()
  assert.ok(claims.filter(({ entry }) => entry.affected_versions !== null).length > 50)
  for (const { id, entry, versions } of claims) {
    const single = versions.filter((one) => !isRange(one)).map(({ version }) => version)
    assert.equal(entry.affected_versions, single.length === 0 ? null : [...new Set(single)], id)
  }
})

states('12.13', 'ranges of versions', () => {
  const text = nullable(string)
  const range = object({ introduced: text, fixed: text, version_type: text }, { last_affected: string })
  expectNullable(entries, 'affected_ranges', listOf(range))
  const ranges = entries.flatMap(({ affected_ranges: list }) => list ?? [])
  assert.ok(ranges.some((one) => Object.hasOwn(one, 'last_affected')))
  assert.ok(ranges.some((one) => !Object.hasOwn(one, 'last_affected')))
  const claims = plainClaims()
  assert.ok(claims.filter(({ entry }) => entry.affected_ranges !== null).length > 50)
  for (const { id, entry, versions } of claims) {
    const expected = versions.filter(isRange).map(({ version, lessThan, lessThanOrEqual, versionType }) => ({
      introduced: version,
      fixed: lessThan ?? null,
      version_type: versionType ?? null,
      ...(lessThanOrEqual === undefined ? {} : { last_affected: lessThanOrEqual }),
    }))
    assert.equal(entry.affected_ranges, expected.length === 0 ? null : expected, id)
  }
})

states('12.14', 'versions with the fix', () => {
  expectNullable(entries, 'patched_versions', listOf(matching(/\S/)))
  for (const { id, entry, claim } of paired('svc_analysis')) {
    assert.equal(entry.patched_versions, claim.member.patched_versions ?? null, id)
  }
  for (const { id, entry, claim } of paired(...CONTAINERS)) {
    for (const version of entry.patched_versions ?? []) {
      const stated = (claim.member.versions as Version[]).filter(({ status }) => status === 'unaffected')
      assert.ok(JSON.stringify([stated, claim.member]).includes(JSON.stringify(version)), `${version} of ${id}`)
    }
  }
})

states('12.15', 'CPE names', () => {
  expectNullable(entries, 'cpes', listOf(matching(/^cpe:(2\.3:|\/)/)))
  for (const { id, entry, claim } of paired(...CONTAINERS, 'svc_analysis')) {
    assert.equal(entry.cpes, claim.member.cpes ?? null, id)
  }
})

states('12.16', 'repository, collection and package', () => {
  for (const name of ['repo_url', 'collection_url', 'package_url']) expectNullable(entries, name, string)
  for (const { id, entry, claim } of paired(...CONTAINERS)) {
    assert.equal(
      [entry.repo_url, entry.collection_url],
      [claim.member.repo ?? null, claim.member.collectionURL ?? null],
      id,
    )
  }
  for (const { id, entry, claim } of paired(...OSV_SCHEMA)) {
    const repo = /"repo":"([^"]+)"/.exec(JSON.stringify(claim.member))?.[1] ?? null
    assert.is(entry.repo_url, repo, id)
    const { purl } = packageOf(claim) as { purl?: string }
    if (purl) assert.is(entry.package_url, purl, id)
    else assert.match(entry.package_url!, /^pkg:[a-z]+\//, id)
  }
})

states('12.17', 'four fields without a value', () => {
  for (const name of ['vulnerable_functions', 'advisory_severity', 'advisory_urgency', 'advisory_description']) {
    expectField(entries, name, onlyNull)
  }
})

states('12.18', 'the update by the source', () => {
  expectField(entries, 'updated_at', timestamp)
  for (const { id, entry, claim } of paired(...CLAIMS)) {
    // The Go database gives a date of the year 1 where it has none: those are of the epoch.
    const at = claim.at!.startsWith('0001') ? 0 : Date.parse(claim.at!)
    assert.is(Date.parse(entry.updated_at), at, `${entry.source} on ${id}`)
  }
  for (const { cve_id: id, affected } of details) {
    for (const { source, updated_at: at } of affected) {
      if (source === 'nvd') assert.is(Date.parse(at), Date.parse(`${feeds.nvd.get(id)!.lastModified}Z`), id)
    }
  }
})

after(() => service.remove())
run()
