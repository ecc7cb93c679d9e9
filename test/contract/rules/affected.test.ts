/**
 * Rule 24 of RULES.md: what a record's version statements become, asked of `/affected`. All forms of statements:
 * test/corpus/model/affected/ranges.test.ts.
 */
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { container, cveList, ghsaZip, nvdPage, nvdRecord, osvEntry } from '../support/upstream.ts'

interface Entry {
  source: string
  vendor: string | null
  product: string | null
  default_status: string | null
  affected_versions: string[] | null
  affected_ranges: object[] | null
  patched_versions: string[] | null
  updated_at: string
}

type Version = Record<string, unknown>

const contract = contractSuite('rules, affected versions')
const { rule } = contract

/** A member of `versions[]`: `of('1.0', { lessThan: '2.0' })`. */
const of = (version: string | undefined, more: Version = {}): Version => ({ version, status: 'affected', ...more })
const fine = (version: string, more: Version = {}): Version => ({ version, status: 'unaffected', ...more })
const range = (introduced: string, fixed: string | null, version_type: string | null = null) => ({
  introduced,
  fixed,
  version_type,
})
const upTo = (introduced: string, last_affected: string, version_type: string | null = null) => ({
  ...range(introduced, null, version_type),
  last_affected,
})
/** What is affected: single versions, ranges, patched versions. */
type Lists = [versions: string[] | null, ranges: object[] | null, patched?: string[] | null]

interface Case {
  versions: Version[]
  defaultStatus?: string
  is: Lists
}

const BOUNDS: Case[] = [
  { versions: [of('1.0', { lessThan: '2.0', versionType: 'semver' })], is: [null, [range('1.0', '2.0', 'semver')]] },
  { versions: [of('1.0', { lessThanOrEqual: '1.9' })], is: [null, [upTo('1.0', '1.9')]] },
  { versions: [of('1.0', { lessThan: '1.0' }), of('1.1'), of('1.0')], is: [['1.0', '1.1'], null] },
]

const changed = (start: string, lessThan: string, ...changes: [at: string, status: string][]) =>
  of(start, { lessThan, changes: changes.map(([at, status]) => ({ at, status })) })
const CHANGES: Case[] = [
  { versions: [changed('1.0', '3.0', ['1.5', 'unaffected'])], is: [null, [range('1.0', '1.5')]] },
  // Literally and in order, whatever the versions look like.
  {
    versions: [changed('5', '9', ['7', 'unaffected'], ['6', 'affected'])],
    is: [null, [range('5', '7'), range('6', '9')]],
  },
]

const STARTS: Case[] = [
  ...['*', 'n/a'].map((start) => ({
    versions: [of(start, { lessThan: '2.0' })],
    is: [null, [range('0', '2.0')]] as Lists,
  })),
  { versions: [of('1.0', { lessThan: '*' })], is: [null, [range('1.0', null)]] },
  { versions: [of('unspecified')], is: [null, null] },
  { versions: [of('all')], is: [null, [range('0', null)]] },
]

const COMPARATORS: Case[] = [
  { versions: [of('<= 2')], is: [null, [upTo('0', '2')]] },
  { versions: [of('>= 1.0, < 1.2.3', { versionType: 'custom' })], is: [null, [range('1.0', '1.2.3', 'custom')]] },
  { versions: [of('2.x and others')], is: [['2.x and others'], null] },
]

const UNAFFECTED: Case[] = [
  { versions: [fine('1.0'), fine('2.0', { lessThan: '3.0' })], is: [null, null] },
  // As the Linux kernel writes it.
  {
    versions: [
      of('4.2'),
      fine('0', { lessThan: '4.2', versionType: 'semver' }),
      fine('5.15.154', { lessThanOrEqual: '5.15.*', versionType: 'semver' }),
      fine('6.8', { lessThanOrEqual: '*', versionType: 'original_commit_for_fix' }),
    ],
    defaultStatus: 'affected',
    is: [['4.2'], [range('4.2', '6.8', 'original_commit_for_fix')], ['5.15.154', '6.8']],
  },
]

const UNKNOWN: Case[] = [
  { versions: [{ version: '1.0', status: 'unknown' }], is: [null, null] },
  { versions: [{ version: '1.0', lessThan: '2.0', status: 'unknown' }, of('3.0')], is: [['3.0'], null] },
]

