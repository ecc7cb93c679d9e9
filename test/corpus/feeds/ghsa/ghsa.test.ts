/** GitHub's advisories: the linked record, the claim, the ranges in GitHub's format, and the real database. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AdvisoryClaim } from '../../../../corpus/model/claim.ts'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { putFeeds } from '../../../support/feeds.ts'
import { REAL_FEEDS, suiteNeeding } from '../../../support/needs.ts'
import { advisory as advisoryFixture } from '../../model/fixture.ts'
import { type Entry, entryItems, writeEntries } from '../osv/osv-entries.ts'

const ID = 'GHSA-aaaa-bbbb-2222'
const folder = temporaryFolder('ghsa')
let files = 0

async function claimItem(fields: Record<string, unknown>) {
  const entry: Entry = { id: ID, modified: '2024-05-01T08:00:00Z', published: '2024-04-01T08:00:00Z', ...fields }
  const [item] = await entryItems('ghsa', writeEntries(join(folder.path, `${++files}.zip`), [entry]))
  assert.ok(item?.kind === 'claim')
  return { ...item, ...(JSON.parse(item.body) as AdvisoryClaim) }
}

const advisories = suite('advisories')

advisories('an advisory is the record that the API links, and a claim under its id', async () => {
  const item = await claimItem({
    aliases: ['CVE-2024-0002', 'CVE-2024-0001', 'PYSEC-2024-1'],
    summary: 'A fault in widget',
    details: '# Impact\nLong.',
    severity: [
      { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
      { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U' },
    ],
    affected: [
      {
        package: { ecosystem: 'npm', name: '@acme/widget' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0.0' }, { fixed: '1.2.0' }] }],
      },
    ],
    references: [
      { type: 'WEB', url: 'https://github.com/acme/widget/security/advisories/1' },
      { type: 'ADVISORY', url: 'https://nvd.nist.gov/vuln/detail/CVE-2024-0001' },
      { type: 'PACKAGE', url: 'github.com/acme/widget' },
    ],
    credits: [
      { name: 'Ann', type: 'FINDER', contact: ['mailto:ann@example.com', 'https://github.com/ann-1'] },
      { name: 'Bob', type: 'REMEDIATION_DEVELOPER', contact: ['https://example.com/bob'] },
      { name: 'Without a page', type: 'ANALYST' },
      { name: 'Eve', contact: ['https://github.com/eve/'] },
    ],
    database_specific: {
      cwe_ids: ['CWE-79', 'CWE-20'],
      severity: 'MODERATE',
      github_reviewed: true,
      github_reviewed_at: '2024-04-02T08:00:00Z',
    },
  })
  assert.equal(
    [item.cveIds, item.statedAt, item.notes],
    [['CVE-2024-0001', 'CVE-2024-0002'], '2024-05-01T08:00:00.000Z', []],
  )
  assert.is(item.reviewed, true)
  assert.equal(item.advisory, {
    advisory_id: ID,
    html_url: `https://github.com/advisories/${ID}`,
    summary: 'A fault in widget',
    description: '# Impact\nLong.',
    severity: 'medium',
    cvss_v3: { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8 },
    cvss_v4: { vector: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', score: 9.2 },
    cwe_ids: ['CWE-79', 'CWE-20'],
    source_repo_url: 'https://github.com/acme/widget',
    published_at: '2024-04-01T08:00:00.000Z',
    updated_at: '2024-05-01T08:00:00.000Z',
    reviewed_at: '2024-04-02T08:00:00.000Z',
    withdrawn_at: null,
    references: [
      'https://github.com/acme/widget/security/advisories/1',
      'https://nvd.nist.gov/vuln/detail/CVE-2024-0001',
      'https://github.com/acme/widget',
    ],
    affected_packages: [
      {
        ecosystem: 'npm',
        name: '@acme/widget',
        vulnerable_version_range: '>= 1.0.0, < 1.2.0',
        first_patched_version: '1.2.0',
      },
    ],
    credits: [
      { type: 'finder', login: 'ann-1', html_url: 'https://github.com/ann-1' },
      { type: 'remediation_developer', login: 'Bob', html_url: 'https://example.com/bob' },
      { type: 'other', login: 'eve', html_url: 'https://github.com/eve/' },
    ],
  })
  const { source, sourceName, title, weaknesses, metrics, affected, references } = item.claim
  assert.equal([source, sourceName, title], ['advisory', ID, 'A fault in widget'])
  assert.equal(weaknesses, ['cwe-79', 'cwe-20'])
  assert.equal(
    metrics.map(({ version, baseScore, baseSeverity }) => [version, baseScore, baseSeverity]),
    [
      ['3.1', 9.8, 'CRITICAL'],
      ['4.0', 9.2, 'CRITICAL'],
    ],
  )
  assert.equal(
    affected.map((one) => [one.source, one.package_name, one.ecosystem, one.package_url, one.patched_versions]),
    [['advisory', '@acme/widget', 'npm', 'pkg:npm/%40acme/widget', ['1.2.0']]],
  )
  assert.equal(affected[0]?.affected_ranges, [{ introduced: '1.0.0', fixed: '1.2.0', version_type: 'ecosystem' }])
  assert.equal(
    references.map(({ tags }) => tags),
    [[], ['advisory'], ['package']],
  )
})

advisories(
  'what an unreviewed one does not state is null, unknown or empty, and its summary is its first sentence',
  async () => {
    const { advisory, claim, reviewed, cveIds } = await claimItem({ details: 'One thing. Another.', aliases: [] })
    assert.equal([cveIds, reviewed, claim.title], [[], false, null])
    const { advisory: unstated } = advisoryFixture(
      {
        advisory_id: ID,
        html_url: `https://github.com/advisories/${ID}`,
        summary: 'One thing.',
        description: 'One thing. Another.',
        severity: 'unknown',
        published_at: '2024-04-01T08:00:00.000Z',
        updated_at: '2024-05-01T08:00:00.000Z',
      },
      { reviewed: false },
    )
    assert.equal(advisory, unstated)
  },
)

advisories('a withdrawn one keeps its CVEs and says when it was withdrawn', async () => {
  const { advisory, cveIds } = await claimItem({ aliases: ['CVE-2024-0001'], withdrawn: '2024-05-02T00:00:00Z' })
  assert.equal([cveIds, advisory.withdrawn_at], [['CVE-2024-0001'], '2024-05-02T00:00:00.000Z'])
})

advisories('a vector that cannot be read is shown without a score, and noted', async () => {
  const { advisory, claim, notes } = await claimItem({ severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }] })
  assert.equal(advisory.cvss_v3, { vector: 'CVSS:3.1/AV:N', score: null })
  assert.equal(claim.metrics, [])
  assert.equal(notes, [{ code: 'cvss-unreadable', detail: '"CVSS_V3" "CVSS:3.1/AV:N"' }])
})

const packages = suite('packages')

/** Returns the packages of a member of `affected` (`>= 1.0 | 1.2`: range and first patched version), and its ranges. */
async function packagesOf(member: { events?: object[]; versions?: string[]; lastKnown?: string }) {
  const { advisory, claim } = await claimItem({
    affected: [
      {
        package: { ecosystem: 'PyPI', name: 'widget' },
        ...(member.events && { ranges: [{ type: 'ECOSYSTEM', events: member.events }] }),
        ...(member.versions && { versions: member.versions }),
        database_specific: { last_known_affected_version_range: member.lastKnown },
      },
    ],
  })
  const ranges = claim.affected[0]?.affected_ranges?.map(
    (one) => `${one.introduced}..${one.fixed}..${one.last_affected}`,
  )
  return {
    lines: advisory.affected_packages.map((one) => `${one.vulnerable_version_range} | ${one.first_patched_version}`),
    ranges: ranges ?? null,
  }
}

