/** Which advisories of a package match a version, and the rows that they form. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import {
  type AffectedRow,
  affectedRows,
  type CveFacts,
  MAX_ROW_COMPARISONS,
} from '../../../../corpus/model/packages/affected-row.ts'
import {
  MAX_ADVISORY_VERSIONS,
  MAX_PACKAGE_VERSIONS,
  matchAdvisories,
  type PackageQuery,
  prepareAdvisories,
  versionCount,
} from '../../../../corpus/model/packages/match.ts'
import { type PackageAdvisory, packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import type { JsonObject } from '../../../../corpus/model/values/json-value.ts'
import { finished } from '../../../../corpus/runtime/steps.ts'

type Events = Record<string, string>[]
const FROM_1_TO_2: Events = [{ introduced: '1.0.0' }, { fixed: '2.0.0' }]

const entry = (events: Events | null, versions: string[] = [], ecosystem = 'npm') => ({
  package: { ecosystem, name: 'a' },
  ranges: events ? [{ type: 'ECOSYSTEM', events }] : [],
  versions,
})

function advisory(id: string, record: JsonObject = {}): PackageAdvisory {
  const [statement] = packageStatements({ id, affected: [entry(FROM_1_TO_2)], ...record })
  return statement!.advisory
}

const queryOf = (version: string | null, ecosystem = 'npm'): PackageQuery => ({ ecosystem, version })

const FACTS: CveFacts = { severity: 'high', cvss_score: 8, kev: false, has_exploit: false, epss: null }

interface Known {
  aliases?: string[][]
  cves?: Record<string, Partial<CveFacts>>
}

function rowsOf(advisories: PackageAdvisory[], query = queryOf('1.5.0'), { aliases = [], cves = {} }: Known = {}) {
  const sources = {
    advisories: [advisories],
    aliasesOf: (id: string) => aliases.find((set) => set.includes(id)) ?? null,
    cve: (id: CveId) => (cves[id] ? { ...FACTS, ...cves[id] } : null),
  }
  return finished(affectedRows(matchAdvisories(advisories, query, { preferList: true }), query, sources))
}
function rowOf(...parameters: Parameters<typeof rowsOf>): AffectedRow {
  const rows = rowsOf(...parameters)
  assert.is(rows.length, 1)
  return rows[0]!
}
const idsOf = (rows: AffectedRow[]) => rows.map((row) => row.advisory_id)

const match = suite('match')

match('advisories that affect or may affect the version are returned, in their order', () => {
  const list = [
    advisory('C'),
    advisory('B', { affected: [entry([{ introduced: '2.0.0' }])] }),
    advisory('A', { affected: [entry([{ introduced: '0' }, { fixed: 'x y' }])] }),
  ]
  const found = (version: string) =>
    matchAdvisories(list, queryOf(version), { preferList: false }).map((one) => [one.advisory.id, one.verdict])
  assert.equal(found('1.5.0'), [
    ['C', 'affected'],
    ['A', 'undecided'],
  ])
  assert.equal(found('2.0.0'), [
    ['B', 'affected'],
    ['A', 'undecided'],
  ])
  assert.equal(
    found('latest').map(([, verdict]) => verdict),
    ['undecided', 'undecided', 'undecided'],
  )
})

match('one affected entry of an advisory is enough; else one undecided entry', () => {
  const undecided = entry([{ introduced: '0' }, { fixed: 'x y' }])
  const three = advisory('A', { affected: [undecided, entry([{ introduced: '3.0.0' }]), entry(null, ['1.0.0'])] })
  const found = (version: string) => matchAdvisories([three], queryOf(version), { preferList: false })[0]
  assert.equal(found('3.1.0')?.matched, { kind: 'range', introduced: '3.0.0', fixed: null, last_affected: null })
  assert.equal(found('1.0')?.matched, { kind: 'version', version: '1.0' })
  assert.equal([found('2.0.0')?.verdict, found('2.0.0')?.matched], ['undecided', null])
})

match('without a version every advisory is undecided, except those of other releases', () => {
  const releases = ['Debian:11', 'Debian:12', 'Debian'].map((ecosystem) =>
    advisory(ecosystem, { affected: [entry([{ introduced: '0' }], [], ecosystem)] }),
  )
  const found = (ecosystem: string) =>
    matchAdvisories(releases, queryOf(null, ecosystem), { preferList: false }).map((one) => {
      assert.equal([one.verdict, one.matched], ['undecided', null])
      return one.advisory.id
    })
  assert.equal(found('Debian'), ['Debian:11', 'Debian:12', 'Debian'])
  assert.equal(found('Debian:12'), ['Debian:12', 'Debian'])
})

match('the list of a malicious package precedes a range of everything, if the caller prefers it', () => {
  const affected = [entry([{ introduced: '0' }], ['1.0.1'])]
  const list = [advisory('GHSA-1', { affected }), advisory('MAL-1', { affected })]
  const found = (version: string, preferList: boolean) =>
    matchAdvisories(list, queryOf(version), { preferList }).map((one) => one.advisory.id)
  assert.equal(found('1.0.0', true), ['GHSA-1'])
  assert.equal(found('1.0.1', true), ['GHSA-1', 'MAL-1'])
  assert.equal(found('1.0.0', false), ['GHSA-1', 'MAL-1'])
  const debian = [advisory('DSA-1', { affected: [entry([{ introduced: '0' }], ['1.0.1'], 'Debian:12')] })]
  assert.is(matchAdvisories(debian, queryOf('1.0.0', 'Debian:12'), { preferList: true })[0]?.verdict, 'affected')
})

const grouping = suite('grouping')

grouping('advisories that alias each other are one row: directly, through the alias table, through others', () => {
  const direct = [advisory('GHSA-1', { aliases: ['PYSEC-1'] }), advisory('PYSEC-1')]
  assert.equal(idsOf(rowsOf(direct)), ['GHSA-1'])
  const shared = [advisory('A', { aliases: ['CVE-2024-0001'] }), advisory('B', { aliases: ['CVE-2024-0001'] })]
  assert.equal(idsOf(rowsOf(shared)), ['A'])
  const apart = [advisory('A'), advisory('B')]
  assert.equal(idsOf(rowsOf(apart)), ['A', 'B'])
  assert.equal(idsOf(rowsOf(apart, undefined, { aliases: [['A', 'B', 'X']] })), ['A'])
  const chain = [
    ...[advisory('A', { aliases: ['X'] }), advisory('D', { aliases: ['Z'] }), advisory('B', { aliases: ['Y'] })],
    advisory('C', { aliases: ['Y', 'X', 'Z'] }),
  ]
  assert.equal(idsOf(rowsOf(chain)), ['A'])
  const table = { aliases: [['X', 'Y', 'only in the table']] }
  const row = rowOf([advisory('A', { aliases: ['X'] }), advisory('B', { aliases: ['Y'] })], undefined, table)
  assert.equal(row.aliases, ['B', 'X', 'Y', 'only in the table'])
})

grouping('aliases are all other ids, by code points; CVEs are those of all advisories, by number', () => {
  const row = rowOf([
    advisory('B', { aliases: ['\u{1f600}', '\ue000', 'CVE-2024-10000'] }),
    advisory('A', { aliases: ['CVE-2024-10000', 'CVE-2024-9999'], upstream: ['CVE-2023-0001'] }),
  ])
  assert.is(row.advisory_id, 'A')
  assert.equal(row.aliases, ['B', 'CVE-2024-10000', 'CVE-2024-9999', '\ue000', '\u{1f600}'])
  assert.equal(row.cve_ids, ['CVE-2023-0001', 'CVE-2024-9999', 'CVE-2024-10000'])
})

grouping('a CVE that only the alias table names is a CVE of the row', () => {
  const known = {
    aliases: [['B', 'CVE-2024-0001']],
    cves: { 'CVE-2024-0001': { severity: 'low' as const, kev: true } },
  }
  const row = rowOf([advisory('A', { aliases: ['B'] })], undefined, known)
  assert.equal([row.cve_ids, row.severity, row.kev], [['CVE-2024-0001'], 'low', true])
})

grouping('an affected advisory precedes an undecided one, then GitHub, then the lowest id', () => {
  const aliases = ['X']
  const undecided = advisory('GHSA-0', { aliases, affected: [entry([{ introduced: '0' }, { fixed: 'x y' }])] })
  const row = rowOf([undecided, advisory('PYSEC-1', { aliases }), advisory('GO-1', { aliases })])
  assert.equal([row.advisory_id, row.verdict], ['GO-1', 'affected'])
  const github = [advisory('BIT-1', { aliases }), advisory('GHSA-2', { aliases }), advisory('GHSA-1', { aliases })]
  assert.equal(idsOf(rowsOf(github)), ['GHSA-1'])
  assert.equal([rowOf([undecided]).verdict, rowOf([undecided]).matched_by], ['undecided', null])
})

grouping('ids that are names of properties are ids', () => {
  const list = ['__proto__', 'constructor', 'toString'].map((id) => advisory(id))
  assert.equal(idsOf(rowsOf(list)), ['__proto__', 'constructor', 'toString'])
  assert.is(rowsOf([advisory('A', { aliases: ['__proto__'] }), advisory('__proto__')]).length, 1)
})

grouping('5,000 advisories are grouped, in one set or in many', () => {
  const ids = Array.from({ length: 5000 }, (_, i) => `X-${String(i).padStart(4, '0')}`)
  assert.equal(idsOf(rowsOf(ids.map((id) => advisory(id)))), ids)
  const chain = ids.map((id, i) => advisory(id, { aliases: [ids[i + 1] ?? 'last'] }))
  assert.is(rowOf(chain.toReversed()).aliases.length, 5000)
  const table = { aliases: [ids] }
  assert.is(
    rowOf(
      ids.map((id) => advisory(id)),
      undefined,
      table,
    ).aliases.length,
    4999,
  )
})

const rows = suite('rows')

rows('they are sorted by severity, KEV, EPSS, id', () => {
  const names = ['low', 'none', 'unknown', 'critical', 'plain', 'kev', 'epss', 'more', 'again']
  const list = names.map((name, i) => advisory(name, { aliases: name === 'unknown' ? [] : [`CVE-2024-000${i}`] }))
  const cves = Object.fromEntries(
    names.map((name, i): [string, Partial<CveFacts>] => [
      `CVE-2024-000${i}`,
      {
        severity: name === 'low' || name === 'none' || name === 'critical' ? name : 'high',
        kev: name === 'kev',
        epss: name === 'epss' ? 0.1 : name === 'more' ? 0.2 : null,
      },
    ]),
  )
  const sorted = ['critical', 'kev', 'more', 'epss', 'again', 'plain', 'low', 'none', 'unknown']
  assert.equal(idsOf(rowsOf(list, undefined, { cves })), sorted)
  assert.equal(idsOf(rowsOf(list.toReversed(), undefined, { cves })), sorted)
})

rows('severity and score are those of the CVE with the highest score; the other facts those of any CVE', () => {
  const one = advisory('A', {
    aliases: ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003', 'CVE-2024-0004'],
    database_specific: { severity: 'CRITICAL' },
  })
  const cves: Known['cves'] = {
    'CVE-2024-0001': { severity: 'low', cvss_score: 2, kev: true, epss: 0.3 },
    'CVE-2024-0002': { severity: 'medium', cvss_score: 6, epss: 0.9 },
    'CVE-2024-0003': { severity: null, cvss_score: null, has_exploit: true },
  }
  const { severity, cvss_score, kev, epss, has_exploit } = rowOf([one], undefined, { cves })
  assert.equal([severity, cvss_score, kev, epss, has_exploit], ['medium', 6, true, 0.9, true])
  const zero = rowOf([one], undefined, { cves: { 'CVE-2024-0001': { epss: 0 } } })
  assert.equal([zero.kev, zero.epss, zero.has_exploit], [false, 0, false])
})

rows('without a rated CVE, severity, score and summary are those of the first advisory that has them', () => {
  const severity = [{ score: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N' }]
  const bare = advisory('GHSA-1', { aliases: ['CVE-2024-0001'] })
  const full = advisory('PYSEC-1', { aliases: ['CVE-2024-0001'], severity, summary: 'A flaw' })
  const cves = { 'CVE-2024-0001': { severity: null, cvss_score: null, kev: true } }
  const row = rowOf([bare, full], undefined, { cves })
  assert.equal([row.advisory_id, row.severity, row.cvss_score], ['GHSA-1', 'low', 3.1])
  assert.equal([row.summary, row.kev, row.epss], ['A flaw', true, null])
  const none = rowOf([bare])
  assert.equal([none.severity, none.cvss_score, none.summary, none.kev], [null, null, null, false])
})

rows('the match names the range or the version, and its advisory', () => {
  const range = rowOf([advisory('GHSA-1', { aliases: ['PYSEC-1'] }), advisory('PYSEC-1')])
  assert.equal(range.matched_by, {
    kind: 'range',
    introduced: '1.0.0',
    fixed: '2.0.0',
    last_affected: null,
    source: 'GHSA-1',
  })
  const bounds = { introduced: null, fixed: null, last_affected: null }
  const listed = rowOf([advisory('A', { affected: [entry(null, ['1.5.0'])] })])
  assert.equal(listed.matched_by, { kind: 'version', ...bounds, source: 'A' })
  const last = advisory('A', { affected: [entry([{ introduced: '0' }, { last_affected: '1.6.0' }])] })
  assert.is(rowOf([last]).matched_by?.last_affected, '1.6.0')
  assert.is(rowOf([last], queryOf(null)).matched_by, null)
})

rows('dates are those of the advisory', () => {
  const dates = { published: '2024-01-01', modified: '2024-01-02' }
  const other = advisory('B', { aliases: ['A'], published: '2023-01-01', modified: '2025-01-01' })
  const { published_at, modified_at } = rowOf([other, advisory('A', dates)])
  assert.equal([published_at, modified_at], ['2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z'])
})

rows('fixed versions are above the version asked for, ascend, and are unique', () => {
  const branches = entry([
    ...[{ introduced: '0' }, { fixed: '1.10.0' }, { introduced: '2.0.0' }, { fixed: '2.0.3' }],
    ...[{ introduced: '3.0.0' }, { last_affected: '3.1.0' }],
  ])
  const list = [
    advisory('A', { aliases: ['B'], affected: [branches] }),
    advisory('B', { affected: [entry([{ introduced: '0' }, { fixed: '1.10' }])] }),
    advisory('C', { aliases: ['B'], affected: [entry([{ introduced: '0' }, { fixed: '1.10.0' }])] }),
  ]
  const fixed = (version: string | null) => rowOf(list, queryOf(version)).fixed_versions
  assert.equal(fixed('1.5.0'), ['1.10', '2.0.3'])
  assert.equal(fixed('2.0.1'), ['2.0.3'])
  assert.equal(fixed('3.0.0'), [])
  assert.equal(fixed(null), ['1.10', '2.0.3'])
  assert.equal(fixed('latest'), ['1.10', '2.0.3'])
})

rows('fixed versions have the order in which ranges are evaluated; unreadable ones come last', () => {
  const packagist = [entry([{ introduced: '0' }, { fixed: '1.0' }, { introduced: '1.0.0' }], ['1.0'], 'Packagist')]
  assert.equal(rowOf([advisory('A', { affected: packagist })], queryOf('1.0.0', 'Packagist')).fixed_versions, [])
  const events = [{ introduced: '0' }, { fixed: 'b c' }, { fixed: 'a b' }, { fixed: '3.0' }]
  assert.equal(rowOf([advisory('A', { affected: [entry(events)] })]).fixed_versions, ['3.0', 'a b', 'b c'])
  const android = [entry([{ introduced: '0' }, { fixed: '9' }, { fixed: '10' }], ['8'], 'Android')]
  assert.equal(rowOf([advisory('A', { affected: android })], queryOf('8', 'Android')).fixed_versions, ['10', '9'])
})

rows('a fixed version that another advisory of the row affects is no fixed version', () => {
  const list = [
    advisory('GHSA-1', { aliases: ['PYSEC-1'], affected: [entry([{ introduced: '0' }, { fixed: '2.0.0' }])] }),
    advisory('PYSEC-1', { affected: [entry(null, ['2.0.0'])] }),
    advisory('GHSA-2', { affected: [entry([{ introduced: '0' }, { fixed: '2.0.0' }], ['2.0.0'])] }),
    advisory('GHSA-3', { affected: [entry([{ introduced: '0' }, { fixed: '2.0.0' }])] }),
  ]
  assert.equal(
    rowsOf(list).map((row) => [row.advisory_id, row.fixed_versions]),
    [
      ['GHSA-1', []],
      ['GHSA-2', []],
      ['GHSA-3', ['2.0.0']],
    ],
  )
})

/** An advisory with `count` versions and events, the entry included. */
const sized = (id: string, count: number, ecosystem = 'npm') =>
  advisory(id, {
    affected: [
      entry(
        null,
        Array.from({ length: count - 1 }, (_, i) => `${i}.0.0`),
        ecosystem,
      ),
    ],
  })