const CASES = { BOUNDS, CHANGES, STARTS, COMPARATORS, UNAFFECTED, UNKNOWN }
const ids = new Map<Case, CveId>()
for (const [i, one] of Object.values(CASES).flat().entries()) ids.set(one, `CVE-2024-${1000 + i}`)

const affected = (versions: Version[], more: Version = {}) => ({ vendor: 'Acme', product: 'Widget', versions, ...more })
const otherAdp = container('other-ADP', { affected: [affected([of('3')])] })
const dated = {
  ...otherAdp,
  providerMetadata: { ...(otherAdp.providerMetadata as object), dateUpdated: '2024-05-08T01:00:00Z' },
}

const world = await openWorld({
  ...cveList([
    ...[...ids].map(([{ versions, defaultStatus }, id]) => ({
      id,
      cna: { affected: [affected(versions, defaultStatus === undefined ? {} : { defaultStatus })] },
    })),
    {
      id: 'CVE-2024-0001',
      cna: {
        affected: [affected([of('1')]), affected([of('2')]), affected([of('1')], { vendor: 'N/A', product: 'n/a' })],
      },
      adp: [container('CISA-ADP', { affected: [affected([of('1')])] }), dated],
    },
  ]),
  'nvd/page.json': nvdPage([
    nvdRecord('CVE-2024-0001', {
      configurations: [
        {
          nodes: [
            {
              operator: 'OR',
              negate: false,
              cpeMatch: [
                { vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', versionEndExcluding: '2.0' },
              ],
            },
          ],
        },
      ],
    }),
  ]),
  ...ghsaZip([
    osvEntry('GHSA-2222-2222-2222', ['CVE-2024-0001'], {
      affected: [{ package: { ecosystem: 'npm', name: 'widget' }, versions: ['1'] }],
    }),
  ]),
})

const entriesOf = async (id: string) => (await world.json<{ entries: Entry[] }>(`/cves/${id}/affected`)).entries

async function holds(cases: readonly Case[]): Promise<void> {
  assert.ok(cases.length > 1)
  for (const one of cases) {
    const [entry, ...others] = await entriesOf(ids.get(one)!)
    assert.equal(others, [])
    const { affected_versions, affected_ranges, patched_versions, default_status } = entry!
    const [versions, ranges, patched = null] = one.is
    const asked = JSON.stringify(one.versions)
    assert.equal(
      { affected_versions, affected_ranges },
      { affected_versions: versions, affected_ranges: ranges },
      asked,
    )
    assert.equal(patched_versions, patched, asked)
    assert.is(default_status, one.defaultStatus ?? null, asked)
  }
}

rule(
  24,
  'lessThan gives fixed, lessThanOrEqual gives last_affected; no bound or an equal bound gives a single version',
  () => holds(BOUNDS),
)
rule(24, 'changes are applied in order', () => holds(CHANGES))
rule(24, 'a placeholder or * is "0" as a start and no bound as an end; alone it is nothing or everything', () =>
  holds(STARTS),
)
rule(24, 'comparators in a version become a range; other text is kept', () => holds(COMPARATORS))
rule(24, 'unaffected versions never become affected; a default of affected gives the start and the end', () =>
  holds(UNAFFECTED),
)
rule(24, 'the status unknown gives no range', () => holds(UNKNOWN))

rule(24, 'entries of different claims are not merged; each has its source and the date of its container', async () => {
  const entries = await entriesOf('CVE-2024-0001')
  assert.equal(
    entries.map((one) => [one.source, one.affected_versions?.join() ?? null, one.updated_at]),
    [
      ['cna', '1', '2024-05-02T08:00:00.000Z'],
      ['cna', '2', '2024-05-02T08:00:00.000Z'],
      ['cna', '1', '2024-05-02T08:00:00.000Z'],
      ['adp', '1', '2024-05-02T08:00:00.000Z'],
      ['adp', '3', '2024-05-08T01:00:00.000Z'],
      ['nvd', null, '2024-05-04T09:00:00.000Z'],
      ['advisory', '1', '2024-05-06T10:00:00.000Z'],
    ],
  )
  assert.equal(entries[5]!.affected_ranges, [range('0', '2.0')])
})

rule(24, 'vendor and product n/a are null; a missing default status is null', async () => {
  const [given, , unnamed] = await entriesOf('CVE-2024-0001')
  assert.equal([given!.vendor, given!.product, given!.default_status], ['Acme', 'Widget', null])
  assert.equal([unnamed!.vendor, unnamed!.product], [null, null])
})

contract.after(world.remove)
contract.run()
