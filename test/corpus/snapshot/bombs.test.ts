/** A file that states an impossible size is rejected before it is read or decompressed. SPEC.md, "Bounds". */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { crc32 } from '../../../corpus/runtime/crc32.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import {
  MAX_CATALOG_PLAIN,
  MAX_EXTRACT_PLAIN,
  MAX_FILES,
  MAX_MANIFEST_BYTES,
  MAX_MEMBER_PLAIN,
  MAX_READ_BYTES,
  MAX_REBUILT_BYTES,
  MAX_ROWS_BYTES,
  MAX_SEGMENT_PLAIN,
} from '../../../corpus/snapshot/bounds.ts'
import { plainBytes } from '../../../corpus/snapshot/codec/segment-bytes.ts'
import { splicePlain } from '../../../corpus/snapshot/codec/splice.ts'
import { decodeTable } from '../../../corpus/snapshot/codec/table.ts'
import { extractShard, type ShardExtract } from '../../../corpus/snapshot/derive/extract.ts'
import { rowsBound } from '../../../corpus/snapshot/derive/rows.ts'
import { SnapshotError } from '../../../corpus/snapshot/error.ts'
import { encodeRecipe, rebuilt } from '../../../corpus/snapshot/files/delta.ts'
import {
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readManifest,
  readStored,
} from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { decodePointer } from '../../../corpus/snapshot/files/pointer.ts'
import { CATALOGS, decodeCatalog, ENTRY_KIND, encodeCatalog } from '../../../corpus/snapshot/record/catalog.ts'
import { CVE_PARTS } from '../../../corpus/snapshot/record/cve-member.ts'
import { decodeMemberHead, encodeMember } from '../../../corpus/snapshot/record/member.ts'
import { membersOf } from '../../../corpus/snapshot/record/shard.ts'
import { verifyMember } from '../../../corpus/snapshot/verify/member.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('bombs')
const MIB = 1024 * 1024

/** Asserts an error, and that no memory was allocated for the stated size. */
function refuses(work: () => unknown, message: RegExp): void {
  const before = process.memoryUsage()
  assert.throws(work, (error: unknown) => {
    assert.instance(error, SnapshotError)
    assert.is((error as SnapshotError).code, 'malformed')
    assert.match((error as SnapshotError).message, message)
    return true
  })
  const after = process.memoryUsage()
  assert.ok(after.external - before.external < 40 * MIB, `${after.external - before.external} bytes were taken`)
}

/** Offset of a member's segment table, and of the decompressed size in an entry. */
const TABLE_AT = 16
const ENTRIES_AT = TABLE_AT + 24
const ENTRY_BYTES = 40
const PLAIN_AT = 12

/** Returns a member with `plainLength` as the stated size of each segment. */
function promising(key: string, kinds: readonly number[], plainLength: number): Buffer {
  const parts = kinds.map((kind) => ({ kind, count: 1, plain: Buffer.from('{}') }))
  const { bytes } = encodeMember(key, [...parts, Buffer.from('}\n')])
  kinds.forEach((_, i) => void bytes.writeUInt32LE(plainLength, ENTRIES_AT + i * ENTRY_BYTES + PLAIN_AT))
  const end = ENTRIES_AT + kinds.length * ENTRY_BYTES
  bytes.writeUInt32LE(crc32(bytes.subarray(TABLE_AT, end)), end)
  return bytes
}

test('a catalog that inflates to more than its bound', () => {
  for (const name of CATALOGS) {
    const segment = Math.min(MAX_SEGMENT_PLAIN, MAX_CATALOG_PLAIN[name])
    const members = MAX_CATALOG_PLAIN[name] / segment
    const shardOf = (count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, i) => promising(`key-${i}`, [ENTRY_KIND], segment)))
    refuses(
      () => decodeCatalog(name, shardOf(members + 1)),
      new RegExp(`^catalog ${name}: it inflates to ${(members + 1) * segment} bytes; the limit is \\d+$`),
    )
    // A segment with an allowed size is decompressed, and its size is found to be wrong.
    refuses(() => decodeCatalog(name, shardOf(members)), /a segment inflates to \d+ bytes, not/)
  }
})

test('a real catalog of the largest size is read', () => {
  const text = JSON.stringify('x'.repeat(MAX_CATALOG_PLAIN['report-types'] - 2))
  const [entry] = decodeCatalog('report-types', Buffer.from(encodeCatalog([{ key: 'a', text }]).bytes))
  assert.ok(entry!.text === text)
})

test('a member that promises more than its bound is neither written nor read', () => {
  const kinds = [1, 2, 3]
  const part = MAX_MEMBER_PLAIN / 2
  refuses(() => decodeMemberHead(promising('key', kinds, part)), /^a member states \d+ bytes; the limit is \d+$/)
  assert.is(decodeMemberHead(promising('key', [1, 2], part)).segments.length, 2)
  const plain = Buffer.alloc(part)
  const parts = kinds.map((kind) => ({ kind, count: 1, plain }))
  assert.throws(() => encodeMember('key', [...parts, Buffer.from('\n')]), /^the parts of key have \d+ bytes/)
})

test('a segment, or an answer, of which an index promises more than its bound', () => {
  const stored = Buffer.from([0, 0, 0, 0xff, 0xff])
  const located = { offset: 0, length: stored.length, storedCrc: crc32(stored), plainCrc: 0 }
  refuses(
    () => plainBytes(stored, { ...located, plainLength: MAX_SEGMENT_PLAIN + 1 }),
    /^a segment states \d+ bytes; the limit is \d+$/,
  )
  const piece = { stored, segment: { plainLength: MAX_SEGMENT_PLAIN, plainCrc: 0, hash: Buffer.alloc(16) } }
  refuses(() => splicePlain([piece, ',', piece, piece]), /^the segments need \d+ bytes; the limit is \d+$/)
})

