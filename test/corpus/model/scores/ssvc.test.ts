import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ssvcDecision } from '../../../../corpus/model/scores/ssvc.ts'
import { claim, merged } from '../fixture.ts'

/** CISA coordinator 2.0.3, as in facts.md: partial at low, medium, high; then total. */
const TABLE = `
none no: track track track | track track track*
none yes: track track attend | track track attend
poc no: track track track* | track track* attend
poc yes: track track attend | track track* attend
active no: track track attend | track attend act
active yes: attend attend act | attend act act`

for (const line of TABLE.trim().split('\n')) {
  test(`rule 20: ${line}`, () => {
    const [name, row] = line.split(': ')
    const [exploitation, automatable] = name!.split(' ') as ['none' | 'poc' | 'active', 'yes' | 'no']
    const [partial, total] = row!.split(' | ')
    for (const [technical_impact, cells] of [
      ['partial', partial],
      ['total', total],
    ] as const) {
      const points = { exploitation, automatable, technical_impact }
      const decisions = (['low', 'medium', 'high'] as const).map((mission) => ssvcDecision(points, mission))
      assert.is(decisions.join(' '), cells)
    }
  })
}

const ASSESSED = { exploitation: 'active', automatable: 'yes', technical_impact: 'total', assessedAt: null } as const

test('rule 20: the decision is null while a point is missing, and the points are kept', () => {
  const { ssvc } = merged([claim({ source: 'adp', ssvc: { ...ASSESSED, automatable: null } })]).core
  assert.equal(ssvc, { exploitation: 'active', automatable: null, technical_impact: 'total', decision: null })
  const nobody = merged([claim({ source: 'cna' })]).core.ssvc
  assert.equal(nobody, { exploitation: null, automatable: null, technical_impact: null, decision: null })
})

test('rule 20: the mission setting of the operator chooses the column', () => {
  const adp = claim({ source: 'adp', ssvc: ASSESSED })
  assert.is(merged([adp], { mission: 'low' }).core.ssvc.decision, 'attend')
  assert.is(merged([adp]).core.ssvc.decision, 'act')
})

test('the newest of several assessments counts', () => {
  const old = claim({ source: 'adp', ssvc: { ...ASSESSED, assessedAt: '2023-01-01T00:00:00.000Z' } })
  const young = claim({
    source: 'adp',
    ssvc: { ...ASSESSED, exploitation: 'none', assessedAt: '2024-01-01T00:00:00.000Z' },
  })
  assert.is(merged([young, old]).core.ssvc.exploitation, 'none')
})

test.run()
