/** A request takes steps in proportion to its length, and to the largest record that a publisher can write. */
import { join } from 'node:path'
import { test } from 'uvu'
import { temporaryFolder } from '../support/dist.ts'
import { distOf } from '../support/samples.ts'
import { growingFeeds } from './growing-feeds.ts'
import { testLaw } from './measure.ts'
import { ROUTE_SIZES } from './subjects/routes.ts'

const folder = temporaryFolder('growth')
const snapshots: string[] = []
for (const n of ROUTE_SIZES) snapshots.push((await distOf(join(folder.path, String(n)), growingFeeds(n))).dist)
await testLaw('./subjects/routes.ts', ...snapshots)

test.after(() => folder.remove())
test.run()
