/** The known items of a feed in a corpus: every item with its digest and rows, for any number of items. */
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openItems } from '../../../corpus/store/feed-items.ts'
import { createSchema } from '../../../corpus/store/schema.ts'

/** More rows than one read returns, in items of one to four rows each, so that a read ends inside an item. */
const ITEMS = 4000

const digestOf = (item: number) => Buffer.alloc(item % 2 === 0 ? 17 : 33, item)
/** Includes the key that sorts before all others. */
const keyOf = (item: number) => (item === 0 ? '' : `item ${item}`)

test('every item is known by its digest and has its own rows', () => {
  const database = new Database(':memory:')
  createSchema(database)
  const insert = database.prepare('INSERT INTO claim (cve_key, feed, item, digest, body) VALUES (?, ?, ?, ?, ?)')
  const rows = new Map<string, number[]>()
  for (let row = 0; row < 4; row++) {
    for (let item = 0; item < ITEMS; item++) {
      if (row > item % 4) continue
      const cveKey = row === 0 ? '' : `2024D${1000 + row}:`
      const { lastInsertRowid } = insert.run(cveKey, 'osv', keyOf(item), digestOf(item), '1')
      rows.set(keyOf(item), [...(rows.get(keyOf(item)) ?? []), Number(lastInsertRowid)])
    }
  }
  insert.run('', 'ghsa', 'of another feed', digestOf(1), '1')

  const items = openItems(database, 'osv')
  assert.is(items.size(), ITEMS)
  for (let item = 0; item < ITEMS; item++) {
    const key = keyOf(item)
    assert.is(Buffer.compare(items.ask(key)!, digestOf(item)), 0)
    assert.is(items.ask(key), null, 'requested before')
    assert.equal([...items.stageOld(key)!], rows.get(key))
    assert.is(items.stageOld(key), null, 'staged before')
  }
  assert.is(items.isThere('of another feed'), false)
  assert.is(items.size(), ITEMS)
  items.stage('of another feed')
  assert.is(items.size(), ITEMS + 1)
  assert.is(openItems(database, 'nvd').size(), 0)
  database.close()
})

test.run()
