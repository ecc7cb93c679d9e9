/** Delta packs produce the new files from the previous ones, contain little else, and fail if damaged. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../../corpus/sample/random.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import {
  decodePack,
  encodePack,
  encodeRecipe,
  type LocatedShard,
  type PackedFile,
  type Run,
  rebuilt,
  shardChange,
} from '../../../../corpus/snapshot/files/delta.ts'
import { readCurrent, readManifest, readObject } from '../../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../../corpus/snapshot/files/manifest.ts'
import { encodeMember } from '../../../../corpus/snapshot/record/member.ts'
import { type LocatedMember, membersOf } from '../../../../corpus/snapshot/record/shard.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sharedSample } from '../../../support/samples.ts'

const folder = temporaryFolder('delta')
const { dist } = await sharedSample('usual')
const { manifest } = readCurrent(dist)
const parent = readManifest(dist, manifest.parent!.manifest)

const located = (bytes: Buffer): LocatedShard => ({ bytes, members: [...membersOf(bytes)] })
const bytesOf = (file: FileEntry) => Buffer.from(readObject(dist, file))

function packed(): PackedFile[] {
  const files: PackedFile[] = []
  for (const [file, entry] of manifest.files.entries()) {
    if (entry.role !== 'cve' && entry.role !== 'catalog') continue
    const previous = parent.files.findIndex(({ role, name }) => role === entry.role && name === entry.name)
    if (previous < 0 || parent.files[previous]!.sha256 === entry.sha256) continue
    files.push({ file, previous, ...shardChange(located(bytesOf(entry)), located(bytesOf(parent.files[previous]!))) })
  }
  return files
}

const files = packed()
const pack = encodePack(files)

test('SPEC, "Delta pack": with the files of the parent a pack makes those of the snapshot, byte for byte', () => {
  assert.ok(files.length > 5)
  const decoded = decodePack(pack)
  assert.is(decoded.length, files.length)
  for (const one of decoded) {
    const entry = manifest.files[one.file]!
    assert.ok(
      rebuilt(one, bytesOf(parent.files[one.previous]!), entry.size).equals(readObject(dist, entry)),
      `${entry.role} ${entry.name}`,
    )
  }
})

test('a delta of a shard contains no member and no segment of the previous shard', () => {
  let changed = 0
  for (const { file, previous, carried } of files) {
    const shard = located(bytesOf(manifest.files[file]!))
    const before = located(bytesOf(parent.files[previous]!))
    const bytesIn = ({ bytes }: LocatedShard, { at, length }: LocatedMember) => bytes.subarray(at, at + length)
    const old = new Map(before.members.map((member) => [member.key, bytesIn(before, member)]))
    const fresh = shard.members.filter((member) => !old.get(member.key)?.equals(bytesIn(shard, member)))
    changed += fresh.length
    const most = fresh.reduce((sum, { length }) => sum + length, 0)
    assert.ok(carried.length <= most, `${carried.length} of ${most}`)
  }
  assert.ok(changed > 0)
})

test('a reordered file needs no content in its delta', () => {
  const shardFile = manifest.files.find(({ role, count }) => role === 'cve' && count > 3)!
  const shard = located(bytesOf(shardFile))
  const turned = Buffer.concat(
    shard.members.toReversed().map(({ at, length }) => shard.bytes.subarray(at, at + length)),
  )
  const change = shardChange(located(turned), shard)
  assert.is(change.carried.length, 0)
  const [decoded] = decodePack(encodePack([{ file: 0, previous: 0, ...change }]))
  assert.ok(rebuilt(decoded!, shard.bytes, turned.length).equals(turned))
})

const GLUE = Buffer.from('\n')
const member = (key: string, ...texts: string[]) =>
  encodeMember(key, [...texts.map((text, i) => ({ kind: i + 1, count: 1, plain: Buffer.from(text) })), GLUE])
const [a, b, c] = [member('a', 'one', 'two'), member('b', 'three'), member('c', 'four')]
const shardOf = (...members: { bytes: Buffer }[]) => located(Buffer.concat(members.map(({ bytes }) => bytes)))

test('of the same shard nothing is carried but one run', () => {
  const { recipe, carried } = shardChange(shardOf(a, b, c), shardOf(a, b, c))
  assert.is(carried.length, 0)
  assert.is(recipe.length, 3, 'a length of two bytes, and that it begins where the shard does')
})

test('a fully changed member is stored whole, between two runs of the old shard', () => {
  const changed = member('b', 'other')
  const { recipe, carried } = shardChange(shardOf(a, changed, c), shardOf(a, b, c))
  assert.equal(Buffer.from(carried), changed.bytes)
  assert.is(
    recipe.length,
    3 + 2 + 4,
    'two bytes a length; how far a run lies behind the one before takes one, then two',
  )
})

test('unchanged segments of a changed member come from the old shard', () => {
  const longer = member('a', 'one', 'a second part')
  const { recipe, carried } = shardChange(shardOf(longer), shardOf(a))
  assert.is(carried.length, longer.length - a.segments[0]!.length)
  assert.is(recipe.length, 2 + 2 + 2, 'the head, the segment of the old shard and where it begins, the rest')
})

function refused(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'malformed') return true
    throw error
  }
}

test('every number that a pack may have survives, also beyond 32 bits', () => {
  const files = [0, 127, 128, 16_383, 16_384, 999_999].map((file) => ({
    file,
    previous: 999_999 - file,
    recipe: Uint8Array.of(1, 2, 3),
    carried: Buffer.from(`carried by ${file}`),
  }))
  assert.equal(
    decodePack(encodePack(files)).map((one) => ({ ...one, carried: one.carried.toString(), recipe: [...one.recipe] })),
    files.map((one) => ({ ...one, carried: one.carried.toString(), recipe: [1, 2, 3] })),
  )
  const far = encodeRecipe([{ from: 2 ** 40, length: 127 }])
  assert.ok(refused(() => rebuilt({ recipe: far, carried: Buffer.alloc(0) }, Buffer.alloc(200), 127)))
  for (const size of [2 ** 50, 2 ** 31, 128]) {
    const near = encodeRecipe([{ from: 0, length: 127 }])
    assert.ok(refused(() => rebuilt({ recipe: near, carried: Buffer.alloc(0) }, Buffer.alloc(200), size)))
  }
})

test('a pack with missing or extra bytes', () => {
  assert.ok(refused(() => decodePack(Buffer.alloc(0))))
  for (let length = 0; length < Math.min(pack.length, 3000); length += 7) {
    assert.ok(
      refused(() => decodePack(pack.subarray(0, length))),
      `${length} bytes`,
    )
  }
  assert.ok(refused(() => decodePack(Buffer.concat([pack, Buffer.from('x')]))))
})

test('a pack with a bit changed anywhere makes something else, or nothing; it never does worse', () => {
  const random = new Random('delta')
  for (let i = 0; i < 400; i++) {
    const damaged = Buffer.from(pack)
    // Mostly in the recipes.
    damaged[random.int(i % 2 ? pack.length : Math.min(2000, pack.length))]! ^= 1 << random.int(8)
    try {
      for (const one of decodePack(damaged)) {
        const entry = manifest.files[one.file]
        const previous = parent.files[one.previous]
        if (entry && previous) rebuilt(one, bytesOf(previous), entry.size)
      }
    } catch (error) {
      assert.ok(error instanceof SnapshotError && error.code === 'malformed', String(error))
    }
  }
})

test('runs outside the old file, or with too few or too many bytes', () => {
  const before = Buffer.from('0123456789')
  const make = (runs: Run[], carried: string, size: number) => () =>
    rebuilt({ recipe: encodeRecipe(runs), carried: Buffer.from(carried) }, before, size)
  assert.is(
    make(
      [
        { from: 8, length: 2 },
        { from: null, length: 2 },
      ],
      'ab',
      4,
    )().toString(),
    '89ab',
  )
  for (const work of [
    make([{ from: 8, length: 3 }], '', 3),
    make([{ from: null, length: 3 }], 'ab', 3),
    make([{ from: 0, length: 3 }], '', 4),
    make([{ from: 0, length: 5 }], '', 4),
    make([{ from: null, length: 2 }], 'abc', 2),
  ]) {
    assert.ok(refused(work))
  }
})

test.after(folder.remove)
test.run()
