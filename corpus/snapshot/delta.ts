/**
 * Delta packs: what leads from a snapshot to the one that was built upon it. Changes are scattered, so that nearly every
 * shard is a new file each night although most of its bytes are those of its former self. A pack has of each file what is
 * new in it, and a recipe that puts it together from both. SPEC.md, "Delta pack".
 */
import { MAX_FILES, MAX_MADE_BYTES } from './bounds.ts'
import { SnapshotError } from './error.ts'
import type { PlacedMember } from './shard.ts'

/** Behind so many nights nobody goes back: their manifests alone would be more than what has stayed. */
export const MOST_NIGHTS = 30

/** A stretch of a file: that of its former self which begins at `from`, or else carried by the pack. */
export interface Run {
  from: number | null
  length: number
}

/** What is new in a file, and how it is put together from that and its former self. */
export interface Change {
  /** Runs in a row, by `encodeRecipe`. */
  recipe: Uint8Array
  /** The bytes of the runs that are carried, in their order. */
  carried: Uint8Array
}

/** A file of the new snapshot, as a pack has it. */
export interface PackedFile extends Change {
  /** Its place among the files of its manifest, and that of its former self among those of the parent's. */
  file: number
  former: number
}

/** A shard, and where its members lie. */
export interface PlacedShard {
  bytes: Buffer
  members: readonly PlacedMember[]
}

/** The change of a shard: members that are as they were, of the others the segments that are, and what is new. */
export function shardChange(shard: PlacedShard, former: PlacedShard): Change {
  const old = new Map(former.members.map((member) => [member.key, member]))
  const runs: Run[] = []
  for (const member of shard.members) {
    const bytes = shard.bytes.subarray(member.at, member.at + member.length)
    const before = old.get(member.key)
    if (before && bytes.equals(former.bytes.subarray(before.at, before.at + before.length))) {
      append(runs, { from: before.at, length: member.length })
    } else if (before) {
      for (const run of memberRuns(bytes, member, former.bytes, before)) append(runs, run)
    } else append(runs, carry(member.length))
  }
  return { recipe: encodeRecipe(runs), carried: carriedOf(shard.bytes, runs) }
}

const carry = (length: number): Run => ({ from: null, length })

/** A changed member: its segments where its former self has them, byte for byte, and what lies between them carried. */
function* memberRuns(bytes: Buffer, { segments, length }: PlacedMember, before: Buffer, former: PlacedMember) {
  let end = 0
  for (const { offset, length } of segments) {
    const segment = bytes.subarray(offset, offset + length)
    const same = former.segments.find((one) => {
      const at = former.at + one.offset
      return one.length === length && segment.equals(before.subarray(at, at + length))
    })
    if (!same) continue
    yield carry(offset - end)
    yield { from: former.at + same.offset, length }
    end = offset + length
  }
  yield carry(length - end)
}

/** Adds a run; to the last one, where it goes on from it. */
function append(runs: Run[], { from, length }: Run): void {
  if (length === 0) return
  const last = runs.at(-1)
  const expected = last && last.from !== null ? last.from + last.length : null
  if (last && from === expected) last.length += length
  else runs.push({ from, length })
}

function carriedOf(bytes: Buffer, runs: readonly Run[]): Buffer {
  const carried: Buffer[] = []
  let at = 0
  for (const { from, length } of runs) {
    if (from === null) carried.push(bytes.subarray(at, at + length))
    at += length
  }
  // Memory of its own, which can be moved to another thread.
  const whole = Buffer.from(new ArrayBuffer(carried.reduce((sum, { length }) => sum + length, 0)))
  let end = 0
  for (const piece of carried) end += piece.copy(whole, end)
  return whole
}

/**
 * Puts a file of `size` bytes together; `former` is its former self.
 * @throws SnapshotError `malformed` where runs lie outside of what there is, or do not make that many bytes
 */
export function rebuilt({ recipe, carried }: Change, former: Uint8Array, size: number): Buffer {
  // Before memory is taken for it: a manifest of somebody else's may promise anything.
  let total = 0
  for (const { length } of runsIn(recipe)) total += length
  if (total !== size || size > MAX_MADE_BYTES) throw misfit()
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  let taken = 0
  for (const { from, length } of runsIn(recipe)) {
    const source = from === null ? carried : former
    const start = from ?? taken
    if (start + length > source.length || at + length > size) throw misfit()
    bytes.set(source.subarray(start, start + length), at)
    at += length
    if (from === null) taken += length
  }
  if (taken !== carried.length) throw misfit()
  return bytes
}

