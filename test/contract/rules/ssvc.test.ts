/** Rule 20 of RULES.md: SSVC, its points from the record and its decision from CISA's table. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { quietEffects } from '../../support/dist.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { container, cveList, ssvcMetric, type UpstreamRecord } from '../support/upstream.ts'

const contract = contractSuite('rules, SSVC')
const { rule } = contract

/** One for each row of CISA's table (coordinator 2.0.3) with its decision at medium mission and well-being. */
const SSVC: [exploitation: string, automatable: string, impact: string, decision: string][] = [
  ['none', 'no', 'partial', 'track'],
  ['none', 'no', 'total', 'track'],
  ['none', 'yes', 'partial', 'track'],
  ['none', 'yes', 'total', 'track'],
  ['poc', 'no', 'partial', 'track'],
  ['poc', 'no', 'total', 'track*'],
  ['poc', 'yes', 'partial', 'track'],
  ['poc', 'yes', 'total', 'track*'],
  ['active', 'no', 'partial', 'track'],
  ['active', 'no', 'total', 'attend'],
  ['active', 'yes', 'partial', 'attend'],
  ['active', 'yes', 'total', 'act'],
]
const TIME = '2024-05-10T00:00:00Z'
const assessed = SSVC.map(
  ([exploitation, automatable, impact], i): UpstreamRecord => ({
    id: `CVE-2022-${1000 + i}`,
    adp: [container('CISA-ADP', { metrics: [ssvcMetric(exploitation, automatable, impact, TIME)] })],
  }),
)

const onlyExploitation = { type: 'ssvc', content: { options: [{ Exploitation: 'active' }], timestamp: TIME } }
const world = await openWorld(
  cveList([
    ...assessed,
    { id: 'CVE-2022-2000', adp: [container('CISA-ADP', { metrics: [{ other: onlyExploitation }] })] },
    { id: 'CVE-2022-2001' },
  ]),
)

rule(20, 'the decision comes from the table with medium mission and well-being', async () => {
  for (const [i, [exploitation, automatable, technical_impact, decision]] of SSVC.entries()) {
    const { ssvc } = await world.json<{ ssvc: object }>(`/cves/CVE-2022-${1000 + i}`)
    assert.equal(ssvc, { exploitation, automatable, technical_impact, decision })
  }
})

rule(20, 'a missing point gives no decision; a missing assessment gives nulls', async () => {
  const ssvcOf = async (id: string) => (await world.json<{ ssvc: object }>(`/cves/${id}`)).ssvc
  const nothing = { exploitation: null, automatable: null, technical_impact: null, decision: null }
  assert.equal(await ssvcOf('CVE-2022-2000'), { ...nothing, exploitation: 'active' })
  assert.equal(await ssvcOf('CVE-2022-2001'), nothing)
})

function decisionsIn(path: string): string[] {
  const corpus = openCorpus(path)
  try {
    return [...corpus.records('2022/1xxx')].map(({ parts }) => JSON.parse(parts.core).ssvc.decision)
  } finally {
    corpus.close()
  }
}

rule(20, 'the operator sets mission and well-being', async () => {
  const { made } = world
  const corpus = join(made.corpus, '..', 'high.db')
  await ingest({ feeds: made.feeds, corpus, mission: 'high' }, quietEffects())
  const high = 'track track* attend attend track* attend attend attend attend act act act'
  assert.is(decisionsIn(corpus).join(' '), high)
})

contract.after(world.remove)
contract.run()
