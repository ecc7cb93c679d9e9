/** Pages of lists as they go out: whichever way they are made, gzip is the same content, and smaller. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listCapecs } from '../../../../corpus/answers/routes/capecs.ts'
import { listCves } from '../../../../corpus/answers/routes/cves.ts'
import { openQueries } from '../../../../gateway/query/queries.ts'
import { openRegistry } from '../../../../gateway/snapshots/registry.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { asAdministrator } from '../../../support/gateway.ts'
import { sharedSample } from '../../../support/samples.ts'
import { listLog } from '../../../support/server.ts'

const folder = temporaryFolder('list-answer')
const sample = await sharedSample('usual')
const registry = openRegistry(sample.dist, { log: listLog().log, pollMs: 0 })
const queries = openQueries()
const context = { registry, queries, ...asAdministrator }

const WAYS = { 'sort=id': 'shard', 'sort=-id': 'merge', 'q=a': 'sqlite' }

for (const [query, way] of Object.entries(WAYS)) {
  test(`of the way ${way}`, async () => {
    const answer = await listCapecs.read({}, query)({ ...context, target: query })
    assert.is(answer.servedFrom, way)
    const [plain, zipped] = [answer.identity(), answer.gzip()]
    assert.is(gunzipSync(zipped).toString(), plain.toString())
    assert.ok(zipped.length < plain.length / 2, `${zipped.length} bytes of ${plain.length}`)
  })
}

test('every page of the default order of CVEs is stored, to the last one', async () => {
  for (const limit of [25, 50, 100]) {
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const query: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`
      const answer = await listCves.read({}, query)({ ...context, target: query })
      assert.is(answer.servedFrom, 'shard', `limit ${limit}`)
      cursor = JSON.parse(answer.identity().toString()).pagination.next_cursor
    }
    assert.ok(pages >= 3)
  }
  assert.is((await listCves.read({}, 'limit=7')({ ...context, target: 'limit=7' })).servedFrom, 'merge')
})

test.after(async () => {
  await queries.close()
  registry.close()
  folder.remove()
})

test.run()
