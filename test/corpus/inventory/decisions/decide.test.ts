/** Which decision counts for a finding, and which have no effect. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decider } from '../../../../corpus/inventory/decisions/decide.ts'
import { patternOf } from '../../../../corpus/inventory/decisions/package-pattern.ts'
import { readIgnoreFile, readVex } from '../../../../corpus/inventory/decisions/read.ts'
import { inventoryOf } from '../../../../corpus/inventory/read.ts'
import { affectedRow } from '../../../support/affected-row.ts'

const componentOf = (purl: string) => {
  const [component] = inventoryOf('purls', 'p.purl', Buffer.from(purl)).components
  return { file: 'a/purls', ...component! }
}

const ROW = affectedRow('GHSA-1', 'high', { aliases: ['CVE-2024-1', 'PYSEC-1'], cve_ids: ['CVE-2024-1' as never] })

const everywhere = { isFor: () => true }
const ignoring = (...entries: object[]) => ({
  ...readIgnoreFile('i.json', Buffer.from(JSON.stringify({ ignore: entries }, null, 1))),
  ...everywhere,
})
const vexOf = (...statements: object[]) => ({
  ...readVex(
    'v.json',
    Buffer.from(JSON.stringify({ '@context': 'https://openvex.dev/ns/v0.2.0', statements }, null, 1)),
  ),
  ...everywhere,
})
const said = (status: string, product: string, more: object = {}) => ({
  vulnerability: { name: 'CVE-2024-1' },
  products: [{ '@id': product }],
  status,
  ...more,
})

const statusOf = (files: Parameters<typeof decider>[0], purl = 'pkg:npm/a@1.0.0', row = ROW) =>
  decider(files, '2026-06-01').decisionOn(componentOf(purl), row)?.status ?? null

test('an id in any case, of the advisory or an alias, selects the finding', () => {
  for (const id of ['GHSA-1', 'ghsa-1', 'cve-2024-1', 'PYSEC-1']) {
    assert.is(statusOf([ignoring({ id, reason: 'r' })]), 'ignored')
  }
  assert.is(statusOf([ignoring({ id: 'GHSA-12', reason: 'r' })]), null)
  assert.is(
    statusOf([vexOf({ ...said('fixed', 'pkg:npm/a'), vulnerability: { name: 'X', aliases: ['PYSEC-1'] } })]),
    'fixed',
  )
})

for (const [pattern, purl, is] of [
  ['npm/a', 'pkg:npm/a@1.0.0', true],
  ['npm/A', 'pkg:npm/a@1.0.0', true],
  ['npm/b', 'pkg:npm/a@1.0.0', false],
  ['PyPI/a', 'pkg:npm/a@1.0.0', false],
  ['pkg:npm/a', 'pkg:npm/a@1.0.0', true],
  ['pkg:npm/a@1.0.0', 'pkg:npm/a@1.0.0', true],
  ['pkg:npm/a@1.0.1', 'pkg:npm/a@1.0.0', false],
  ['pkg:pypi/a@1.0', 'pkg:pypi/A@1.0.0', true],
  ['pkg:golang/example.com/x@v1.0.0', 'pkg:golang/example.com/x@v1.0.0', true],
  ['pkg:deb/debian/curl?distro=debian-12', 'pkg:deb/debian/curl@7.88?distro=bookworm', true],
  ['pkg:deb/debian/curl?distro=debian-11', 'pkg:deb/debian/curl@7.88?distro=bookworm', false],
  ['pkg:deb/debian/curl', 'pkg:deb/debian/curl@7.88?distro=bookworm', true],
  ['pkg:deb/debian/curl?distro=debian-12', 'pkg:deb/debian/curl@7.88', false],
  ['pkg:deb/debian/curl?arch=arm64', 'pkg:deb/debian/curl@7.88?arch=amd64', false],
  ['pkg:deb/debian/curl?arch=arm64', 'pkg:deb/debian/curl@7.88', true],
] as const) {
  test(`${pattern} ${is ? 'is' : 'is not'} ${purl}`, () => {
    const entry = { id: 'GHSA-1', package: pattern, reason: 'r' }
    assert.ok(patternOf(pattern))
    assert.is(statusOf([ignoring(entry)], purl), is ? 'ignored' : null)
  })
}

test('the latest statement counts; among equally old ones, one that does not suppress', () => {
  const old = { timestamp: '2026-01-01T00:00:00Z' }
  const recent = { timestamp: '2026-02-01T00:00:00+01:00' }
  const a = 'pkg:npm/a'
  for (const [statements, status] of [
    [[said('affected', a, old), said('not_affected', a, recent)], 'not_affected'],
    [[said('not_affected', a, recent), said('affected', a, old)], 'not_affected'],
    [[said('not_affected', a, old), said('affected', a, recent)], 'affected'],
    [[said('fixed', a), said('under_investigation', a)], 'under_investigation'],
    [[said('under_investigation', a), said('fixed', a)], 'under_investigation'],
    [[said('affected', a), said('fixed', a, old)], 'fixed'],
  ] as const) {
    assert.is(statusOf([vexOf(...statements)]), status)
    assert.is(statusOf([vexOf(statements[0]), vexOf(statements[1])]), status)
  }
})

test('not_affected, fixed and ignored suppress; affected and under_investigation do not', () => {
  for (const [status, suppresses] of [
    ['not_affected', true],
    ['fixed', true],
    ['affected', false],
    ['under_investigation', false],
  ] as const) {
    const decision = decider([vexOf(said(status, 'pkg:npm/a'))], '2026-06-01').decisionOn(
      componentOf('pkg:npm/a@1.0.0'),
      ROW,
    )
    assert.is(decision?.suppresses, suppresses)
  }
  const affected = vexOf(said('affected', 'pkg:npm/a'))
  const decision = decider([affected, ignoring({ id: 'GHSA-1', reason: 'accepted' })], '2026-06-01')
  assert.equal(decision.decisionOn(componentOf('pkg:npm/a@1.0.0'), ROW), {
    ...{ file: 'i.json', line: 3, status: 'ignored', suppresses: true, justification: null, reason: 'accepted' },
    ...{ until: null, statedAt: null },
  })
})

test('an entry counts up to its last day, and is reported after it', () => {
  const file = ignoring({ id: 'GHSA-1', reason: 'r', until: '2026-06-01' })
  const component = componentOf('pkg:npm/a@1.0.0')
  const last = decider([file], '2026-06-01')
  assert.is(last.decisionOn(component, ROW)?.status, 'ignored')
  assert.equal(last.unused(), [])
  const after = decider([file], '2026-06-02')
  assert.is(after.decisionOn(component, ROW), null)
  assert.equal(after.unused(), [
    { file: 'i.json', line: 3, id: 'GHSA-1', package: null, why: 'expired', until: '2026-06-01' },
  ])
})

test('a file counts for its files alone', () => {
  const file = { ...ignoring({ id: 'GHSA-1', reason: 'r' }), isFor: (name: string) => name.startsWith('b/') }
  const decisions = decider([file], '2026-06-01')
  const component = componentOf('pkg:npm/a@1.0.0')
  assert.is(decisions.decisionOn(component, ROW), null)
  assert.is(decisions.decisionOn({ ...component, file: 'b/x' }, ROW)?.status, 'ignored')
})

test('statements that matched nothing are reported, those of one line once', () => {
  const decisions = decider(
    [
      ignoring({ id: 'GHSA-1', reason: 'r' }, { id: 'GHSA-2', package: 'npm/b', reason: 'r' }),
      vexOf(
        { ...said('fixed', 'pkg:npm/b'), products: [{ '@id': 'pkg:npm/b' }, { '@id': 'pkg:npm/a' }] },
        said('fixed', 'pkg:npm/a@2.0.0'),
        said('fixed', 'https://example.com/product'),
      ),
    ],
    '2026-06-01',
  )
  decisions.decisionOn(componentOf('pkg:npm/a@1.0.0'), ROW)
  assert.equal(
    decisions.unused().map(({ file, id, package: named, why }) => [file, id, named, why]),
    [
      ['i.json', 'GHSA-2', 'npm/b', 'matched_nothing'],
      ['v.json', 'CVE-2024-1', 'pkg:npm/a@2.0.0', 'matched_nothing'],
      ['v.json', 'CVE-2024-1', null, 'not_compared'],
    ],
  )
})

test.run()
