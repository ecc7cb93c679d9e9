/** The SSVC decision: over all combinations of points, and over claims (rule 20). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { latestSsvc, ssvcDecision, ssvcOf } from '../../../../corpus/model/scores/ssvc.ts'
import { claim, merged } from '../fixture.ts'
import { anyClaim, mission, ssvc, ssvcPoints } from '../properties/arbitrary.ts'
import { property } from '../properties/property.ts'

/** CISA coordinator 2.0.3, as in facts.md: partial at low, medium, high; then total. */
const TABLE = `
none no: track track track | track track track*
none yes: track track attend | track track attend
poc no: track track track* | track track* attend
poc yes: track track attend | track track* attend
active no: track track attend | track attend act
active yes: attend attend act | attend act act`

test('rule 20: the table of CISA decides, by the mission of the operator', () => {
  for (const line of TABLE.trim().split('\n')) {
    const [name, row] = line.split(': ')
    const [exploitation, automatable] = name!.split(' ') as ['none' | 'poc' | 'active', 'yes' | 'no']
    const [partial, total] = row!.split(' | ')
    for (const [technical_impact, cells] of [
      ['partial', partial],
      ['total', total],
    ] as const) {
      const points = { exploitation, automatable, technical_impact }
      const decisions = (['low', 'medium', 'high'] as const).map((mission) => ssvcDecision(points, mission))
      assert.is(decisions.join(' '), cells, line)
    }
  }
})

test('rule 20: the mission setting of the operator chooses the column', () => {
  const points = { exploitation: 'active', automatable: 'yes', technical_impact: 'total', assessedAt: null } as const
  const decisions = ([undefined, 'low'] as const).map(
    (mission) => merged([claim({ source: 'adp', ssvc: points })], mission && { mission }).core.ssvc.decision,
  )
  assert.equal(decisions, ['act', 'attend'])
})

const EXPLOITATION = ['none', 'poc', 'active'] as const
const AUTOMATABLE = ['no', 'yes'] as const
const IMPACT = ['partial', 'total'] as const
const MISSION = ['low', 'medium', 'high'] as const
const URGENCY = ['track', 'track*', 'attend', 'act']

const urgency = (e: number, a: number, i: number, m: number) => {
  const points = { exploitation: EXPLOITATION[e]!, automatable: AUTOMATABLE[a]!, technical_impact: IMPACT[i]! }
  return URGENCY.indexOf(ssvcDecision(points, MISSION[m]!)!)
}

test('rule 20: the decision never gets less urgent as any point or the mission gets worse', () => {
  for (let e = 0; e < 3; e++) {
    for (let a = 0; a < 2; a++) {
      for (let i = 0; i < 2; i++) {
        for (let m = 0; m < 3; m++) {
          const here = urgency(e, a, i, m)
          assert.ok(here >= 0)
          if (e > 0) assert.ok(here >= urgency(e - 1, a, i, m), `exploitation ${e}${a}${i}${m}`)
          if (a > 0) assert.ok(here >= urgency(e, 0, i, m), `automatable ${e}${a}${i}${m}`)
          if (i > 0) assert.ok(here >= urgency(e, a, 0, m), `impact ${e}${a}${i}${m}`)
          if (m > 0) assert.ok(here >= urgency(e, a, i, m - 1), `mission ${e}${a}${i}${m}`)
        }
      }
    }
  }
})

property(
  'rule 20: the decision is null exactly while a point is missing, and the points are kept',
  [ssvcPoints, mission],
  (points, level) => {
    const { decision, ...kept } = ssvcOf({ ...points, assessedAt: null }, level)
    assert.equal(kept, points)
    assert.is(decision === null, Object.values(points).includes(null))
  },
)

property(
  'rule 20: only an ADP assesses, its newest assessment is shown, and that of a supplier only without another',
  [fc.array(anyClaim), fc.array(ssvc)],
  (claims, more) => {
    const stated = claims.map((one, i) => ({ ...one, ssvc: more[i] ?? one.ssvc }))
    const assessing = stated.filter((one) => one.source === 'adp' && one.ssvc)
    const independent = assessing.filter(({ isSupplier }) => !isSupplier)
    const ofAdps = (independent.length > 0 ? independent : assessing).flatMap(({ ssvc }) => ssvc ?? [])
    const latest = latestSsvc(stated)
    assert.is(latest === null, ofAdps.length === 0)
    if (latest === null) return
    assert.ok(ofAdps.includes(latest))
    for (const one of ofAdps) assert.ok((one.assessedAt ?? '') <= (latest.assessedAt ?? ''))
    const { decision: _, ...points } = merged(stated).core.ssvc
    const { assessedAt: __, ...want } = latest
    assert.equal(points, want)
  },
)

test.run()
