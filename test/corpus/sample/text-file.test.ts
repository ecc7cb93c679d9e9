import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { textFile } from '../../../corpus/sample/text-file.ts'
import { memoryDisk } from './memory-disk.ts'

async function written(texts: Iterable<string>, gzip: boolean) {
  const disk = memoryDisk()
  const file = await textFile(await disk.create('f'), gzip)
  for (const text of texts) await file.write(text)
  const length = await file.end()
  return { bytes: disk.files.get('f')!, length }
}

/** Three megabytes, so that there are several pieces. */
const lines = Array.from({ length: 60_000 }, (_, i) => `${i} The parser reads past its end: “${i * 7919}”.\n`)

test('texts follow each other, plain or gzipped', async () => {
  for (const texts of [[], ['one\n'], lines]) {
    assert.is((await written(texts, false)).bytes.toString(), texts.join(''))
    assert.is(gunzipSync((await written(texts, true)).bytes).toString(), texts.join(''))
  }
})

test('the length given is that of the file', async () => {
  for (const gzip of [false, true]) {
    const { bytes, length } = await written(lines, gzip)
    assert.is(length, bytes.length)
  }
})

test('a gzip file is one member without a time, and small', async () => {
  const { bytes } = await written(lines, true)
  assert.is(bytes.readUInt32LE(4), 0)
  assert.is(bytes.readUInt32LE(bytes.length - 4), Buffer.byteLength(lines.join('')))
  assert.ok(bytes.length < Buffer.byteLength(lines.join('')) / 3)
})

test.run()
