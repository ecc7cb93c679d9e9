/** A request takes steps in proportion to its length, and to the largest record that a publisher can write. */
import { suite } from 'uvu'
import { ROUTES } from '../../gateway/routes/table.ts'
import { temporaryFolder } from '../support/dist.ts'
import { assertLaw } from './assert-law.ts'
import { openSnapshots, routeSubject } from './subjects/routes.ts'

const test = suite('growth of routes')
const folder = temporaryFolder('growth')
let snapshots: Awaited<ReturnType<typeof openSnapshots>>

test.before(async () => {
  snapshots = await openSnapshots(folder.path)
})

for (const route of ROUTES) test(route.name, () => assertLaw(routeSubject(route, snapshots)))

test.after(async () => {
  await snapshots?.close()
  folder.remove()
})
test.run()