match('an advisory with more versions than are compared is undecided', () => {
  const verdicts = (version: string, ...list: PackageAdvisory[]) =>
    matchAdvisories(list, queryOf(version), { preferList: false }).map(({ verdict, reason }) => [verdict, reason])
  const largest = sized('A', MAX_ADVISORY_VERSIONS)
  assert.equal(verdicts('1.0.0', largest), [['affected', null]])
  assert.equal(verdicts('0.5.0', largest), [])
  const tooLarge = sized('A', MAX_ADVISORY_VERSIONS + 1)
  assert.equal(verdicts('0.5.0', tooLarge), [['undecided', 'too_large']])
  assert.equal(verdicts('1.5.0', tooLarge, advisory('B')), [
    ['undecided', 'too_large'],
    ['affected', null],
  ])
  assert.is(versionCount([tooLarge, advisory('B')]), MAX_ADVISORY_VERSIONS + 1 + 3)
})

match('of a package with more versions than are compared, the largest advisories are undecided', () => {
  const shared = sized('A', MAX_ADVISORY_VERSIONS)
  const fit = MAX_PACKAGE_VERSIONS / MAX_ADVISORY_VERSIONS
  const list = Array.from({ length: fit }, (_, i) => ({ ...shared, id: `A-${i}` }))
  const undecided = (advisories: PackageAdvisory[]) =>
    matchAdvisories(advisories, queryOf('0.5.0'), { preferList: false }).map(({ advisory: { id }, reason }) => [
      id,
      reason,
    ])
  assert.equal(undecided(list), [])
  assert.equal(undecided([...list, advisory('B'), sized('C', MAX_ADVISORY_VERSIONS - 3)]), [
    [`A-${fit - 1}`, 'too_large'],
  ])
})

