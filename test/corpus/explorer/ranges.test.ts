/** Affected versions in words. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packagePath } from '../../../corpus/explorer/app/parts/names.ts'
import { type AffectedRange, boundsText, defaultText, isOfCommits } from '../../../corpus/explorer/app/parts/ranges.ts'

const COMMITS = ['f8246cf4d9a9025d26c609bb2195e7c0a9ce5c40', '713fa3e4591f65f804bdc88e8648e219fabc9ee1'] as const

/** A sign and its version stay in one line: there is a no-break space between them. */
const text = (range: Partial<AffectedRange>) =>
  boundsText({ introduced: null, fixed: null, version_type: null, ...range }).replaceAll('\u00a0', ' ')

test('a range is an inequality', () => {
  assert.is(text({ introduced: '1.0', fixed: '1.4' }), '≥ 1.0, < 1.4')
  assert.is(text({ introduced: '1.0', last_affected: '1.4' }), '≥ 1.0, ≤ 1.4')
  assert.is(text({ introduced: '0', fixed: '1.4' }), '< 1.4')
  assert.is(text({ fixed: '1.4' }), '< 1.4')
  assert.is(text({ introduced: '0', last_affected: '5.15.*' }), '≤ 5.15.*')
  assert.is(text({ introduced: '1.0' }), '≥ 1.0, without an end')
  assert.is(text({ introduced: '0' }), 'all versions')
})

test('commits have no order: they begin and end a range', () => {
  const [introduced, fixed] = COMMITS
  assert.is(text({ introduced, fixed, version_type: 'git' }), 'commits from f8246cf4d9a9 until 713fa3e4591f')
  assert.is(text({ introduced: '0', fixed }), 'commits until 713fa3e4591f')
  assert.is(text({ introduced, last_affected: fixed }), 'commits from f8246cf4d9a9 up to 713fa3e4591f')
  assert.is(text({ introduced: '0', version_type: 'git' }), 'all commits')
  assert.not(isOfCommits({ introduced: '1.0', fixed: '2', version_type: 'semver' }))
})

test('the default status is shown where it adds something', () => {
  assert.is(defaultText('unaffected'), 'others not affected')
  assert.is(defaultText('affected'), 'others affected')
  assert.is(defaultText('unknown'), null)
  assert.is(defaultText(null), null)
})

test('the page of a package has no release of a distribution', () => {
  assert.equal(packagePath('npm', '@scope/a'), ['packages', 'npm', '@scope/a'])
  assert.equal(packagePath('Debian:12', 'curl'), ['packages', 'Debian', 'curl'])
})

test.run()
