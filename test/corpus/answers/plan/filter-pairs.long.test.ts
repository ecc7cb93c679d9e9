/**
 * Every filter of every list, alone and in all pairs, in every order: rows equal to filtering all records in plain
 * JavaScript. What "all records" are is first held against the claims in the corpus.
 */
import { test } from 'uvu'
import { askDirectly } from '../../../support/ask.ts'
import { corpusFacts } from '../../../support/corpus-facts.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { registerFilterPairs } from '../../../support/filter-pairs.ts'
import { sharedSample } from '../../../support/samples.ts'

const folder = temporaryFolder('filter-pairs')
const sample = await sharedSample('usual')
const asked = askDirectly(sample.dist)

await registerFilterPairs(asked, corpusFacts(sample.corpus), { idle: ['/rejected replaced'] })

test.after(async () => {
  await asked.close()
  folder.remove()
})

test.run()
