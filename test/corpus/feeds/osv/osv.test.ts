/** OSV entries as claims: every form of range, the dates, the CVEs, and the real exports. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replayEvents } from '../../../../corpus/feeds/osv/events.ts'
import type { CveClaim, RecordNote } from '../../../../corpus/model/claim.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { REAL_FEEDS, suiteNeeding } from '../../../support/needs.ts'
import { affected, cvss, claim as stated } from '../../model/fixture.ts'
import { type Entry, entryItems, writeEntries } from './osv-entries.ts'

const folder = temporaryFolder('osv')
let files = 0
const read = (...entries: Entry[]) => entryItems('osv', writeEntries(join(folder.path, `${++files}.zip`), entries))

/** Returns the claim of an entry on CVE-2024-0001, and its notes. */
async function claimOf(fields: Record<string, unknown>): Promise<CveClaim & { notes: string[] }> {
  const [item] = await read({ id: 'GO-2024-0001', modified: DATE, aliases: ['CVE-2024-0001'], ...fields })
  assert.ok(item?.kind === 'claim')
  const notes = item.notes.map(({ code, detail }) => `${code}: ${detail}`)
  return { ...(JSON.parse(item.body) as CveClaim), notes }
}

const DATE = '2024-05-01T08:00:00Z'

const ranges = suite('ranges')
/** Returns `0..1.2 fixed`, `1.0..1.2 last`, `1.0..` for events such as `i0 f1.2`. */
function replayed(type: string, events: string): string[] {
  const kinds: Record<string, string> = { i: 'introduced', f: 'fixed', l: 'last_affected', m: 'limit' }
  const stated = events.split(' ').map((event) => ({ [kinds[event[0]!]!]: event.slice(1) }))
  const found = replayEvents({ type, events: stated }, [])
  const texts = found.ranges.map(({ introduced, fixed, last_affected: last, version_type }) => {
    assert.is(version_type, type.toLowerCase())
    return `${introduced}..${fixed ?? last ?? ''}${fixed ? ' fixed' : last ? ' last' : ''}`
  })
  return [...texts, ...found.patched.map((version) => `patched ${version}`)]
}

ranges('introduced begins a range, fixed and last_affected end it, without either it has no end', () => {
  assert.equal(replayed('ECOSYSTEM', 'i0 f1.2'), ['0..1.2 fixed', 'patched 1.2'])
  assert.equal(replayed('ECOSYSTEM', 'i1.0 l1.2'), ['1.0..1.2 last'])
  assert.equal(replayed('SEMVER', 'i0'), ['0..'])
  assert.equal(replayed('SEMVER', 'i0 f1.0.0 i2.0.0 f2.1.0 i3.0.0'), [
    '0..1.0.0 fixed',
    '2.0.0..2.1.0 fixed',
    '3.0.0..',
    'patched 1.0.0',
    'patched 2.1.0',
  ])
})

ranges('events of semantic versions are sorted; others keep their order', () => {
  assert.equal(replayed('SEMVER', 'f2.10.0 i0 i2.9.0 f1.0.0'), [
    '0..1.0.0 fixed',
    '2.9.0..2.10.0 fixed',
    'patched 1.0.0',
    'patched 2.10.0',
  ])
  assert.equal(replayed('SEMVER', 'i2.6.0 l2.6.0 i2.6.0-rc1 l2.6.0-rc1'), [
    '2.6.0-rc1..2.6.0-rc1 last',
    '2.6.0..2.6.0 last',
  ])
  assert.equal(replayed('SEMVER', 'i8.0 f8.1 i0 f7.2.1'), [
    '8.0..8.1 fixed',
    '0..7.2.1 fixed',
    'patched 8.1',
    'patched 7.2.1',
  ])
  assert.equal(replayed('ECOSYSTEM', 'i2.0.0 f2.1.0 i1.0.0 f1.1.0').slice(0, 2), [
    '2.0.0..2.1.0 fixed',
    '1.0.0..1.1.0 fixed',
  ])
})

