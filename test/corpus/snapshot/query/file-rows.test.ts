/** Rows read by parts of the file are those that SQLite reads; a forged file is an error or the same answer. */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { buildQueryDb } from '../../../../corpus/snapshot/query/build.ts'
import { openQueryFile } from '../../../../corpus/snapshot/query/file.ts'
import { openFileRows } from '../../../../corpus/snapshot/query/file-rows.ts'
import { QUERY_TABLES, type QueryTable, type RowName, rowReader } from '../../../../corpus/snapshot/query/rows.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sampleSets, seeded } from './sample.ts'

const folder = temporaryFolder('file-rows')
const path = join(folder.path, 'query.db')
buildQueryDb(path, sampleSets())

interface Parts {
  bytes: Buffer
  /** Bytes that were read. */
  read: number
}

const opened = (parts: Parts) =>
  openFileRows(parts.bytes.length, async (spans) =>
    spans.map(({ at, length }) => {
      assert.ok(at >= 0 && length > 0 && at + length <= parts.bytes.length, `${length} bytes at ${at}`)
      parts.read += length
      return parts.bytes.subarray(at, at + length)
    }),
  )

function namesIn(file: string): RowName[] {
  const database = new Database(file, { readonly: true })
  const names = QUERY_TABLES.flatMap((table) =>
    database
      .prepare<[], number>(`SELECT key FROM ${table}`)
      .pluck()
      .all()
      .map((key): RowName => ({ table, set: Math.floor(key / 2 ** 32), number: key % 2 ** 32 })),
  )
  database.close()
  return names
}

const names = namesIn(path)

async function expectSame(file: string): Promise<void> {
  const reader = rowReader(openQueryFile(file))
  const rows = await opened({ bytes: readFileSync(file), read: 0 })
  for (let from = 0; from < names.length; from += 500) {
    const some = names.slice(from, from + 500)
    for (const [i, bytes] of (await rows.read(some)).entries()) {
      const { table, set, number } = some[i]!
      assert.is(Buffer.compare(bytes, reader.read(table, set, number)), 0, `${table} ${set} ${number}`)
    }
  }
}

test('every row is the one that SQLite reads', async () => {
  assert.ok(names.length > 5000)
  await expectSame(path)
})

for (const [what, pragma] of [
  ['small pages, so that trees are deep and most rows have chains', 'page_size = 1024'],
  ['the largest pages', 'page_size = 65536'],
] as const) {
  test(`a file with ${what}`, async () => {
    const other = join(folder.path, `${pragma.replace(' = ', '-')}.db`)
    copyFileSync(path, other)
    const database = new Database(other)
    database.pragma(pragma)
    database.exec('VACUUM')
    database.close()
    await expectSame(other)
  })
}

test('chains whose pages are apart, because rows were replaced', async () => {
  const other = join(folder.path, 'apart.db')
  copyFileSync(path, other)
  const database = new Database(other)
  const long = database.prepare<[], { key: number; bytes: Buffer }>('SELECT key, bytes FROM texts').all()
  database.exec('DELETE FROM texts WHERE key % 2 = 0; DELETE FROM grams WHERE key % 7 = 0')
  database.exec(`ATTACH '${path}' AS source`)
  const again = database.prepare('INSERT OR REPLACE INTO texts SELECT key, crc, bytes FROM source.texts WHERE key = ?')
  for (const { key } of long.toReversed()) again.run(key)
  database.exec('INSERT OR REPLACE INTO grams SELECT * FROM source.grams')
  database.close()
  await expectSame(other)
})

test('a row that is absent is missing, and so is one of another table', async () => {
  const rows = await opened({ bytes: readFileSync(path), read: 0 })
  for (const name of [
    { table: 'sets', set: 99, number: 0 },
    { table: 'texts', set: 0, number: 2 ** 31 },
    { table: 'bests', set: 0, number: 0 },
  ] as const) {
    const error = await rows.read([name]).catch((error: unknown) => error)
    assert.ok(error instanceof SnapshotError && error.code === 'missing', String(error))
  }
})

/** Bounds of the work for some rows: SQLite reads no more than a tree and a chain for each. */
const SOME = names.filter((_, i) => i % 11 === 0)