match('versions of other releases of a distribution do not count', () => {
  const list = [sized('A', MAX_ADVISORY_VERSIONS + 1, 'Debian:11'), sized('B', 3, 'Debian:12')]
  const reasons = (ecosystem: string) =>
    matchAdvisories(list, queryOf('7.5', ecosystem), { preferList: false }).map(({ advisory: { id }, reason }) => [
      id,
      reason,
    ])
  assert.equal(reasons('Debian:12'), [])
  assert.equal(reasons('Debian:11'), [['A', 'too_large']])
})

match('an advisory that is too large for a snapshot is undecided in the releases that it names', () => {
  const stated = advisory('A', { affected: [entry(null, [], 'Debian:12')] })
  const list: PackageAdvisory[] = [{ ...stated, is_too_large: true }]
  const reasons = (ecosystem: string) =>
    matchAdvisories(list, queryOf('1.0', ecosystem), { preferList: false }).map(({ reason }) => reason)
  assert.equal(reasons('Debian:12'), ['too_large'])
  assert.equal(reasons('Debian:11'), [])
})

match('a package is prepared advisory by advisory', () => {
  const list = [advisory('A'), advisory('B'), sized('C', MAX_ADVISORY_VERSIONS + 1)]
  assert.is([...prepareAdvisories(list, queryOf('1.5.0'))].length, 2)
  assert.equal([...prepareAdvisories(list, queryOf(null))], [])
})