packages('ranges are written as comparators', async () => {
  const lines = async (...events: object[]) => (await packagesOf({ events })).lines
  assert.equal(await lines({ introduced: '0' }, { fixed: '1.2' }), ['< 1.2 | 1.2'])
  assert.equal(await lines({ introduced: '1.0' }, { fixed: '1.2' }), ['>= 1.0, < 1.2 | 1.2'])
  assert.equal(await lines({ introduced: '0' }, { last_affected: '1.2' }), ['<= 1.2 | null'])
  assert.equal(await lines({ introduced: '1.0' }, { last_affected: '1.2' }), ['>= 1.0, <= 1.2 | null'])
  assert.equal(await lines({ introduced: '1.2' }, { last_affected: '1.2' }), ['= 1.2 | null'])
  assert.equal(await lines({ introduced: '0' }), ['>= 0 | null'])
  assert.equal(await lines({ introduced: '0.0.0' }), ['>= 0.0.0 | null'])
  assert.equal(await lines({ introduced: '0' }, { fixed: '1' }, { introduced: '2' }), ['< 1 | 1', '>= 2 | null'])
})

packages('single versions are written as such, one with a fix too', async () => {
  assert.equal(await packagesOf({ versions: ['8.4.3', '8.4.5'] }), {
    lines: ['= 8.4.3 | null', '= 8.4.5 | null'],
    ranges: null,
  })
  const events = [{ introduced: '2.16.0' }, { fixed: '2.16.1' }]
  assert.equal(await packagesOf({ versions: ['2.16.0'], events }), {
    lines: ['= 2.16.0 | 2.16.1'],
    ranges: ['2.16.0..2.16.1..undefined'],
  })
})