ranges('what is affected cannot begin again, and a fix while nothing is affected is only a patched version', () => {
  assert.equal(replayed('ECOSYSTEM', 'i1 i2 f3 f4'), ['1..3 fixed', 'patched 3', 'patched 4'])
  const notes: RecordNote[] = []
  replayEvents({ type: 'SEMVER', events: [{ introduced: '0' }, { introduced: '1.0.0' }] }, notes)
  assert.equal(notes, [{ code: 'range-unreadable', detail: 'introduced 1.0.0 while affected since 0' }])
})

ranges('a limit is no bound of versions', () => {
  assert.equal(replayed('SEMVER', 'i1.0.0 m2.0.0'), ['1.0.0..'])
  assert.equal(replayed('GIT', 'i0 m*'), ['0..'])
  assert.equal(replayed('GIT', 'i0 mabc'), ['0..abc fixed'])
})

ranges('of commits, each fix ends everything that was introduced, and none is a patched version', () => {
  assert.equal(replayed('GIT', 'iaa fbb fcc'), ['aa..bb fixed', 'aa..cc fixed'])
  assert.equal(replayed('GIT', 'iaa ibb fcc idd'), ['aa..cc fixed', 'bb..cc fixed', 'dd..'])
})

ranges('an event of no known kind is noted, one of several kinds is several', () => {
  const notes: RecordNote[] = []
  const events = [{ introduced: '0', fixed: '1.0.0' }, { begun: '2' }]
  assert.equal(replayEvents({ type: 'SEMVER', events }, notes).ranges, [
    { introduced: '0', fixed: '1.0.0', version_type: 'semver' },
  ])
  assert.equal(notes, [{ code: 'range-unreadable', detail: 'event {"begun":"2"}' }])
})

ranges.run()

const claims = suite('claims')