async function isHarmless(bytes: Buffer, expected: readonly Uint8Array[]): Promise<boolean> {
  const parts = { bytes, read: 0 }
  try {
    const found = await (await opened(parts)).read(SOME)
    assert.ok(
      found.every((row, i) => Buffer.compare(row, expected[i]!) === 0),
      'a row differs',
    )
    return true
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    return false
  } finally {
    assert.ok(parts.read <= 20 * bytes.length, `${parts.read} bytes were read`)
  }
}

test('flipped bits anywhere, and in the heads of pages, are an error or harmless', async () => {
  const good = readFileSync(path)
  const pageSize = 8192
  const expected = await (await opened({ bytes: good, read: 0 })).read(SOME)
  const random = seeded(5)
  let refused = 0
  for (let n = 0; n < 500; n++) {
    const bytes = Buffer.from(good)
    const page = Math.floor((random() * bytes.length) / pageSize)
    // Every other flip is in the head of a page: its type, its number of cells, its pointers, the next page of a chain.
    const at = n % 2 === 0 ? Math.floor(random() * bytes.length) : page * pageSize + Math.floor(random() * 20)
    bytes[at]! ^= 1 << Math.floor(random() * 8)
    if (!(await isHarmless(bytes, expected))) refused++
  }
  assert.ok(refused > 40, `only ${refused} were noticed`)
})

test('pages of random bytes, loops of pages, and chains that return end with an error', async () => {
  const good = readFileSync(path)
  const pageSize = 8192
  const expected = await (await opened({ bytes: good, read: 0 })).read(SOME)
  const random = seeded(6)
  const pages = good.length / pageSize
  let refused = 0
  for (let n = 0; n < 200; n++) {
    const bytes = Buffer.from(good)
    const links = 1 + Math.floor(random() * pages)
    for (let page = 2; page <= pages; page++) {
      const at = (page - 1) * pageSize
      const isInterior = bytes[at] === 5
      if (n % 4 === 0 && isInterior) {
        // Each child is the page itself, or another interior page.
        for (let cell = 0; cell < bytes.readUInt16BE(at + 3); cell++) {
          bytes.writeUInt32BE(n % 8 === 0 ? page : 2 + (links % 5), at + bytes.readUInt16BE(at + 12 + 2 * cell))
        }
        bytes.writeUInt32BE(page, at + 8)
      } else if (n % 4 === 1 && bytes[at] !== 13 && !isInterior) {
        bytes.writeUInt32BE(random() < 0.5 ? page : links, at)
      } else if (n % 4 === 2 && random() < 0.1) {
        for (let i = 0; i < pageSize; i++) bytes[at + i] = Math.floor(random() * 256)
      } else if (n % 4 === 3 && random() < 0.2) {
        bytes.copyWithin(at, (links - 1) * pageSize, links * pageSize)
      }
    }
    if (!(await isHarmless(bytes, expected))) refused++
  }
  assert.ok(refused > 150, `only ${refused} were noticed`)
})

test('a file that is cut off, and one with another schema, are refused', async () => {
  const good = readFileSync(path)
  for (const length of [0, 1, 511, 8192, 3 * 8192, Math.floor(good.length / 2)]) {
    const error = await isHarmless(good.subarray(0, length), []).catch((error: unknown) => error)
    assert.is(error, false, `${length} bytes`)
  }
  const other = join(folder.path, 'other.db')
  const database = new Database(other)
  database.exec('CREATE TABLE sets (key INTEGER PRIMARY KEY)')
  database.close()
  const error = await opened({ bytes: readFileSync(other), read: 0 }).catch((error: unknown) => error)
  assert.ok(error instanceof SnapshotError && error.code === 'malformed', String(error))
})

test('a few rows take a few pages', async () => {
  const parts = { bytes: readFileSync(path), read: 0 }
  const rows = await opened(parts)
  const before = parts.read
  await rows.read([{ table: 'items' satisfies QueryTable, set: 0, number: 7 }])
  assert.ok(parts.read - before <= 3 * 8192, `${parts.read - before} bytes`)
})

test.after(folder.remove)

test.run()
