import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { completenessOf, gradeOf } from '../../../../corpus/model/scores/completeness.ts'
import { affected, claim, cvss } from '../fixture.ts'

const reference = (...tags: string[]) => ({ url: 'https://a.example', name: null, tags })
const foundation = { description: 'Text.', affected: [affected()], references: [reference()] }

const CASES: [what: string, given: Partial<CveClaim>, points: number][] = [
  ['nothing', {}, 0],
  ['description, affected and references together', foundation, 50],
  ['two of the three', { ...foundation, references: [] }, 0],
  ['a CWE', { weaknesses: ['cwe-79'] }, 15],
  ['a CVSS 3 with vector', { metrics: [cvss('3.0', 5)] }, 15],
  ['a CVSS 2 alone', { metrics: [cvss('2.0', 5)] }, 0],
  ['a CPE', { affected: [affected({ cpes: ['cpe:2.3:a:acme:widget'] })] }, 10],
  ['a patch reference', { references: [reference('patch')] }, 10],
  [
    'everything',
    {
      description: 'Text.',
      affected: [affected({ cpes: ['cpe:2.3:a:acme:widget'] })],
      references: [reference('patch')],
      weaknesses: ['cwe-79'],
      metrics: [cvss('4.0', 5)],
    },
    100,
  ],
]
for (const [what, given, points] of CASES) {
  test(`rule 25: ${what} is worth ${points}`, () =>
    assert.is(completenessOf(claim({ source: 'cna', ...given })), points))
}

test('rule 25: grades begin at 80, 60, 40 and 20', () => {
  assert.is([100, 80, 79.9, 60, 59, 40, 39, 20, 19, 0].map(gradeOf).join(''), 'AABBCCDDFF')
})

test.run()
