/** A folder, a bundle, a web server and an object store with the same files: reads and downloads have the same results. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { downloadObject } from '../../../corpus/repository/download.ts'
import { readFile, readPart, readParts } from '../../../corpus/repository/read.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { END_BYTES, encodeHeader, paddingOf } from '../../../corpus/repository/tar.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { objectName, objectPath, temporaryFolder as partsOf } from '../../../corpus/snapshot/files/layout.ts'
import type { Stored } from '../../../corpus/snapshot/files/manifest.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { listening } from '../../support/listening.ts'
import { openWorld } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { BUCKET, openObjectStore } from '../../support/s3.ts'
import { serveFolder } from '../../support/web-folder.ts'

const folder = temporaryFolder('source')
const at = (name: string) => join(folder.path, name)
const world = openWorld()

/** Larger than a chunk of a local file. */
const object = Buffer.from(Uint8Array.from({ length: 700_000 }, (_, i) => (i * i) >> 3))
const stored = { sha256: sha256(object), size: object.length }
const PATH = objectName(stored.sha256)
const WRONG = { ...stored, sha256: '0'.repeat(64) }
const EMPTY = { sha256: sha256(''), size: 0 }
const FILES: Record<string, Buffer> = {
  'latest.json': Buffer.from('{"a pointer":1}'),
  [objectName(EMPTY.sha256)]: Buffer.alloc(0),
  [PATH]: object,
  [objectName(WRONG.sha256)]: object,
}

for (const [path, bytes] of Object.entries(FILES)) {
  mkdirSync(dirname(at(`dist/${path}`)), { recursive: true })
  writeFileSync(at(`dist/${path}`), bytes)
}
const entries = Object.entries(FILES).flatMap(([name, bytes]) => [
  encodeHeader({ name, size: bytes.length }),
  bytes,
  Buffer.alloc(paddingOf(bytes.length)),
])
const bundle = Buffer.concat([...entries, Buffer.alloc(END_BYTES)])
writeFileSync(at('night.tar'), bundle)
const web = await serveFolder(at('dist'))
const whole = await serveFolder(at('dist'), { ranges: false })
const store = await openObjectStore(at('store'))
Object.assign(process.env, store.env)
for (const [path, bytes] of Object.entries(FILES)) {
  await fetch(`${store.url}/${BUCKET}/x/${path}`, { method: 'PUT', body: bytes }).then((answer) => answer.text())
}

const open = (address: string) => ({ source: openSource(address, world.effects), effects: world.effects })
const readings = [at('dist'), `file://${at('dist')}`, at('night.tar'), web.url, `s3://${BUCKET}/x`].map(open)
const all = [...readings, open(whole.url)]

test('files and parts of files', async () => {
  for (const reading of all) {
    const { name } = reading.source
    for (const [path, bytes] of Object.entries(FILES)) {
      assert.ok((await readFile(path, bytes.length, reading)).equals(bytes), `${path} of ${name}`)
    }
    if (name === whole.url) continue
    for (const [start, length] of [
      [0, 1],
      [1, 9],
      [262_143, 300_000],
      [699_990, 10],
      [0, 700_000],
    ] as const) {
      const part = await readPart(PATH, { at: start, length }, stored.size, reading)
      assert.ok(part?.equals(object.subarray(start, start + length)), `${start} to ${start + length} of ${name}`)
    }
  }
})

test('a server that ignores ranges sends no part, only the whole file', async () => {
  const reading = open(whole.url)
  for (const span of [
    { at: 1, length: 1 },
    { at: 0, length: stored.size - 1 },
  ]) {
    assert.is(await readPart(PATH, span, stored.size, reading), null)
  }
  assert.ok((await readPart(PATH, { at: 0, length: stored.size }, stored.size, reading))?.equals(object))
  assert.is(
    await readParts(
      PATH,
      [
        { at: 0, length: 1 },
        { at: 9, length: 1 },
      ],
      reading,
    ),
    null,
  )
})

test('a missing file, one that is too long and one that is too short', async () => {
  for (const reading of all) {
    assert.match(await refusal(readFile('objects/none', 10, reading)), /^missing: objects\/none(?:: | is )/)
    assert.match(await refusal(readFile(PATH, 699_999, reading)), /^too_large: .*: more than 699999 bytes$/)
  }
  for (const reading of readings) {
    const cut = readPart(PATH, { at: 699_999, length: 2 }, 800_000, reading)
    assert.match(await refusal(cut), /^cut: .*: 1 of 2 bytes$/)
    const beyond = readPart(PATH, { at: 700_001, length: 2 }, 800_000, reading)
    assert.match(await refusal(beyond), /^restart: /, reading.source.name)
  }
  for (const nothing of [at('nowhere'), `s3://${BUCKET}/nowhere`]) {
    assert.match(await refusal(readFile('latest.json', 10, open(nothing))), /^missing: latest\.json(?:: | is )/)
  }
})