packages('the last version known to be affected bounds the text, and a range that nothing ends', async () => {
  const [introduced, fixed] = [{ introduced: '4.3a1' }, { fixed: '4.3b1' }]
  assert.equal(await packagesOf({ events: [introduced, fixed], lastKnown: '<= 4.3a2' }), {
    lines: ['>= 4.3a1, <= 4.3a2 | 4.3b1'],
    ranges: ['4.3a1..4.3b1..undefined'],
  })
  assert.equal(await packagesOf({ events: [introduced], lastKnown: '<= 4.3a2' }), {
    lines: ['>= 4.3a1, <= 4.3a2 | null'],
    ranges: ['4.3a1..null..4.3a2'],
  })
  assert.equal(await packagesOf({ events: [introduced], lastKnown: '< 4.4' }), {
    lines: ['>= 4.3a1, < 4.4 | null'],
    ranges: ['4.3a1..null..undefined'],
  })
})

advisories('a checkout is read with other files in it', async () => {
  const advisory = JSON.stringify({ id: ID, modified: '2024-05-01T08:00:00Z', aliases: ['CVE-2024-0001'] })
  const feeds = putFeeds(join(folder.path, 'feeds'), {
    [`ghsa/advisories/unreviewed/2024/05/${ID}/${ID}.json`]: advisory,
    'ghsa/advisories/README.json': '{}',
  })
  const items = await entryItems('ghsa', join(feeds, 'ghsa/advisories'), true)
  assert.equal(
    items.map((item) => item.kind === 'claim' && [item.key, item.cveIds]),
    [[ID, ['CVE-2024-0001']]],
  )
})

advisories.run()
packages.run()

const real = suiteNeeding('real advisories', 'real feeds')

/** Returns the ids of the newest CVE list, from the names in its directory. */
function listedIds(): Set<string> {
  const ids = new Set<string>()
  unzipSync(readFileSync(join(REAL_FEEDS, 'cvelistv5/2024-10-24_all_CVEs.zip')), {
    filter({ name }) {
      const id = /(CVE-\d+-\d+)\.json$/.exec(name)?.[1]
      if (id) ids.add(id)
      return false
    },
  })
  return ids
}

real('every one is read, and what they state adds up to what jq counts', async () => {
  const items = await entryItems('ghsa', join(REAL_FEEDS, 'ghsa/advisory-database.zip'))
  const cves = new Set<CveId>()
  const tally: Record<string, number> = {}
  const count = (key: string, n = 1) => {
    tally[key] = (tally[key] ?? 0) + n
  }
  for (const item of items) {
    assert.ok(item.kind === 'claim')
    const { advisory, claim, reviewed } = JSON.parse(item.body) as AdvisoryClaim
    for (const id of item.cveIds) cves.add(id)
    count('items')
    count('notes', item.notes.length)
    if (reviewed) count('reviewed')
    if (item.cveIds.length > 0) count('about a CVE')
    if (advisory.source_repo_url !== null) count('repositories')
    count('affected', claim.affected.length)
    count('packages', advisory.affected_packages.length)
    count('patched', claim.affected.filter(({ patched_versions }) => patched_versions !== null).length)
    count('metrics', claim.metrics.length)
    count('references', claim.references.length)
    count('without url', claim.references.filter(({ url }) => !url.startsWith('http')).length)
    count('without purl', claim.affected.filter(({ package_url }) => package_url === null).length)
  }
  assert.equal(tally, {
    items: 1025,
    notes: 0,
    reviewed: 1025,
    'about a CVE': 962,
    repositories: 831,
    affected: 1875,
    packages: 1875,
    patched: 1635,
    metrics: 1169,
    references: 6402,
    'without url': 0,
    'without purl': 0,
  })
  const listed = listedIds()
  assert.is(listed.size, 12_280)
  assert.is([...cves].filter((id) => listed.has(id)).length, 525)
})
real.after(folder.remove)

real.run()
