/** The safe version of a package: above all fixes, verified by a look-up, with the reason if there is none. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type EcosystemComponent, findAdvisories, type LookUp } from '../../../corpus/inventory/findings.ts'
import { safeVersionOf } from '../../../corpus/inventory/safe-version.ts'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { affectedRow } from '../../support/affected-row.ts'

const component = (version: string, more: Partial<EcosystemComponent> = {}): EcosystemComponent => ({
  ...{ ecosystem: 'npm', name: 'a', version, purl: null, source: null, line: null, groups: null },
  ...more,
})

type Rows = Record<string, AffectedRow[] | string>

/** Looks versions up, and returns what was found and asked for. A version without rows is not affected. */
async function safe(rows: Rows, one = component('1.0.0')) {
  const asked: EcosystemComponent[] = []
  const lookUp: LookUp = async (component) => {
    asked.push(component)
    return rows[component.version] ?? []
  }
  const found = await safeVersionOf(one, rows[one.version] as AffectedRow[], lookUp)
  return {
    found: found.safeVersion ?? found.noSafeVersion,
    asked: asked.map(({ version }) => version),
    components: asked,
  }
}

const fixedIn = (id: string, ...fixed_versions: string[]) => affectedRow(id, 'high', { fixed_versions })
const undecided = { verdict: 'undecided', undecided_reason: 'event' } as const

test('the highest of the lowest fixes is looked up, until a version has no rows', async () => {
  const rows = {
    '1.0.0': [fixedIn('A', '1.2.0', '2.0.0'), fixedIn('B', '1.10.0', '2.0.1')],
    '1.10.0': [fixedIn('C', '1.11.0')],
  }
  assert.equal(await safe(rows).then(({ found, asked }) => ({ found, asked })), {
    found: '1.11.0',
    asked: ['1.10.0', '1.11.0'],
  })
})

test('a version that is affected, undecided or not known is never safe', async () => {
  const first = { '1.0.0': [fixedIn('A', '1.2.0')] }
  assert.is((await safe({ ...first, '1.2.0': [affectedRow('B', 'low')] })).found, 'no_fix')
  assert.is((await safe({ ...first, '1.2.0': [fixedIn('B', '1.1.0')] })).found, 'no_fix')
  assert.is((await safe({ ...first, '1.2.0': [affectedRow('B', 'low', undecided)] })).found, 'no_fix')
  assert.is((await safe({ ...first, '1.2.0': 'not indexed' })).found, 'not_comparable')
  const beyond = affectedRow('B', 'low', { ...undecided, fixed_versions: ['1.3.0'] })
  assert.is((await safe({ ...first, '1.2.0': [beyond] })).found, '1.3.0')
})

test('an advisory whose fix is not known can end before another fix', async () => {
  const rows = { '1.0.0': [affectedRow('A', 'low'), fixedIn('B', '1.2.0')] }
  assert.is((await safe(rows)).found, '1.2.0')
  assert.is((await safe({ ...rows, '1.2.0': [affectedRow('A', 'low')] })).found, 'no_fix')
  assert.is((await safe({ '1.0.0': [affectedRow('A', 'low')] })).found, 'no_fix')
})

test('a fix below the version or of another form is no safe version', async () => {
  assert.is((await safe({ '1.0.0': [fixedIn('A', 'a1b2c3')] })).found, 'no_fix')
  assert.is((await safe({ '1.0.0': [fixedIn('A', '0.9.0')] })).found, 'no_fix')
  assert.is((await safe({ main: [fixedIn('A', '2.0.0')] }, component('main'))).found, 'not_comparable')
  const odd = component('1.0.0', { ecosystem: 'Custom' })
  assert.is((await safe({ '1.0.0': [fixedIn('A', '2.0.0')] }, odd)).found, 'not_comparable')
})

test('advisories that never end are given up', async () => {
  const rows = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`1.${i}.0`, [fixedIn('A', `1.${i + 1}.0`)]]))
  const { found, asked } = await safe(rows)
  assert.is(found, 'too_many')
  assert.is(asked.length, 20)
})

test('the fixes of a binary package are versions of its source package', async () => {
  const debian = component('1:3', { ecosystem: 'Debian:12', name: 'libssl3', source: 'openssl@3.0.1-1' })
  const { found, components } = await safe({ '1:3': [fixedIn('A', '3.0.9-1')] }, debian)
  assert.is(found, '3.0.9-1')
  assert.equal(
    components.map(({ name, source, version }) => [name, source, version]),
    [['libssl3', 'openssl', '3.0.9-1']],
  )
})

test('findings have the safe version of their package; versions are looked up once', async () => {
  const asked: string[] = []
  const lookUp: LookUp = async ({ name, version }) => {
    asked.push(`${name}@${version}`)
    return name === 'a' && version !== '2.0.0' ? [fixedIn('A', '2.0.0'), fixedIn('B', '1.5.0')] : []
  }
  const components = [component('1.0.0'), component('1.1.0'), component('1.0.0', { name: 'b' })]
  const inventory = (file: string) => ({ file, format: 'g', components, skipped: [] })
  const { findings, counts } = await findAdvisories([inventory('x'), inventory('y')], lookUp, 2, () => {})
  assert.equal(asked.toSorted(), ['a@1.0.0', 'a@1.1.0', 'a@2.0.0', 'b@1.0.0'])
  assert.is(findings.length, 8)
  assert.ok(findings.every(({ safeVersion, noSafeVersion }) => safeVersion === '2.0.0' && noSafeVersion === null))
  assert.equal([counts.packages, counts.affected, counts.notAffected], [6, 4, 2])
})

test.run()
