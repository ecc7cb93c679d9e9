/** Reading a record of any feed takes steps in proportion to its length. */
import { suite } from 'uvu'
import { FEEDS } from '../../corpus/feeds/table.ts'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { assertLaw } from './assert-law.ts'
import { feedSubject } from './subjects/feeds.ts'

const test = suite('growth of feeds')
const folder = temporaryFolder('growth')

for (const feed of FEEDS) {
  test(feed.name, async () => {
    const { feeds } = await sharedSample('small')
    await assertLaw(await feedSubject(feed, feeds, folder.path))
  })
}

test.after(() => folder.remove())
test.run()