claims('an entry is a claim in the words of the model', async () => {
  const claim = await claimOf({
    summary: 'A fault in widget',
    details: 'Long text.',
    published: '2024-04-01T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    database_specific: { cwe_ids: ['CWE-79', 'CWE-noinfo'] },
    references: [
      { type: 'FIX', url: 'https://example.com/fix' },
      { type: 'WEB', url: 'https://example.com/fix' },
      { type: 'WEB', url: 'https://example.com/page' },
      { type: 'ADVISORY', url: 'https://example.com/advisory' },
      { type: 'PACKAGE', url: 'github.com/acme/widget' },
      { type: 'REPORT', url: 'acme/widget' },
      { type: 'WEB', url: ' ' },
    ],
    affected: [
      {
        package: { ecosystem: 'Go', name: 'github.com/acme/widget' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.0' }] }],
        versions: ['1.0.0', '1.1.0', '1.0.0'],
      },
    ],
  })
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const expected = stated({
    source: 'osv',
    sourceName: 'GO-2024-0001',
    updatedAt: '2024-05-01T08:00:00.000Z',
    title: 'A fault in widget',
    description: 'Long text.',
    metrics: [cvss('3.1', 9.8, { baseSeverity: 'CRITICAL', vector })],
    weaknesses: ['cwe-79'],
    affected: [
      affected({
        source: 'osv',
        package_name: 'github.com/acme/widget',
        ecosystem: 'Go',
        affected_versions: ['1.0.0', '1.1.0'],
        affected_ranges: [{ introduced: '0', fixed: '1.2.0', version_type: 'semver' }],
        patched_versions: ['1.2.0'],
        package_url: 'pkg:golang/github.com/acme/widget',
        updated_at: '2024-05-01T08:00:00.000Z',
      }),
    ],
    references: [
      { url: 'https://example.com/fix', name: null, tags: ['patch'] },
      { url: 'https://example.com/page', name: null, tags: [] },
      { url: 'https://example.com/advisory', name: null, tags: ['advisory'] },
      { url: 'https://github.com/acme/widget', name: null, tags: ['package', 'report'] },
    ],
  })
  assert.equal(claim, { ...expected, notes: [] })
})

claims(
  'it is about the CVEs of its own id, its aliases and its upstream, never of what is merely related',
  async () => {
    const [item] = await read({
      id: 'CVE-2024-0003',
      modified: DATE,
      aliases: ['GHSA-aaaa-bbbb-cccc', 'CVE-2024-0002', 'CVE-2024-0002'],
      upstream: ['CVE-2023-10000', 'DEBIAN-CVE-2023-1'],
      related: ['CVE-2024-0009'],
    })
    assert.ok(item?.kind === 'claim')
    assert.equal(item.cveIds, ['CVE-2023-10000', 'CVE-2024-0002', 'CVE-2024-0003'])
    assert.is(item.statedAt, '2024-05-01T08:00:00.000Z')
  },
)

claims('rule 29: a withdrawn entry, and one about no CVE, is kept by its key and claims nothing', async () => {
  const items = await read(
    { id: 'GO-2024-0001', modified: DATE, aliases: ['CVE-2024-0001'], withdrawn: '2024-06-01T00:00:00Z' },
    { id: 'MAL-2024-1', modified: DATE, related: ['CVE-2024-0001'] },
  )
  assert.equal(
    items.map((item) => item.kind === 'claim' && [item.key, item.cveIds, item.body, item.statedAt]),
    [
      ['GO-2024-0001', [], 'null', '2024-05-01T08:00:00.000Z'],
      ['MAL-2024-1', [], 'null', '2024-05-01T08:00:00.000Z'],
    ],
  )
})

claims(
  'the placeholder of the Go database is no date: publication dates the claim, else the epoch, noted',
  async () => {
    const placeholder = '0001-01-01T00:00:00Z'
    const published = await claimOf({ modified: placeholder, published: '2021-04-14T20:04:52Z' })
    assert.equal([published.updatedAt, published.notes], ['2021-04-14T20:04:52.000Z', []])
    const [item] = await read({
      id: 'GO-1-1',
      aliases: ['CVE-2024-0001'],
      modified: placeholder,
      published: placeholder,
    })
    assert.ok(item?.kind === 'claim')
    assert.is(item.statedAt, null)
    assert.is((JSON.parse(item.body) as CveClaim).updatedAt, '1970-01-01T00:00:00.000Z')
    assert.equal(item.notes, [
      { code: 'date-missing', detail: 'no date in GO-1-1, so it is of 1970-01-01T00:00:00.000Z' },
    ])
  },
)

claims(
  'severities of the packages count, each vector once; what is no vector is noted, what is no CVSS is passed over',
  async () => {
    const vector = 'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H'
    const claim = await claimOf({
      severity: [
        { type: 'CVSS_V3', score: vector },
        { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' },
        { type: 'Ubuntu', score: 'medium' },
      ],
      affected: [
        {
          package: { ecosystem: 'npm', name: 'a' },
          severity: [
            { type: 'CVSS_V3', score: vector },
            { type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
          ],
        },
      ],
    })
    assert.equal(
      claim.metrics.map((metric) => [metric.version, metric.baseScore, metric.baseSeverity]),
      [
        ['3.0', 7.5, 'HIGH'],
        ['2.0', 7.5, 'HIGH'],
      ],
    )
    assert.equal(claim.notes, ['cvss-unreadable: "CVSS_V3" "CVSS:3.1/AV:N"'])
  },
)

claims('the ranges of a package add up, with its repository and with those of versions of no Go module', async () => {
  const { affected } = await claimOf({
    affected: [
      {
        package: { ecosystem: 'Go', name: 'acme.example/widget', purl: 'pkg:golang/other' },
        ranges: [
          { type: 'SEMVER', events: [{ introduced: '0' }] },
          { type: 'GIT', repo: 'https://example.com/widget.git', events: [{ introduced: '0' }, { fixed: 'c0ffee1' }] },
        ],
        ecosystem_specific: {
          custom_ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '11.6.2' }] }],
        },
      },
      { ranges: [{ type: 'GIT', repo: 'https://example.com/b.git', events: [{ introduced: 'a1' }] }] },
      { package: {} },
    ],
  })
  assert.is(affected.length, 2)
  assert.equal(affected[0]?.affected_ranges, [
    { introduced: '0', fixed: null, version_type: 'semver' },
    { introduced: '0', fixed: 'c0ffee1', version_type: 'git' },
    { introduced: '0', fixed: '11.6.2', version_type: 'ecosystem' },
  ])
  assert.equal(affected[0]?.patched_versions, ['11.6.2'])
  assert.is(affected[0]?.repo_url, 'https://example.com/widget.git')
  assert.is(affected[0]?.package_url, 'pkg:golang/other')
  assert.equal([affected[1]?.package_name, affected[1]?.repo_url], [null, 'https://example.com/b.git'])
})

