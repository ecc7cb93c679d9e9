/** The parts of the generator: random numbers, distributions, gzip and zip files. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { textFile } from '../../../corpus/sample/disk.ts'
import { choice, pairs, quantiles, weighted, zipf } from '../../../corpus/sample/distribution.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { filled, fromJson } from '../../../corpus/sample/text.ts'
import { pack, zipWriter } from '../../../corpus/sample/zip.ts'
import { memoryDisk, readZip } from './sample-files.ts'

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.float())

test('a stream is a function of its names', () => {
  assert.equal(draw(new Random(1, 'CVE-2024-0001', 'text'), 5), draw(new Random(1, 'CVE-2024-0001', 'text'), 5))
  assert.is.not(new Random('ab', 'c').float(), new Random('a', 'bc').float())
  assert.is.not(new Random(1, 'a').float(), new Random(2, 'a').float())
})

test('numbers are even, also across the first draws of many streams', () => {
  const firsts = Array.from({ length: 20_000 }, (_, i) => new Random(1, `CVE-2024-${i}`, 'x').float())
  for (const list of [draw(new Random('one'), 20_000), firsts]) {
    const tenths = Array.from({ length: 10 }, (_, i) => list.filter((one) => Math.floor(one * 10) === i).length)
    for (const count of tenths) assert.ok(count > 1850 && count < 2150, `${tenths}`)
  }
  const random = new Random('bounds')
  assert.equal(new Set(Array.from({ length: 200 }, () => random.between(3, 5))), new Set([3, 4, 5]))
  assert.match(random.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('distributions give back the figures of their tables', () => {
  const table = '0:1 0.5:10 0.9:1000 1:1000'
  const of = quantiles(table)
  assert.equal(
    [0, 0.5, 0.7, 0.95].map((even) => Math.round(of(even))),
    [1, 10, 100, 1000],
  )
  assert.is(quantiles('0:0 1:8')(0.25), 2)
  assert.equal([0, 0.249, 0.25, 0.999].map(choice('a:1|b:0|c d:3')), ['a', 'a', 'c d', 'c d'])
  assert.is(weighted([[1, 1]])(0.5), 1)
  assert.equal(pairs(' 1:2\n 3:4.5 '), [
    [1, 2],
    [3, 4.5],
  ])
  const ranks = draw(new Random('zipf'), 50_000).map(zipf(1000, 1.2, 1))
  assert.ok(Math.max(...ranks) < 1000 && Math.min(...ranks) === 0)
  const count = (rank: number) => ranks.filter((one) => one === rank).length
  // The weight of rank r is the integral of (x + 1)^-1.2 from r to r + 1.
  const weight = (rank: number) => (rank + 1) ** -0.2 - (rank + 2) ** -0.2
  assert.ok(Math.abs(count(0) / count(9) / (weight(0) / weight(9)) - 1) < 0.15)
})

test('templates are filled with values, words and digits, and JSON keeps every character', () => {
  const random = new Random('templates')
  assert.match(filled('{name} {hex4} {int3}', random, { name: 'flaw' }), /^flaw [0-9a-f]{4} [1-9]\d\d$/)
  const value = fromJson('{"a":"<{b}>","c":$c}', random, { b: 'x"\n\\', c: ['"', null] })
  assert.equal(value, { a: '<x"\n\\>', c: ['"', null] })
})

/** Three megabytes, so that there are several pieces. */
const lines = Array.from({ length: 60_000 }, (_, i) => `${i} The parser reads past its end: “${i * 7919}”.\n`)

test('a text file has its texts in order, plain, or as small gzip members without a time', async () => {
  for (const texts of [[], ['one\n'], lines]) {
    for (const gzip of [false, true]) {
      const disk = memoryDisk()
      const file = textFile(await disk.create('f'), gzip)
      for (const text of texts) await file.write(text)
      const length = await file.end()
      const bytes = disk.files.get('f')!
      assert.is(length, bytes.length)
      assert.is((gzip ? gunzipSync(bytes) : bytes).toString(), texts.join(''))
      if (gzip) assert.is(bytes.readUInt32LE(4), 0)
      if (gzip && texts === lines) assert.ok(bytes.length < Buffer.byteLength(lines.join('')) / 3)
    }
  }
})

async function zipOf(entries: Iterable<[string, string]>): Promise<Buffer> {
  const disk = memoryDisk()
  const zip = zipWriter(await disk.create('a.zip'), new Date('2026-05-31T22:13:00Z'))
  for (const [name, text] of entries) await zip.add(name, pack(Buffer.from(text)))
  assert.is(await zip.end(), disk.files.get('a.zip')!.length)
  assert.equal([[...disk.files.keys()], disk.open.size], [['a.zip'], 0])
  return disk.files.get('a.zip')!
}

test('a zip has its entries in order, each with the time in UTC', async () => {
  const entries: [string, string][] = [
    ['a/b.json', '{"a":1}'],
    ['empty', ''],
    ['ü/long.txt', 'line\n'.repeat(500_000)],
  ]
  const bytes = await zipOf(entries)
  assert.equal(
    [...(await readZip(bytes))].map(([name, content]) => [name, content.toString()]),
    entries,
  )
  const [time, date] = [bytes.readUInt16LE(10), bytes.readUInt16LE(12)]
  assert.equal([date >> 9, (date >> 5) & 15, date & 31, time >> 11, (time >> 5) & 63], [46, 5, 31, 22, 13])
  assert.is((await readZip(await zipOf([]))).size, 0)
})

test('65,534 entries need no zip64, more than 65,535 do, and both directories are read whole', async () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, i): [string, string] => [`n/${i}`, ''])
  const zip64Locator = Buffer.from('PK\x06\x07', 'latin1')
  for (const count of [65_534, 65_600]) {
    const bytes = await zipOf(numbered(count))
    assert.is(bytes.subarray(-200).includes(zip64Locator), count > 65_535)
    assert.equal([...(await readZip(bytes, false)).keys()].at(-1), `n/${count - 1}`)
  }
})

test.run()