test('a member whose trailer promises more than its segments', () => {
  const { bytes } = encodeMember('key', [{ kind: ENTRY_KIND, count: 1, plain: Buffer.from('{}') }, Buffer.from('\n')])
  bytes.writeUInt32LE(0xfffffff0, bytes.length - 4)
  const [member] = membersOf(bytes)
  assert.throws(
    () => verifyMember('catalog', member!, bytes),
    /it states 4294967280 bytes, but its segments have fewer/,
  )
})

test('the cores and facets of a shard, and those of all shards', () => {
  const { core, facets } = CVE_PARTS
  const count = MAX_EXTRACT_PLAIN / MAX_MEMBER_PLAIN + 1
  const members = Array.from({ length: count }, (_, i) =>
    promising(`CVE-2024-000${i}`, [core.kind, facets.kind], MAX_MEMBER_PLAIN / 2),
  )
  refuses(
    () => extractShard(Buffer.concat(members)),
    /^its cores, facets and KEV entries inflate to \d+ bytes; the limit is \d+$/,
  )
  const bounded = rowsBound()
  const shard = { cores: { length: MAX_ROWS_BYTES / 2 }, names: { length: 0 } } as ShardExtract
  bounded(shard)
  bounded(shard)
  refuses(() => bounded({ ...shard, names: { length: 1 } } as ShardExtract), /^the cores and names of the CVEs have/)
})

test('a table that states more values than its file has, or a negative number', () => {
  const table = (rows: unknown[], perRow: unknown) => {
    const header = JSON.stringify({ about: {}, parts: [{ rows, columns: [{ name: 'c', type: 'f64', perRow }] }] })
    const start = Buffer.alloc(Math.ceil((12 + header.length) / 8) * 8)
    start.write('VSTABLE1')
    start.writeUInt32LE(header.length, 8)
    start.write(header, 12)
    return Buffer.concat([start, Buffer.alloc(16)])
  }
  assert.is(decodeTable(table([1], 1)).columns.c!.length, 1)
  for (const [rows, perRow] of [
    [[2 ** 40], 1],
    [[1], 2 ** 40],
    [[2 ** 52, 2 ** 52], 2 ** 52],
    [[1, 1], 1],
    [[], 1],
  ] as const) {
    refuses(() => decodeTable(table([...rows], perRow)), /^a table has another length than its header states$/)
  }
  for (const [rows, perRow] of [
    [[-1, 2], 1],
    [[1], 0],
    [[1.5], 1],
    [['1'], 1],
  ] as const) {
    refuses(() => decodeTable(table([...rows], perRow)), /^the header of a table has a damaged part$/)
  }
})

test('a file that a delta pack makes of little', () => {
  const former = Buffer.alloc(16 * MIB)
  const runs = Array.from({ length: MAX_REBUILT_BYTES / former.length + 1 }, () => ({ from: 0, length: former.length }))
  const change = { recipe: encodeRecipe(runs), carried: new Uint8Array() }
  refuses(() => rebuilt(change, former, runs.length * former.length), /does not rebuild its file$/)
})

test('a pointer that states a manifest of no size, or of too large a one', () => {
  const pointer = (size: unknown) =>
    Buffer.from(
      JSON.stringify({
        format: 1,
        version: 1,
        snapshot: 'a'.repeat(64),
        manifest: { sha256: 'b'.repeat(64), size },
        created_at: '2024-06-01T06:00:00.000Z',
      }),
    )
  for (const size of [1, MAX_MANIFEST_BYTES]) assert.is(decodePointer(pointer(size)).manifest.size, size)
  for (const size of [-5, 0, MAX_MANIFEST_BYTES + 1]) {
    const message = `^latest.json states a manifest of ${size} bytes; it must have 1 to ${MAX_MANIFEST_BYTES}$`
    refuses(() => decodePointer(pointer(size)), new RegExp(message))
  }
  for (const size of [1.5, null, '17', 1e300])
    refuses(() => decodePointer(pointer(size)), /lacks required fields of a pointer$/)
})

test('a pointer, a manifest or an object that is too long is not read', () => {
  const dist = join(folder.path, 'dist')
  const digest = sha256('anything')
  const long = (path: string, bytes: number) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    truncateSync(path, bytes)
  }
  long(pointerPath(dist), 1024 * MIB)
  refuses(() => readCurrent(dist), /^latest\.json has \d+ bytes; the limit is 65536$/)
  long(manifestPath(dist, digest), 1024 * MIB)
  refuses(() => readManifest(dist, digest), /^manifest [0-9a-f]{64} has \d+ bytes; the limit is \d+$/)
  long(objectPath(dist, digest), MAX_READ_BYTES + 1)
  refuses(() => readStored(dist, { sha256: digest, size: MAX_READ_BYTES + 1 }, 'it'), /^it has \d+ bytes; the limit/)
  assert.throws(() => readStored(dist, { sha256: digest, size: 7 }, 'it'), /^it is damaged: its digest differs/)
})

test('a manifest that no reader would accept is not written', () => {
  const file: FileEntry = {
    role: 'cve',
    name: '2024/3xxx',
    sha256: 'a'.repeat(64),
    size: 1,
    content: 'b'.repeat(64),
    count: 1,
    derived: false,
  }
  const manifest = { format: 1, snapshot: 'c'.repeat(64), created_at: '', parent: null, delta: null }
  assert.ok(encodeManifest({ ...manifest, files: Array(10_000).fill(file) }).length < MAX_MANIFEST_BYTES)
  assert.throws(
    () => encodeManifest({ ...manifest, files: Array(MAX_FILES + 1).fill(file) }),
    /longer than readers accept/,
  )
})

test.after(folder.remove)

test.run()
