/** Every filter of every list alone, on the real feeds: the first pages of each walk. */
import { test } from 'uvu'
import { askDirectly } from '../support/ask.ts'
import { corpusFacts } from '../support/corpus-facts.ts'
import { temporaryFolder } from '../support/dist.ts'
import { registerFilterPairs } from '../support/filter-pairs.ts'
import { needs } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-filters')
const { corpus, dist } = await realDist()
const asked = askDirectly(dist)

await registerFilterPairs(asked, corpusFacts(corpus), {
  mostPages: 2,
  idle: ['/cves state', '/cves epss_change_min', '/kev catalog', '/advisories malware', '/rejected replaced'],
})

test.after(async () => {
  await asked.close()
  folder.remove()
})

test.run()