rows('the fixed versions of a row are compared up to a bound, and those of an answer', () => {
  const fixes = (count: number) =>
    Array.from({ length: count }, (_, i) => [{ introduced: `${i}.1.0` }, { fixed: `${i}.2.0` }]).flat()
  const wide = (count: number) =>
    advisory('A', { affected: [entry(fixes(500)), ...Array(count - 1).fill(entry(fixes(1)))] })
  assert.is(rowOf([wide(40)], queryOf('0.1.0')).fixed_versions.length, MAX_ROW_COMPARISONS / 40)
  assert.is(rowOf([wide(80)], queryOf('0.1.0')).fixed_versions.length, MAX_ROW_COMPARISONS / 80)
  // Without a version too, an advisory that states too much has no fixes.
  const events = fixes(MAX_ADVISORY_VERSIONS / 2)
  const tooLarge = advisory('A', { affected: [entry(events), entry(FROM_1_TO_2)] })
  for (const version of ['0.1.0', null]) assert.equal(rowOf([tooLarge], queryOf(version)).fixed_versions, [])
  // Each comparison with a fix costs as many steps as the advisory has entries.
  const [one, other] = ['B', 'C'].map((id) => advisory(id, { affected: [entry(fixes(5)), entry(null, ['0.1.0'])] }))
  const query = queryOf('0.1.0')
  const matches = matchAdvisories([one!, other!], query, { preferList: true })
  const sources = { advisories: [[one!, other!]], aliasesOf: () => null, cve: () => null }
  const within = (left: number) =>
    finished(affectedRows(matches, query, sources, { left })).map((row) => row.fixed_versions.length)
  assert.equal(within(20), [5, 5])
  assert.equal(within(15), [5, 2])
})

