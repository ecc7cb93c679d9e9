import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pack, zipWriter } from '../../../corpus/sample/zip.ts'
import { memoryDisk, readZip, zipDirectory } from './memory-disk.ts'

async function zipOf(entries: Iterable<[string, string]>): Promise<Buffer> {
  const disk = memoryDisk()
  const zip = await zipWriter(disk, 'a.zip', new Date('2026-05-31T22:13:00Z'))
  for (const [name, text] of entries) await zip.add(name, pack(Buffer.from(text)))
  const bytes = await zip.end()
  assert.is(bytes, disk.files.get('a.zip')!.length)
  assert.equal([...disk.files.keys()], ['a.zip'])
  assert.is(disk.open.size, 0)
  return disk.files.get('a.zip')!
}

test('what goes in comes out, in order', async () => {
  const entries: [string, string][] = [
    ['a/b.json', '{"a":1}'],
    ['empty', ''],
    ['ü/long.txt', 'line\n'.repeat(500_000)],
  ]
  const read = await readZip(await zipOf(entries))
  assert.equal(
    [...read].map(([name, bytes]) => [name, bytes.toString()]),
    entries,
  )
})

test('an empty zip is one', async () => {
  assert.is((await readZip(await zipOf([]))).size, 0)
})

test('65,534 entries need no zip64, more than 65,535 do, and both are read whole', async () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, i): [string, string] => [`n/${i}`, ''])
  const small = await zipOf(numbered(65_534))
  const large = await zipOf(numbered(65_600))
  const zip64Locator = Buffer.from('PK\x06\x07', 'latin1')
  assert.is(small.subarray(-200).indexOf(zip64Locator), -1)
  assert.is.not(large.subarray(-200).indexOf(zip64Locator), -1)
  // Reading 65,600 entries as streams would take long and add nothing.
  assert.is((await zipDirectory(small)).size, 65_534)
  assert.equal([...(await zipDirectory(large)).keys()].at(-1), 'n/65599')
})

test('every entry carries the time that was given, in UTC', async () => {
  const bytes = await zipOf([['a', 'b']])
  const [time, date] = [bytes.readUInt16LE(10), bytes.readUInt16LE(12)]
  assert.equal([date >> 9, (date >> 5) & 15, date & 31], [46, 5, 31])
  assert.equal([time >> 11, (time >> 5) & 63], [22, 13])
})

test.run()
