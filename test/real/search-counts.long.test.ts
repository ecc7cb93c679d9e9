/** Searches for all kinds of text on the real feeds. */
import { join } from 'node:path'
import { test } from 'uvu'
import { askDirectly } from '../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { allRows } from '../support/list-rows.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { registerSearchCounts } from '../support/search-counts.ts'

needs('real feeds')

const folder = temporaryFolder('real-search-counts')
const [corpus, dist] = [join(folder.path, 'corpus.db'), join(folder.path, 'dist')]
await ingestAndBuild({ feeds: REAL_FEEDS, corpus, dist, jobs: 2 })
const asked = askDirectly(dist)

registerSearchCounts('the real feeds', asked.ask, await allRows(asked), corpus)

test.after(async () => {
  await asked.close()
  folder.remove()
})

test.run()