claims('CPEs of an entry are those of its package, where it has only one', async () => {
  const package_ = (name: string) => ({ package: { ecosystem: 'Bitnami', name } })
  const database_specific = { cpes: ['cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*'] }
  assert.equal(
    (await claimOf({ database_specific, affected: [package_('a')] })).affected[0]?.cpes,
    database_specific.cpes,
  )
  const two = await claimOf({ database_specific, affected: [package_('a'), package_('b')] })
  assert.equal(
    two.affected.map(({ cpes }) => cpes),
    [null, null],
  )
})

claims('an entry under another name, and what is no entry, is skipped by name', async () => {
  const path = writeEntries(join(folder.path, 'names.zip'), [{ id: 'GO-1-1' }], () => 'GO-1-2.json')
  const items = [...(await entryItems('osv', path)), ...(await read({ id: '' }))]
  assert.equal(
    items.map((item) => item.kind === 'skip' && [item.key, item.reason, item.detail]),
    [['GO-1-2', 'id_differs_from_name', 'the file of GO-1-2 contains GO-1-1']],
  )
})

claims('an entry whose file has another character for the colon is stored under its id', async () => {
  const names: Record<string, string> = {
    'RLSA-2099:1': 'RLSA-2099_1.json',
    'SUSE-SU-2099:0008-1': 'SUSE-SU-2099%3A0008-1.json',
    'openSUSE-SU-2099:0009-1': 'openSUSE-SU-2099_0009-1.json',
    'RHSA-2099:2': 'RHSA-2099:2.json',
  }
  const ids = Object.keys(names)
  const entries = ids.map((id) => ({ id }))
  const items = await entryItems(
    'osv',
    writeEntries(join(folder.path, 'colons.zip'), entries, ({ id }) => names[id!]!),
  )
  assert.equal(
    items.map(({ kind, key }) => [kind, key]),
    ids.map((id) => ['claim', id]),
  )
})

claims.run()

const real = suiteNeeding('real exports', 'real feeds')

async function realClaims(ecosystem: string) {
  const items = await entryItems('osv', join(REAL_FEEDS, 'osv', ecosystem, 'all.zip'))
  const stated = items.map((item) => {
    assert.ok(item.kind === 'claim')
    return item
  })
  const about = stated.filter(({ cveIds }) => cveIds.length > 0)
  const read = about.map(({ body }) => JSON.parse(body) as CveClaim)
  const entries = read.flatMap(({ affected }) => affected)
  const notes: Record<string, number> = {}
  for (const { code } of stated.flatMap((item) => item.notes)) notes[code] = (notes[code] ?? 0) + 1
  return {
    items: items.length,
    about: about.length,
    cves: new Set(about.flatMap(({ cveIds }) => cveIds)).size,
    entries: entries.length,
    ranges: entries.flatMap(({ affected_ranges }) => affected_ranges ?? []).length,
    patched: entries.flatMap(({ patched_versions }) => patched_versions ?? []).length,
    metrics: read.flatMap(({ metrics }) => metrics).length,
    fixes: read.flatMap(({ references }) => references).filter(({ tags }) => tags.includes('patch')).length,
    empty: entries.filter((one) => one.affected_ranges === null || one.package_url === null).length,
    notes,
  }
}

// The counts were computed with jq. Every "introduced" event begins its own range, except in a few malformed ranges.
real('Go: withdrawn entries and those without a CVE claim nothing, the others everything that they state', async () => {
  assert.equal(await realClaims('Go'), {
    items: 4291,
    about: 3883,
    cves: 3902,
    entries: 5526,
    ranges: 7758 - 6,
    patched: 5672,
    metrics: 0,
    fixes: 3047,
    empty: 0,
    notes: { 'date-missing': 3634, 'range-unreadable': 6 },
  })
})

real('Bitnami: one package an entry, and every vector can be read', async () => {
  assert.equal(await realClaims('Bitnami'), {
    items: 7444,
    about: 7444,
    cves: 5830,
    entries: 7444,
    ranges: 19852 - 6,
    patched: 19578,
    metrics: 7433,
    fixes: 0,
    empty: 0,
    notes: { 'range-unreadable': 6 },
  })
})
real.after(folder.remove)

real.run()