rows('the severity is the band of the score shown; the rating of the publisher differs from it', () => {
  const severity = [{ type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U' }]
  const rated = (stated: string | undefined, vectors: object[] = severity) =>
    advisory('GHSA-1', { severity: vectors, database_specific: { severity: stated } })
  const shown = (one: PackageAdvisory, known: Known = {}) => {
    const row = rowOf([one], undefined, known)
    return [row.severity, row.cvss_score, row.stated_severity]
  }
  assert.equal(shown(rated('CRITICAL')), ['high', 8.1, 'critical'])
  assert.equal(shown(rated('HIGH')), ['high', 8.1, null])
  assert.equal(shown(rated(undefined)), ['high', 8.1, null])
  assert.equal(shown(rated('LOW', [])), ['low', null, null])
  assert.equal(shown(rated(undefined, [])), [null, null, null])
  const cve = advisory('GHSA-1', { aliases: ['CVE-2026-0001'], database_specific: { severity: 'LOW' } })
  assert.equal(shown(cve, { cves: { 'CVE-2026-0001': { severity: 'critical', cvss_score: 9.8 } } }), [
    'critical',
    9.8,
    'low',
  ])
  const others = [
    rated('LOW', []),
    advisory('PYSEC-1', { aliases: ['GHSA-1'], database_specific: { severity: 'HIGH' } }),
  ]
  assert.is(rowOf(others).stated_severity, 'high')
})

rows('what Debian calls unimportant is shown as such, in the release that decides', () => {
  const debian = (release: string, urgency?: string) => ({
    ...entry([{ introduced: '0' }], [], release),
    ecosystem_specific: { urgency },
  })
  const one = advisory('DEBIAN-1', { affected: [debian('Debian:12', 'unimportant'), debian('Debian:13', 'low')] })
  const urgencyIn = (ecosystem: string) => rowOf([one], queryOf('1', ecosystem)).urgency
  assert.equal([urgencyIn('Debian:12'), urgencyIn('Debian:13')], ['unimportant', null])
  const other = advisory('DSA-1', { aliases: ['DEBIAN-1'], affected: [debian('Debian:12')] })
  assert.is(rowOf([one, other], queryOf('1', 'Debian:12')).urgency, null)
})

rows('an undecided row states why', () => {
  const reasonOf = (version: string | null, ecosystem = 'npm', affected = entry(FROM_1_TO_2, [], ecosystem)) =>
    rowOf([advisory('A', { affected: [affected] })], queryOf(version, ecosystem)).undecided_reason
  assert.is(reasonOf('1.5.0'), null)
  assert.is(reasonOf(null), 'no_version')
  assert.is(reasonOf('latest'), 'version')
  assert.is(reasonOf('1', 'Android'), 'no_order')
  assert.is(reasonOf('1.5.0', 'npm', entry([{ introduced: '0' }, { fixed: 'x y' }])), 'event')
  assert.is(reasonOf('1.5.0', 'Debian', entry(FROM_1_TO_2, [], 'Debian:12')), 'release')
  const before15 = entry([{ introduced: '0' }, { fixed: '1.5.0' }], [], 'GitHub Actions')
  assert.is(reasonOf('v1', 'GitHub Actions', before15), 'floating')
})

rows('fixed versions of other releases do not count, nor those of undecided advisories in an affected row', () => {
  const fixedIn = (fixed: string, release: string) => entry([{ introduced: '0' }, { fixed }], [], release)
  const debian = advisory('DSA-1', { affected: [fixedIn('2', 'Debian:11'), fixedIn('3', 'Debian:12')] })
  assert.equal(rowOf([debian], queryOf('1', 'Debian:12')).fixed_versions, ['3'])
  assert.equal(rowOf([debian], queryOf('1', 'Debian')).fixed_versions, [])
  const ubuntu = advisory('USN-1', { affected: [fixedIn('2', 'Ubuntu:22.04:LTS')] })
  assert.equal(rowOf([ubuntu], queryOf('1', 'Ubuntu:22.04')).fixed_versions, ['2'])
  const broken = advisory('B', {
    aliases: ['A'],
    affected: [entry([{ introduced: '0' }, { fixed: '9.0.0' }, { fixed: 'x y' }])],
  })
  assert.equal(rowOf([advisory('A'), broken]).fixed_versions, ['2.0.0'])
})

match.run()
grouping.run()
rows.run()
