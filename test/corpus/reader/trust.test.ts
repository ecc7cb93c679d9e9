/** A reader accepts only signatures of the given keys, and only bytes as they were written. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cveBlock } from '../../../corpus/model/ids/cve-id.ts'
import { openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { crc32 } from '../../../corpus/runtime/crc32.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { deflateSegment } from '../../../corpus/snapshot/codec/deflate.ts'
import { plainBytes } from '../../../corpus/snapshot/codec/segment-bytes.ts'
import { SnapshotError } from '../../../corpus/snapshot/error.ts'
import { fileOf, manifestPath, objectPath, pointerPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import { makeKeyPair, readSigningKey, signPointer } from '../../../corpus/snapshot/files/signature.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { decodeMemberHead } from '../../../corpus/snapshot/record/member.ts'
import { all } from '../../support/all.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { openWorld } from '../../support/publisher.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'

const folder = temporaryFolder('reader-trust')
const { dist } = await sharedSample('small')
const { pointer, manifest } = readCurrent(dist)
const sound = await openReader(dist)
const rows = await all(sound.walk())

async function keyPair() {
  const { privateKey, publicKey } = await makeKeyPair('EdDSA')
  return { signing: await readSigningKey(JSON.stringify(privateKey), 'key'), publicKey }
}
const [ours, theirs] = [await keyPair(), await keyPair()]

/** Returns a copy that a test can damage. */
function copy(name: string): string {
  const path = join(folder.path, name)
  cpSync(dist, path, { recursive: true })
  return path
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const signed = copy('signed')
async function sign(changes: Partial<Pointer> = {}): Promise<void> {
  const bytes = await signPointer({ ...pointer, expires_at: inAnHour(), ...changes }, [ours.signing])
  writeFileSync(pointerPath(signed), bytes)
}

test('a pointer that a trusted key has signed is believed, with other keys beside it', async () => {
  await sign()
  for (const keys of [[ours.publicKey], [theirs.publicKey, ours.publicKey], undefined]) {
    const reader = await openReader(signed, { keys })
    assert.is(reader.snapshot.id, manifest.snapshot)
    assert.is(reader.pointer, readFileSync(pointerPath(signed), 'utf8'))
    await reader.close()
  }
})

test('one of other keys, of none, an expired one and one for ever are refused with the reason', async () => {
  const reason = async (path: string, keys = [ours.publicKey]) => {
    const error = await failed(openReader(path, { keys }))
    assert.equal([error?.name, error?.code], ['SnapshotError', 'untrusted'])
    return error!.message
  }
  await sign()
  assert.match(await reason(signed, [theirs.publicKey]), /no trusted key has signed/)
  assert.match(await reason(dist), /is not signed/)
  assert.match(await reason(signed, []), /no trusted key/)
  await sign({ expires_at: new Date(Date.now() - 1000).toISOString() })
  assert.match(await reason(signed), /expired at/)
  const { expires_at: _, ...forEver } = pointer
  writeFileSync(pointerPath(signed), await signPointer(forEver, [ours.signing]))
  assert.match(await reason(signed), /has no expiry/)
})

/** Returns a file of members with other titles in all segments and matching CRCs. SPEC.md, "Member". */
function retitled(file: Buffer): Buffer {
  const bytes = Buffer.from(file)
  let at = 0
  while (at < bytes.length) {
    const member = bytes.subarray(at)
    const { segments, length } = decodeMemberHead(member)
    const [table, fixed, line] = [16, 24, 40]
    segments.forEach((segment, i) => {
      const plain = plainBytes(member, segment).toString()
      const other = Buffer.from(
        plain.replace(/"title":"[^"\\]+"/g, (title) => `"title":"${'x'.repeat(title.length - 10)}"`),
      )
      const stored = deflateSegment(other)
      if (stored.length > segment.length) return
      const to = table + fixed + i * line
      stored.copy(member, segment.offset)
      for (const [field, value] of [
        [8, stored.length],
        [12, other.length],
        [16, crc32(other)],
        [20, crc32(stored)],
      ] as const) {
        member.writeUInt32LE(value, to + field)
      }
    })
    const end = table + fixed + segments.length * line
    member.writeUInt32LE(crc32(member.subarray(table, end)), end)
    at += length
  }
  return bytes
}

test('with keys, records and rows of a server or a folder that makes up its own are refused, whatever CRCs say', async () => {
  await sign()
  const path = join(folder.path, 'retitled')
  cpSync(signed, path, { recursive: true })
  for (const { role, sha256 } of manifest.files) {
    if (role !== 'cve' && role !== 'pages') continue
    const file = objectPath(path, sha256)
    writeFileSync(file, retitled(readFileSync(file)))
  }
  const web = await serveFolder(path)
  const id = rows[0]!.cve_id
  // A wrong digest is tried again, without real waits.
  const world = openWorld()
  const effects = { ...world.effects, now: () => new Date() }
  try {
    for (const address of [path, web.url]) {
      const believing = await openReader(address)
      assert.not.equal(await all(believing.walk()), rows, 'they are made up')
      await believing.close()
      const reader = await openReader(address, { keys: [ours.publicKey], effects })
      const asked = [
        () => reader.get(id),
        () => reader.list({ limit: 25 }),
        () => reader.list({ ids: [id] }),
        () => all(reader.walk()),
      ]
      for (const ask of asked) assert.is((await failed(ask()))?.code, 'digest')
      await reader.close()
    }
  } finally {
    await Promise.all([web.close(), world.close()])
  }
})

test('with keys, what is genuine is read from a URL too, each file once, and no copies are left behind', async () => {
  await sign()
  const web = await serveFolder(signed)
  const { TMPDIR } = process.env
  const own = join(folder.path, 'tmp')
  mkdirSync(own)
  process.env.TMPDIR = own
  const copies = () => readdirSync(own)
  try {
    const reader = await openReader(web.url, { keys: [ours.publicKey] })
    for (let i = 0; i < 2; i++) {
      assert.equal(await all(reader.walk()), rows)
      for (const { cve_id } of rows.slice(0, 20)) {
        const include = SECTION_NAMES
        assert.equal(await reader.get(cve_id, { include }), await sound.get(cve_id, { include }))
      }
    }
    const paths = web.asked.map(({ path }) => path)
    assert.is(new Set(paths).size, paths.length)
    assert.is(copies().length, 1)
    await reader.close()
    assert.equal(copies(), [])
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await web.close()
  }
})

test('a manifest that promises more than any file has is refused before anything is fetched', async () => {
  const path = copy('huge')
  const files = manifest.files.map((file) => (file.role === 'columns' ? { ...file, size: 2 ** 40 } : file))
  const bytes = encodeManifest({ ...manifest, files })
  const digest = sha256(bytes)
  writeFileSync(manifestPath(path, digest), bytes)
  writeFileSync(pointerPath(path), encodePointer({ ...pointer, manifest: { sha256: digest, size: bytes.length } }))
  const reader = await openReader(path)
  const error = await failed(reader.list({ kev: true }))
  await reader.close()
  assert.match(error!.message, /^file columns .* has more than \d+ bytes$/)
})

test('an empty folder, a damaged pointer and a damaged manifest are refused', async () => {
  const code = async (path: string) => (await failed(openReader(path)))?.code
  assert.is(await code(join(folder.path, 'nothing')), 'missing')
  const path = copy('head')
  flip(manifestPath(path, pointer.manifest.sha256), 100)
  assert.is(await code(path), 'digest')
  writeFileSync(pointerPath(path), '{"format":1}')
  assert.is(await code(path), 'malformed')
  writeFileSync(pointerPath(path), JSON.stringify({ ...pointer, format: 2 }))
  assert.is(await code(path), 'unsupported')
})

/** Flips a bit of the byte at `at`. A second call restores it. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 0x10
  writeFileSync(file, bytes)
}

/** Opens a reader, and reads the page starts and the tables of filters. */
async function openAll(path: string): Promise<void> {
  const reader = await openReader(path)
  await reader
    .list({ limit: 1 })
    .then(() => reader.list({ kev: true, limit: 1 }))
    .finally(() => reader.close())
}

test('a flipped bit in any table that is read whole is found before a row is read', async () => {
  const path = copy('tables')
  const random = new Random('tables')
  for (const [role, name] of [
    ['about', 'cve'],
    ['columns', 'cve'],
    ['orders', 'published'],
    ['orders', 'epss'],
  ] as const) {
    const file = fileOf(manifest, role, name)
    for (let i = 0; i < 5; i++) {
      const at = random.int(file.size)
      flip(objectPath(path, file.sha256), at)
      assert.is((await failed(openAll(path)))?.name, 'SnapshotError', `${role} ${name} at ${at}`)
      flip(objectPath(path, file.sha256), at)
    }
  }
  await openAll(path)
})

/** Runs `check` with a reader for each of some flipped bits of a file, at the places that `placeOf` selects. */
async function withFlips(
  name: string,
  file: FileEntry,
  times: number,
  check: (reader: Reader, where: string) => Promise<void>,
  placeOf = (random: Random, _time: number) => random.int(file.size),
): Promise<void> {
  const object = objectPath(copy(name), file.sha256)
  const random = new Random(name)
  for (let time = 0; time < times; time++) {
    const at = placeOf(random, time)
    flip(object, at)
    const reader = await openReader(join(folder.path, name))
    await check(reader, `byte ${at}`)
    await reader.close()
    flip(object, at)
  }
}

test('a flipped bit in the index gives no other record, and hides none', async () => {
  const file = fileOf(manifest, 'index')
  const records = await Promise.all(rows.map(({ cve_id }) => sound.get(cve_id)))
  let refusals = 0
  const check = async (reader: Reader, where: string) => {
    for (const [j, { cve_id }] of rows.entries()) {
      if (await isRefused(() => reader.get(cve_id), records[j], `${cve_id} with ${where}`)) refusals++
    }
  }
  // The header is at the beginning.
  await withFlips('index', file, 40, check, (random, time) => random.int(time < 10 ? 700 : file.size))
  assert.ok(refusals > 40, `${refusals}`)
})

/** Asserts that a reader returns the written value or throws a snapshot error. Returns whether it threw. */
async function isRefused(given: () => Promise<unknown>, written: unknown, what: string): Promise<boolean> {
  try {
    assert.equal(await given(), written, what)
    return false
  } catch (error) {
    if (error instanceof SnapshotError) return true
    throw error
  }
}

test('a flipped bit in a shard is never data: records and rows are as written, or an error', async () => {
  const shards = manifest.files.filter(({ role }) => role === 'cve').sort((a, b) => b.count - a.count)
  const shard = shards[0]!
  const inside = rows.filter(({ cve_id }) => cveBlock(cve_id) === shard.name)
  const written = new Map<string, unknown>()
  for (const { cve_id } of inside) written.set(cve_id, await sound.get(cve_id, { include: SECTION_NAMES }))
  assert.is(inside.length, shard.count)
  const include = SECTION_NAMES
  let refusals = 0
  await withFlips('shards', shard, 60, async (reader, where) => {
    let refused = 0
    for (const row of inside) {
      const id = row.cve_id
      if (await isRefused(() => reader.get(id, { include }), written.get(id), `${id}, ${where}`)) refused++
      await isRefused(() => reader.list({ ids: [id] }).then(({ data }) => data), [row], `row of ${id}, ${where}`)
    }
    assert.ok(refused <= 1, 'one bit lies in one member')
    refusals += refused
  })
  assert.ok(refusals > 30, `${refusals} of 60`)
})

test('a flipped bit in pages is never data either, and what lies elsewhere is still read', async () => {
  const ids = rows.map(({ cve_id }) => cve_id).sort()
  let refusals = 0
  await withFlips('pages', fileOf(manifest, 'pages', 'published'), 40, async (reader, where) => {
    if (await isRefused(() => all(reader.walk()), rows, where)) refusals++
    const others = await all(reader.walk({ sort: 'updated' }))
    assert.equal(others.map(({ cve_id }) => cve_id).sort(), ids)
  })
  assert.ok(refusals > 30, `${refusals} of 40`)
})

test('a page or a member of another place, sound in itself, is refused', async () => {
  const path = copy('moved')
  const [pages, other] = [fileOf(manifest, 'pages', 'published'), fileOf(manifest, 'pages', 'updated')]
  // The file of the order by publication gets the pages of another order.
  const bytes = readFileSync(objectPath(path, other.sha256))
  writeFileSync(objectPath(path, pages.sha256), bytes)
  const reader = await openReader(path)
  const error = await failed(all(reader.walk()))
  assert.is(error?.name, 'SnapshotError')
  await reader.close()
})

test.after(async () => {
  await sound.close()
  folder.remove()
})

test.run()
