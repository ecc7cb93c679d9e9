/** Lists that lie about where their rows and entries are: a gateway answers what it asked for, or nothing. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Column, decodeTable, encodeTable, tableContent } from '../../../../corpus/snapshot/codec/table.ts'
import { cursorId } from '../../../../corpus/snapshot/cursor/cursor.ts'
import type { ListName } from '../../../../corpus/snapshot/cursor/lists.ts'
import { openObject, readCurrent } from '../../../../corpus/snapshot/files/layout.ts'
import { type OpenLists, openLists, readListTables } from '../../../../corpus/snapshot/memory/open-lists.ts'
import { type GoodSnapshot, goodSnapshot } from '../forgery.ts'

const good: GoodSnapshot = await goodSnapshot('open-lists', 'plain')

/** What `look` makes of the lists of a snapshot in which one list has other columns, with digests that fit. */
function withColumns(
  name: ListName,
  change: (columns: Record<string, Column>) => void,
  look: (lists: OpenLists) => void,
) {
  const dist = good.copy()
  const table = decodeTable(good.bytesOf('list', name))
  change(table.columns)
  const bytes = encodeTable(table)
  const file = good.manifest.files.find((one) => one.role === 'list' && one.name === name)!
  good.forge(dist, file, bytes, tableContent(table))
  const { manifest } = readCurrent(dist)
  const opened: ReturnType<typeof openObject>[] = []
  try {
    look(
      openLists(manifest, readListTables(dist, manifest), (one) => {
        const object = openObject(dist, one)
        opened.push(object)
        return object
      }),
    )
  } finally {
    for (const object of opened) object.close()
  }
}

const swapped = (values: Column): Column => {
  const copy = values.slice()
  ;[copy[0], copy[1]] = [values[1]!, values[0]!]
  return copy
}

test('the entry of another row is no answer, although its bytes are sound', () => {
  const change = (columns: Record<string, Column>) => {
    for (const name of ['entryAt', 'entryLength']) columns[name] = swapped(columns[name]!)
  }
  withColumns('cwes', change, ({ cwes }) => {
    assert.throws(() => cwes.entry(0), /a list points to cwe-\d+ for cwe-\d+/)
    assert.is(cwes.entry(2).key, cwes.id(2))
  })
})

test('another page is no answer either', () => {
  const change = (columns: Record<string, Column>) => {
    columns['sort.name.pagesAt'] = columns['sort.name.pagesAt']!.map((at, page) => (page === 1 ? 0 : at)) as Column
  }
  withColumns('cwes', change, ({ cwes }) => {
    assert.ok(cwes.orders.name!.pagesAt.length > 1, 'the sample has more than one page of weaknesses')
    assert.throws(() => cwes.page('name', 1), /a list points to 00000000 for 00000001/)
  })
})

test('only an id that was cut is found by what a cursor keeps of it', () => {
  withColumns(
    'products',
    () => {},
    ({ products }) => {
      for (let ordinal = 0; ordinal < products.count; ordinal++) {
        const id = products.id(ordinal)
        assert.is(products.ordinalOfCut(cursorId(id)), cursorId(id) === id ? undefined : ordinal)
      }
      assert.is(products.ordinalOfCut('nobody/nothing'), undefined)
    },
  )
})

test.after(() => good.remove())
test.run()
