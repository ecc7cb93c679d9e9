/** Properties of the SSVC decision: over all combinations of points, and over claims (rule 20). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { latestSsvc, ssvcDecision, ssvcOf } from '../../../../corpus/model/scores/ssvc.ts'
import { merged } from '../fixture.ts'
import { anyClaim, mission, ssvc, ssvcPoints } from './arbitrary.ts'
import { property } from './property.ts'

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
  'rule 20: only an ADP assesses, and its newest assessment is shown',
  [fc.array(anyClaim), fc.array(ssvc)],
  (claims, more) => {
    const stated = claims.map((one, i) => ({ ...one, ssvc: more[i] ?? one.ssvc }))
    const ofAdps = stated.flatMap((one) => (one.source === 'adp' && one.ssvc ? [one.ssvc] : []))
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
