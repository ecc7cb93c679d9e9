/** A snapshot that would stop the gateway: it is refused in a moment, and the one before it goes on being served. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fileOf } from '../../corpus/snapshot/layout.ts'
import { goodSnapshot } from '../corpus/snapshot/forgery.ts'
import { testGateway } from '../support/gateway.ts'

const test = suite('hostile snapshots')
const good = await goodSnapshot('hostile')
const { manifest, bytesOf } = good

/** Serves the good snapshot, puts up what `forge` makes of a copy, and returns why it was refused. */
async function refusal(forge: (dist: string) => void): Promise<string> {
  const dist = good.copy()
  const gateway = await testGateway(good.folder, dist)
  try {
    await gateway.shelf.settled
    forge(dist)
    await gateway.refresh()
    assert.is(gateway.shelf.current.id, manifest.snapshot)
    assert.is((await gateway.get('/search?q=remote')).status, 200)
    const line = gateway.log.find(({ message }) => message === 'a new snapshot is refused; the old one stays')
    return String((line?.err as Error | undefined)?.message)
  } finally {
    await gateway.close()
  }
}

test('a query.db with a view that never ends', async () => {
  const path = join(good.folder, 'hostile.db')
  writeFileSync(path, bytesOf('query'))
  const database = new Database(path)
  database.exec('ALTER TABLE grams RENAME TO others')
  const endless = '(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n)'
  database.exec(`CREATE VIEW grams AS SELECT key, ${endless} AS crc, bytes FROM others`)
  database.close()
  const file = fileOf(manifest, 'query')
  const content = '0'.repeat(64)
  assert.match(
    await refusal((dist) => good.forge(dist, file, readFileSync(path), content)),
    /^query\.db is refused: it must have exactly the tables sets, texts, items, grams, bests/,
  )
})

test.after(() => good.remove())

test.run()