test('a download resumes, and never puts wrong bytes in place', async () => {
  for (const [i, reading] of all.entries()) {
    const dist = at(`copy-${i}`)
    mkdirSync(partsOf(dist), { recursive: true })
    for (const part of [object.subarray(0, 300_000), Buffer.alloc(300_000)]) {
      const path = join(partsOf(dist), `${stored.sha256}.part`)
      writeFileSync(path, part)
      const received: number[] = []
      await downloadObject(stored, 'it', { ...reading, dist, onBytes: (bytes) => void received.push(bytes) })
      assert.ok(readFileSync(objectPath(dist, stored.sha256)).equals(object))
      const isResumed = part.equals(object.subarray(0, 300_000)) && reading.source.name !== whole.url
      const bytes = received.reduce((sum, length) => sum + length)
      assert.is(bytes === 400_000, isResumed, `${bytes} bytes of ${reading.source.name}`)
      assert.not.ok(existsSync(path))
    }
    const { slept } = world
    slept.length = 0
    const refused = (object: Stored) => refusal(downloadObject(object, 'it', { ...reading, dist }))
    assert.match(await refused(WRONG), /^digest: it: its digest is /)
    assert.match(await refused({ ...stored, size: 699_999 }), /^restart: it: more bytes than the 699999 announced$/)
    writeFileSync(join(partsOf(dist), `${WRONG.sha256}.part`), object.subarray(0, 300_000))
    assert.match(await refused({ ...WRONG, size: 700_001 }), /^cut: it: 700000 of 700001 bytes$/)
    assert.is(slept.length === 0, reading.source.isLocal, 'a local file does not change while one waits')
    assert.not.ok(existsSync(objectPath(dist, WRONG.sha256)))
    for (let i = 0; i < 2; i++) {
      await downloadObject(EMPTY, 'it', { ...reading, dist })
      assert.is(statSync(objectPath(dist, EMPTY.sha256)).size, 0)
      writeFileSync(join(partsOf(dist), `${EMPTY.sha256}.part`), '')
    }
  }
})

test('a server that answers with another part is not believed, and no more is read than was asked for', async () => {
  let answer = { status: 206, range: 'bytes 5-9/700000', length: 5 }
  let sent = 0
  const server = await listening(
    createServer(async (_req, res) => {
      res.writeHead(answer.status, { 'content-range': answer.range })
      for (sent = 0; sent < answer.length && !res.destroyed; sent += 64 * 1024) {
        await new Promise<void>((resolve) => res.write(Buffer.alloc(64 * 1024), () => setImmediate(resolve)))
      }
      res.end()
    }),
  )
  const reading = open(`${server.origin}/`)
  const part = () => refusal(readPart(PATH, { at: 2, length: 4 }, 700_000, reading))
  assert.match(await part(), /^restart: .*: the server cannot resume at byte 2$/)
  answer = { ...answer, range: 'pages 2-5' }
  assert.match(await part(), /^restart: /)
  answer = { status: 206, range: 'bytes 2-5/700000', length: 100e6 }
  assert.match(await part(), /^too_large: .*: more than 699998 bytes$/)
  assert.ok(sent < 10e6, `${sent} bytes`)
  await server.close()
})

test('an aborted signal ends reads and downloads with its reason', async () => {
  for (const reading of all) {
    const ended = { ...reading, signal: AbortSignal.abort(new Error('ended')) }
    for (const work of [
      readFile('latest.json', 10, ended),
      downloadObject(stored, 'it', { ...ended, dist: at('x') }),
    ]) {
      assert.is(await work.catch((error: Error) => error.message), 'ended')
    }
  }
})

test('names contain no password, and other protocols are rejected', () => {
  for (const [address, name] of [
    ['https://user:100%@host/x?y#z', 'https://host/x/'],
    ['s3://bucket/a', 's3://bucket/a/'],
  ] as const) {
    assert.is(openSource(address, world.effects).name, name)
  }
  for (const address of ['ftp://user:pass@example.com/x', 's4://bucket']) {
    assert.throws(
      () => openSource(address, world.effects),
      /^cannot read a repository at \w+:\/\/; use a folder, a bundle, /,
    )
  }
})

test('files that are no bundle, and half a bundle', () => {
  for (const [bytes, reason] of [
    [bundle.subarray(0, bundle.length >> 1), /ends too early: it was not copied whole/],
    [Buffer.alloc(0), /is not a bundle/],
    [Buffer.from('a text'), /is not a bundle/],
    [Buffer.alloc(1024), /is not a bundle: it has no latest\.json/],
    [Buffer.alloc(4096, 'x'), /is not a bundle/],
  ] as const) {
    writeFileSync(at('other.tar'), bytes)
    assert.throws(() => openSource(at('other.tar'), world.effects), reason)
  }
})

test.after(async () => {
  for (const { source } of all) await source.close()
  await Promise.all([web.close(), whole.close(), store.close(), world.close()])
  folder.remove()
})

test.run()
