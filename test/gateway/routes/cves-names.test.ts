/** A snapshot of an earlier builder has no filters by vendor, product and package: gateway and reader say so. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../../corpus/reader/reader.ts'
import { goodSnapshot } from '../../corpus/snapshot/forgery.ts'
import { earlierSnapshot } from '../../corpus/snapshot/packaged.ts'
import { testGateway } from '../../support/gateway.ts'
import { refusal } from '../../support/refusal.ts'

const good = await goodSnapshot('cves-names')
const dist = await earlierSnapshot(good)
const gateway = await testGateway(good.folder, dist)
const reader = await openReader(dist)

const NAMES = { vendor: 'acme', product: 'acme/widget', package: 'npm/lodash' }

for (const [name, value] of Object.entries(NAMES)) {
  const message = `the snapshot does not support the filter '${name}', because an earlier version built it; build a new snapshot`

  test(`${name}: 503 of the gateway, with and without q`, async () => {
    for (const more of ['', '&q=e', '&kev=false']) {
      const response = await gateway.get(`/cves?${name}=${encodeURIComponent(value)}${more}`)
      assert.equal([response.status, await response.json()], [503, { error: 'unavailable', message }])
      assert.is(response.headers.get('retry-after'), '3600')
    }
  })

  test(`${name}: an error of the reader`, async () => {
    assert.is(await refusal(reader.list({ [name]: value })), `unsupported: ${message}`)
    assert.is(await refusal(reader.walk({ [name]: value }).next()), `unsupported: ${message}`)
  })
}

test('other filters work', async () => {
  assert.is((await gateway.get('/cves?kev=false&assigner=nobody')).status, 200)
  assert.ok((await reader.list({ kev: false })).data.length > 0)
})

test.after(async () => {
  await gateway.close()
  await reader.close()
  good.remove()
})

test.run()
