/** Searches for all kinds of text on the real feeds. */
import { test } from 'uvu'
import { askDirectly } from '../support/ask.ts'
import { temporaryFolder } from '../support/dist.ts'
import { allRows } from '../support/list-rows.ts'
import { needs } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'
import { registerSearchCounts } from '../support/search-counts.ts'

needs('real feeds')

const folder = temporaryFolder('real-search-counts')
const { corpus, dist } = await realDist()
const asked = askDirectly(dist)

registerSearchCounts('the real feeds', asked.ask, await allRows(asked), corpus)

test.after(async () => {
  await asked.close()
  folder.remove()
})

test.run()
