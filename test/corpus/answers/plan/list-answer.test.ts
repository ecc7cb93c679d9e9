/** Pages of lists as they go out: whichever way they are made, gzip is the same content, and smaller. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listCapecs } from '../../../../corpus/answers/routes/capecs.ts'
import { listCves } from '../../../../corpus/answers/routes/cves.ts'
import { openRoutes } from '../../../support/ask.ts'
import { sharedSample } from '../../../support/samples.ts'

const sample = await sharedSample('usual')
const { call, close } = openRoutes(sample.dist)

const WAYS = { 'sort=id': 'shard', 'sort=-id': 'merge', 'q=a': 'sqlite' }

for (const [query, way] of Object.entries(WAYS)) {
  test(`of the way ${way}`, async () => {
    const answer = await call(listCapecs, {}, query)
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
      const answer = await call(listCves, {}, query)
      assert.is(answer.servedFrom, 'shard', `limit ${limit}`)
      cursor = JSON.parse(answer.identity().toString()).pagination.next_cursor
    }
    assert.ok(pages >= 3)
  }
  assert.is((await call(listCves, {}, 'limit=7')).servedFrom, 'merge')
})

test.after(close)

test.run()
