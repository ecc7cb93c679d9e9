/** The entry of a package states its ecosystem, its purl and the spellings of its name. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import { packageDetail, packageEntry } from '../../../../corpus/model/packages/package-entry.ts'

const advisoriesOf = (...names: string[]) =>
  names.flatMap((name, i) =>
    packageStatements({ id: `X-${i}`, affected: [{ package: { ecosystem: 'PyPI', name } }] }).map(
      (one) => one.advisory,
    ),
  )

test('the name is the spelling of most advisories, else the first by code points', () => {
  const entry = packageEntry('PyPI/a-b', 'pkg:pypi/a-b', advisoriesOf('a_b', 'A-B', 'a-b', 'a_b'))
  assert.is(entry.name, 'a_b')
  assert.equal(entry.spellings, ['A-B', 'a-b', 'a_b'])
  assert.is(packageEntry('PyPI/a-b', null, advisoriesOf('a_b', 'a-b', 'A-B')).name, 'A-B')
  const names = ['\u{1f600}', '\ue000']
  assert.equal(packageEntry('PyPI/x', null, advisoriesOf(...names)).spellings, names.toReversed())
})

test('the ecosystem precedes the first slash of the key; advisories and purl are unchanged', () => {
  const advisories = advisoriesOf('b', 'a')
  const entry = packageEntry('npm/@scope/name', 'pkg:npm/%40scope/name', advisories)
  assert.is(entry.ecosystem, 'npm')
  assert.is(entry.purl, 'pkg:npm/%40scope/name')
  assert.equal(entry.advisories, advisories)
  assert.is(packageEntry('GIT/x', null, advisories).purl, null)
})

test('a package counts advisories that alias each other once, with one look-up for each set', () => {
  const sets = [
    ['CVE-2024-0001', 'X-0', 'X-2'],
    ['X-1', 'X-4'],
  ]
  const asked: string[] = []
  const aliasesOf = (id: string) => {
    asked.push(id)
    return sets.find((set) => set.includes(id)) ?? null
  }
  const entry = packageEntry('PyPI/a', null, advisoriesOf('a', 'a', 'a', 'a', 'a'))
  assert.is(packageDetail(entry, aliasesOf).advisory_count, 3)
  assert.equal(asked, ['X-0', 'X-1', 'X-3'])
})

test('names of properties of every object are names', () => {
  const names = ['__proto__', 'constructor', 'constructor']
  const entry = packageEntry('npm/__proto__', null, advisoriesOf(...names))
  assert.equal([entry.name, entry.spellings], ['constructor', ['__proto__', 'constructor']])
})

test.run()
