/** A snapshot that would stop the gateway: it is refused in a moment, and the one before it goes on being served. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../../corpus/runtime/digest.ts'
import { gzipFile } from '../../../../corpus/snapshot/codec/deflate.ts'
import { fileOf, objectPath, pointerPath, readCurrent } from '../../../../corpus/snapshot/files/layout.ts'
import { encodePointer } from '../../../../corpus/snapshot/files/pointer.ts'
import { encodeCatalog } from '../../../../corpus/snapshot/record/catalog.ts'
import { testGateway } from '../../../support/gateway.ts'
import { goodSnapshot } from '../forgery.ts'

const test = suite('hostile snapshots')
const good = await goodSnapshot('hostile')
const { manifest, bytesOf } = good

/** Serves the good snapshot, puts up what `forge` makes of a copy, and returns why it was refused. */
async function refusal(forge: (dist: string) => void): Promise<string> {
  const dist = good.copy()
  const gateway = await testGateway(good.folder, dist)
  try {
    await gateway.registry.settled
    forge(dist)
    await gateway.refresh()
    assert.is(gateway.registry.current.id, manifest.snapshot)
    assert.is((await gateway.get('/search?q=remote')).status, 200)
    const line = gateway.log.find(({ message }) => message === 'new snapshot rejected, still serving the previous one')
    return String((line?.err as Error | undefined)?.message)
  } finally {
    await gateway.close()
  }
}

test('a query.db with a view that never ends, which verify names too', async () => {
  const path = join(good.folder, 'hostile.db')
  writeFileSync(path, bytesOf('query'))
  const database = new Database(path)
  database.exec('ALTER TABLE advisories RENAME TO others')
  const endless = '(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n)'
  database.exec(`CREATE VIEW advisories AS SELECT id, ${endless} AS n FROM others`)
  database.close()
  const file = fileOf(manifest, 'query')
  const forge = (dist: string) => good.forge(dist, file, readFileSync(path), '0'.repeat(64))
  const reason = /query\.db is rejected: it must have exactly the tables words, /
  assert.match(await refusal(forge), reason)
  assert.match((await good.faultsAfter(forge)).join(), reason)
})

test('a new shard with another byte than its digest states', async () => {
  const file = manifest.files.find(({ role }) => role === 'cve')!
  const bytes = Buffer.concat([bytesOf('cve', file.name), Buffer.of(0)])
  const reason = await refusal((dist) => {
    good.forge(dist, file, bytes, '0'.repeat(64))
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(objectPath(dist, fileOf(readCurrent(dist).manifest, 'cve', file.name).sha256), bytes)
  })
  assert.match(reason, /^file cve .* is damaged: its digest differs from its name$/)
})

test('a catalog that inflates to more than its bound', async () => {
  const file = fileOf(manifest, 'catalog', 'report-types')
  const text = JSON.stringify({ prompt_name: 'bomb', enabled: true, output_schema: { a: '0'.repeat(60_000_000) } })
  const { bytes, content } = encodeCatalog([{ key: 'bomb', text }])
  assert.ok(bytes.length < 100_000)
  assert.match(
    await refusal((dist) => good.forge(dist, file, Buffer.from(bytes), content, 1)),
    /^catalog report-types: it inflates to 60000\d+ bytes; the limit is 16777216$/,
  )
})

test('rejected ids that inflate to more than their bound', async () => {
  const plain = Buffer.alloc(60_000_000, ' ')
  assert.match(
    await refusal((dist) => good.forge(dist, fileOf(manifest, 'rejected'), gzipFile(plain), sha256(plain))),
    /^the file rejected does not inflate to at most 16777216 bytes$/,
  )
})

test('a pointer that states a manifest of no bytes', async () => {
  const change = { manifest: { ...good.pointer.manifest, size: -5 } }
  assert.match(
    await refusal((dist) => writeFileSync(pointerPath(dist), encodePointer({ ...good.pointer, ...change }))),
    /^latest\.json states a manifest of -5 bytes; it must have 1 to 8388608$/,
  )
})

test.after(() => good.remove())

test.run()
