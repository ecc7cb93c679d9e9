/** Data that every reader would reject is omitted from a build, and reported. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keyed } from '../../../builder/snapshot/catalogs.ts'
import type { LeftOut } from '../../../builder/snapshot/shard-task.ts'
import { MAX_CATALOG_PLAIN, MAX_MEMBER_PLAIN } from '../../../corpus/snapshot/bounds.ts'
import { largeParts } from '../../../corpus/snapshot/record/cve-member.ts'

test('entries beyond the bound of a catalog are left out', () => {
  const leftOut: LeftOut[] = []
  const half = 'x'.repeat(MAX_CATALOG_PLAIN['report-types'] / 2 - 10)
  const entries = ['a', 'b', 'c', 'd'].map((name) => ({ name, text: name === 'd' ? '' : half }))
  const kept = keyed('report-types', entries, ({ name }) => name, leftOut)
  assert.equal(
    kept.map(({ key }) => key),
    ['a', 'd'],
  )
  assert.equal(
    leftOut.map(({ name, part }) => [name, part]),
    [
      ['report-types/b', 'entry'],
      ['report-types/c', 'entry'],
    ],
  )
})

test('parts that are too large together are left out, the largest first', () => {
  const text = (length: number) => JSON.stringify('x'.repeat(length))
  const texts = { core: '{}', cvss: text(60e6), affected: text(61e6), references: text(40e6), timeline: '[]' }
  assert.equal(
    largeParts(texts).map(({ part, limit }) => [part, limit]),
    [['affected', MAX_MEMBER_PLAIN]],
  )
  assert.equal(
    largeParts(texts, 50e6).map(({ part }) => part),
    ['affected', 'cvss'],
  )
})

test.run()
