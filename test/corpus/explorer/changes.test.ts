/** Changes: their groups, what they were and are, which of them concern names, the last visit. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type FactRow, factChanges, grouped, groupsOf } from '../../../corpus/explorer/app/pages/changes/groups.ts'
import { watchEntry } from '../../../corpus/explorer/app/watch/entries.ts'
import { entriesOf, rowTest } from '../../../corpus/explorer/app/watch/matching.ts'
import { previousVisit } from '../../../corpus/explorer/app/watch/visit.ts'

type State = NonNullable<FactRow['after']>

const state = (other: Partial<State> = {}): State => ({
  title: 'A title',
  severity: 'high',
  cvss_score: 7.5,
  cvss_score_source: 'cna',
  kev: { listed: false, date_added: null },
  ssvc: { exploitation: 'none', automatable: null, technical_impact: null, decision: null },
  has_patch: false,
  has_workaround: false,
  has_exploit: false,
  ...other,
})
const row = (before: State | null, after: State | null, other: Partial<FactRow> = {}): FactRow => ({
  cve_id: 'CVE-2024-1000',
  change: before === null ? 'added' : after === null ? 'removed' : 'changed',
  sections: ['core'],
  before,
  after,
  vendors: [],
  products: [],
  packages: [],
  names_complete: true,
  ...other,
})
const CRITICAL = { severity: 'critical', cvss_score: 9.8 } as const
const LISTED = { kev: { listed: true, date_added: '2024-10-24' } }
const ACTIVE = { ssvc: { ...state().ssvc, exploitation: 'active' } } as const

test('a change is in each group that it belongs to', () => {
  const is = (before: State | null, after: State | null, ...groups: string[]) =>
    assert.equal(groupsOf(row(before, after)), groups)
  is(state(), state(LISTED), 'kev')
  is(state(LISTED), state(LISTED), 'other')
  is(state(), state({ ...LISTED, ...CRITICAL, has_exploit: true }), 'kev', 'exploited', 'critical', 'score')
  is(state(), state(ACTIVE), 'exploited')
  is(state({ has_exploit: true }), state({ ...ACTIVE, has_exploit: true }), 'exploited')
  is(state(ACTIVE), state(ACTIVE), 'other')
  is(state({ cvss_score: 9.1, severity: 'critical' }), state(CRITICAL), 'score')
  is(state({ cvss_score: null, severity: null }), state(), 'score')
  is(state(), state({ has_patch: true }), 'fixed')
  is(state({ has_patch: true }), state(), 'other')
  is(null, state(), 'new')
  is(null, state({ has_patch: true }), 'new')
  is(null, state(CRITICAL), 'critical')
  is(null, state({ ...CRITICAL, ...LISTED }), 'kev', 'critical')
  is(state(LISTED), null, 'rejected')
})

test('a group has the highest scores first', () => {
  const rows = [state(), state(CRITICAL), state({ cvss_score: null, severity: null })].map((after, i) =>
    row(state({ title: 'Old' }), after, { cve_id: `CVE-2024-100${i}` }),
  )
  assert.equal(
    grouped(rows).score.map(({ cve_id }) => cve_id),
    ['CVE-2024-1001', 'CVE-2024-1002'],
  )
  assert.equal(grouped([]).other, [])
})

test('what differs is stated with both values', () => {
  const texts = (before: State | null, after: State | null) =>
    factChanges(row(before, after)).map(({ what, before: old, after: now }) => `${what}: ${old}, ${now}`)
  assert.equal(texts(state(), state({ ...LISTED, ...ACTIVE, has_patch: true, title: 'Another' })), [
    'KEV: no, since 2024-10-24',
    'Exploitation: none, active',
    'Patch: no, yes',
    'Title: A title, Another',
  ])
  assert.match(
    texts(state({ severity: null, cvss_score: null }), state(CRITICAL))[0]!,
    /^CVSS: unscored, 9.8 critical$/,
  )
  assert.equal(texts(null, state()), [])
  assert.equal(texts(state(), null), [])
})

const NAMED = row(state(), state(), {
  cve_id: 'CVE-2024-3400',
  vendors: ['red_hat'],
  products: ['red_hat/enterprise_linux', 'acme/tcp%2Fip'],
  packages: ['npm/lodash', 'PyPI/foo-bar'],
})

test('names match in every spelling that vulnshelf joins', () => {
  const passes = (filters: Partial<Parameters<typeof rowTest>[0]>) =>
    rowTest({ vendor: null, product: null, watched: null, ...filters })(NAMED)
  assert.ok(passes({}))
  for (const vendor of ['Red Hat', 'redhat', 'RED_HAT']) assert.ok(passes({ vendor }), vendor)
  for (const vendor of ['red', 'hat', 'n/a', 'redhat2']) assert.not(passes({ vendor }), vendor)
  for (const product of ['redhat/Enterprise Linux', 'enterprise linux', 'Acme/tcp%2Fip', 'acme/tcp/ip']) {
    assert.ok(passes({ product }), product)
  }
  for (const product of ['linux', 'acme/enterprise_linux', '/', 'acme/']) assert.not(passes({ product }), product)
  assert.ok(passes({ vendor: 'redhat', product: 'acme/tcp%2Fip' }))
  assert.not(passes({ vendor: 'acme2', product: 'acme/tcp%2Fip' }))
})

test('a watched vendor, product, package or CVE concerns a change', () => {
  const entries = [
    watchEntry('vendor', 'RedHat'),
    watchEntry('vendor', 'cisco'),
    watchEntry('product', 'acme/tcp/ip'),
    watchEntry('package', 'pypi/Foo.Bar'),
    watchEntry('package', 'npm/foo-bar'),
    watchEntry('cve', 'cve-2024-3400'),
  ]
  assert.equal(
    entriesOf(NAMED, entries).map(({ name }) => name),
    ['redhat', 'acme/tcp%2Fip', 'PyPI/Foo.Bar', 'CVE-2024-3400'],
  )
  const watching = (...watched: typeof entries) => rowTest({ vendor: null, product: null, watched })(NAMED)
  for (const [i, entry] of entries.entries()) assert.is(watching(entry), i !== 1 && i !== 4, entry.name)
  assert.not(watching())
  // A row without facts has no names.
  assert.not(rowTest({ vendor: 'redhat', product: null, watched: null })({ cve_id: 'CVE-2024-1' }))
})

test('the last visit is the snapshot that the browser saw before the current one', () => {
  const items = new Map<string, string>()
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
    removeItem: (name: string) => void items.delete(name),
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage })
  try {
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
    assert.equal([previousVisit(a), previousVisit(a)], [null, null])
    assert.equal([previousVisit(b), previousVisit(b)], [a, a])
    assert.is(previousVisit(c), b)
    for (const damaged of ['no JSON', '7', '{"current":"x","previous":null}']) {
      items.set('vulnshelf.seen', damaged)
      assert.is(previousVisit(c), null, damaged)
    }
  } finally {
    if (before) Object.defineProperty(globalThis, 'localStorage', before)
    else Reflect.deleteProperty(globalThis, 'localStorage')
  }
})

test.run()
