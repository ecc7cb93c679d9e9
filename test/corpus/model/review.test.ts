/** Findings for the operator's review: odd scores, contradictory sources. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim, CvssClaim } from '../../../corpus/model/claim.ts'
import type { MergeInput } from '../../../corpus/model/merge.ts'
import { reviewOf } from '../../../corpus/model/review.ts'
import { advisory, claim, cvss, exploit, inputOf, kevEntry } from './fixture.ts'

const CRITICAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

const scored = (baseScore: number, given: Partial<CvssClaim> = {}) =>
  cvss('3.1', baseScore, { vector: CRITICAL, ...given })
const assessed = (exploitation: 'none' | 'poc' | 'active') =>
  claim({ source: 'adp', ssvc: { exploitation, automatable: 'no', technical_impact: 'total', assessedAt: null } })
const reviewed = (claims: CveClaim[], given: Partial<MergeInput> = {}) => reviewOf(inputOf(claims, given))
const disagreements = (claims: CveClaim[], given: Partial<MergeInput> = {}) => reviewed(claims, given).disagreements

test('rule 18: every score of every claim is compared with its own vector, those that differ are named', () => {
  const { scores, unreadable, mismatches } = reviewed([
    claim({ source: 'cna', metrics: [scored(9.8), scored(9.3)] }),
    claim({ source: 'adp', metrics: [scored(6.4, { version: '2.0', vector: 'AV:L/AC:M/Au:N/C:C/I:N/A:C' })] }),
    claim({ source: 'nvd', metrics: [scored(5, { vector: 'CVSS:3.1/AV:N' })] }),
    claim({ source: 'osv', sourceName: 'GO-1', metrics: [scored(9.8)] }),
  ])
  assert.equal([scores, unreadable], [4, 1])
  assert.equal(mismatches, [
    { by: 'cna acme', version: '3.1', vector: CRITICAL, stated: 9.3, computed: 9.8 },
    { by: 'adp CISA-ADP', version: '2.0', vector: 'AV:L/AC:M/Au:N/C:C/I:N/A:C', stated: 6.4, computed: 6.3 },
  ])
})

test('scores of a withdrawn advisory are compared, although it claims nothing', () => {
  const withdrawn = advisory(
    { advisory_id: 'GHSA-1', withdrawn_at: '2024-05-01T00:00:00.000Z' },
    { metrics: [scored(1)], weaknesses: ['cwe-1'] },
  )
  const { mismatches, disagreements } = reviewed(
    [claim({ source: 'cna', metrics: [scored(9.8)], weaknesses: ['cwe-2'] })],
    { advisories: [withdrawn] },
  )
  assert.equal(
    mismatches.map(({ by }) => by),
    ['advisory GHSA-1'],
  )
  assert.equal(disagreements, [])
})

test('severities disagree where the bands of two sources differ, in the order in which they back the headline', () => {
  const claims = [
    claim({ source: 'nvd', metrics: [scored(9.8)] }),
    claim({ source: 'cna', metrics: [scored(5), scored(2, { version: '3.0' })] }),
  ]
  assert.equal(disagreements(claims), [
    {
      about: 'severity',
      claims: [
        { by: 'cna acme', states: '3.1 5 medium' },
        { by: 'nvd', states: '3.1 9.8 critical' },
      ],
    },
  ])
})

test('severities agree within a band; scores that NVD only copies are ignored', () => {
  const claims = [
    claim({ source: 'cna', metrics: [scored(9)] }),
    claim({ source: 'nvd', metrics: [scored(9.8), scored(1, { scoredBy: 'other' })] }),
  ]
  assert.equal(disagreements(claims), [])
})

test('severity and weakness of a supplier disagree with nothing: they are about its own product', () => {
  const supplier = claim({ source: 'adp', isSupplier: true, metrics: [scored(9.8)], weaknesses: ['cwe-1'] })
  const cna = claim({ source: 'cna', metrics: [scored(5)], weaknesses: ['cwe-2'] })
  assert.equal(disagreements([cna, supplier]), [])
})

test('weaknesses disagree where two sources have none in common', () => {
  const [cna, nvd] = [
    claim({ source: 'cna', weaknesses: ['cwe-79', 'cwe-20'] }),
    claim({ source: 'nvd', weaknesses: ['cwe-80'] }),
  ]
  assert.equal(disagreements([cna, nvd]), [
    {
      about: 'weakness',
      claims: [
        { by: 'cna acme', states: 'cwe-79 cwe-20' },
        { by: 'nvd', states: 'cwe-80' },
      ],
    },
  ])
  assert.equal(disagreements([cna, claim({ source: 'nvd', weaknesses: ['cwe-20', 'cwe-80'] })]), [])
  assert.equal(disagreements([cna, claim({ source: 'nvd' })]), [])
})

test('two containers of one name are reported as two', () => {
  const [one, other] = [
    claim({ source: 'adp', weaknesses: ['cwe-79'] }),
    claim({ source: 'adp', weaknesses: ['cwe-89'] }),
  ]
  assert.equal(
    disagreements([one, other]).map(({ claims }) => claims.map(({ states }) => states)),
    [['cwe-79', 'cwe-89']],
  )
})

test('the KEV catalogue and the copy of it that the ADP makes disagree on the listing or on its date', () => {
  const copy = claim({ source: 'adp', kevDateAdded: '2024-05-01' })
  assert.equal(disagreements([copy]), [
    {
      about: 'kev',
      claims: [
        { by: 'kev', states: 'not listed' },
        { by: 'adp CISA-ADP', states: 'listed 2024-05-01' },
      ],
    },
  ])
  assert.is(disagreements([copy], { kev: kevEntry({ dateAdded: '2024-05-02' }) }).length, 1)
  assert.equal(disagreements([copy], { kev: kevEntry({ dateAdded: '2024-05-01' }) }), [])
  assert.equal(disagreements([copy], { kevFeed: false }), [], 'without the feed there is nothing to contradict')
})

test('an assessment without exploitation disagrees with a listing and with a weaponized module', () => {
  const kev = kevEntry({ dateAdded: '2024-05-02' })
  const weapon = exploit({ source: 'exploit_framework', source_id: 'exploit/linux/x' })
  assert.equal(disagreements([assessed('none')], { kev, exploits: [weapon] }), [
    {
      about: 'exploitation',
      claims: [
        { by: 'kev', states: 'listed 2024-05-02' },
        { by: 'exploit_framework', states: 'exploit/linux/x' },
        { by: 'ssvc', states: 'none' },
      ],
    },
  ])
  assert.equal(disagreements([assessed('active')], { kev, exploits: [weapon] }), [])
  const scanner = exploit({ source: 'exploit_framework', source_id: 'auxiliary/scanner/x' })
  assert.equal(disagreements([assessed('none')], { exploits: [scanner] }), [])
})

test.run()