const misfit = () => new SnapshotError('malformed', 'a recipe of a delta pack does not make the file it is for')

export function encodeRecipe(runs: readonly Run[]): Uint8Array {
  const bytes: number[] = []
  let end = 0
  for (const { from, length } of runs) {
    number(bytes, length * 2 + (from === null ? 0 : 1))
    if (from === null) continue
    // Behind the run before it, mostly; before it where a file was sorted anew.
    number(bytes, from >= end ? (from - end) * 2 : (end - from) * 2 - 1)
    end = from + length
  }
  return Uint8Array.from(bytes)
}

/** @throws SnapshotError `malformed` */
function* runsIn(recipe: Uint8Array): Generator<Run> {
  const numbers = numbersIn(recipe)
  let end = 0
  while (!numbers.atEnd()) {
    const lengthAndKind = numbers.next()
    const length = Math.floor(lengthAndKind / 2)
    if (lengthAndKind % 2 === 0) {
      yield { from: null, length }
      continue
    }
    const distance = numbers.next()
    const from = distance % 2 === 0 ? end + distance / 2 : end - (distance + 1) / 2
    if (from < 0) throw noPack()
    yield { from, length }
    end = from + length
  }
}

const MAGIC = Buffer.from('VSDELTA1', 'latin1')

/** Files must come in ascending order of their places. */
export function encodePack(files: readonly PackedFile[]): Buffer {
  const head: Uint8Array[] = [encodeNumbers(files.length)]
  for (const { file, former, recipe, carried } of files) {
    head.push(encodeNumbers(file, former, recipe.length, carried.length), recipe)
  }
  const size = Buffer.alloc(4)
  size.writeUInt32LE(head.reduce((sum, { length }) => sum + length, 0))
  return Buffer.concat([MAGIC, size, ...head, ...files.map(({ carried }) => carried)])
}

function encodeNumbers(...numbers: number[]): Uint8Array {
  const bytes: number[] = []
  for (const one of numbers) number(bytes, one)
  return Uint8Array.from(bytes)
}

/** A number in seven bits a byte, the lowest first; the high bit is set on all bytes but the last. */
function number(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
}

/**
 * The files of a pack; recipes and what is carried are views into `bytes`.
 * @throws SnapshotError `malformed`
 */
export function decodePack(bytes: Buffer): PackedFile[] {
  const start = MAGIC.length + 4
  if (bytes.length < start || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw noPack()
  const headEnd = start + bytes.readUInt32LE(MAGIC.length)
  if (headEnd > bytes.length) throw noPack()
  const head = numbersIn(bytes.subarray(start, headEnd))
  const count = head.next()
  if (count > MAX_FILES) throw noPack()
  const files: PackedFile[] = []
  let at = headEnd
  for (let i = 0; i < count; i++) {
    const file = head.next()
    const former = head.next()
    const recipeLength = head.next()
    const carried = head.next()
    const recipe = head.bytes(recipeLength)
    if (file <= (files.at(-1)?.file ?? -1) || at + carried > bytes.length) throw noPack()
    files.push({ file, former, recipe, carried: bytes.subarray(at, at + carried) })
    at += carried
  }
  if (at !== bytes.length || !head.atEnd()) throw noPack()
  return files
}

const noPack = () => new SnapshotError('malformed', 'this is no delta pack, or a damaged one')

interface Numbers {
  next(): number
  bytes(length: number): Uint8Array
  atEnd(): boolean
}

function numbersIn(bytes: Uint8Array): Numbers {
  let at = 0
  return {
    next() {
      let value = 0
      for (let scale = 1; ; scale *= 0x80) {
        const byte = bytes[at++]
        if (byte === undefined) throw noPack()
        value += (byte & 0x7f) * scale
        if (value > Number.MAX_SAFE_INTEGER) throw noPack()
        if (byte < 0x80) return value
      }
    },
    bytes(length) {
      if (length > bytes.length - at) throw noPack()
      at += length
      return bytes.subarray(at - length, at)
    },
    atEnd: () => at === bytes.length,
  }
}
