/** Reading a record of any feed takes steps in proportion to its length. */
import { test } from 'uvu'
import { temporaryFolder } from '../support/dist.ts'
import { sharedSample } from '../support/samples.ts'
import { testLaw } from './measure.ts'

const folder = temporaryFolder('growth')
await testLaw('./subjects/feeds.ts', (await sharedSample('small')).feeds, folder.path)

test.after(() => folder.remove())
test.run()
