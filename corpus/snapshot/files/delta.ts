/**
 * Delta packs. Nearly every shard changes each night, but few of its bytes do. A pack contains each file's new bytes,
 * and a recipe that combines them with the previous version. SPEC.md, "Delta pack".
 */
import { MAX_FILES, MAX_REBUILT_BYTES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import type { LocatedMember } from '../record/shard.ts'

/** Maximum nights to catch up by packs. Beyond it, the manifests alone exceed the unchanged bytes. */
export const MAX_NIGHTS = 30

/** A range of a file: from its previous version at `from`, or from the pack when null. */
export interface Run {
  from: number | null
  length: number
}

/** The new bytes of a file, and the recipe that combines them with its previous version. */
export interface Change {
  recipe: Uint8Array
  carried: Uint8Array
}

export interface PackedFile extends Change {
  /** Index of the file in its manifest, and of its previous version in the parent's manifest. */
  file: number
  previous: number
}

export interface LocatedShard {
  bytes: Buffer
  members: readonly LocatedMember[]
}

/** Returns the change of a shard. Reuses unchanged members and unchanged segments of changed members. */
export function shardChange(shard: LocatedShard, previous: LocatedShard): Change {
  const old = new Map(previous.members.map((member) => [member.key, member]))
  const runs: Run[] = []
  for (const member of shard.members) {
    const bytes = shard.bytes.subarray(member.at, member.at + member.length)
    const before = old.get(member.key)
    if (before && bytes.equals(previous.bytes.subarray(before.at, before.at + before.length))) {
      append(runs, { from: before.at, length: member.length })
    } else if (before) {
      for (const run of memberRuns(bytes, member, previous.bytes, before)) append(runs, run)
    } else append(runs, carry(member.length))
  }
  return { recipe: encodeRecipe(runs), carried: carriedOf(shard.bytes, runs) }
}

const carry = (length: number): Run => ({ from: null, length })

/** Yields the runs of a changed member: identical segments are reused, the bytes between them are carried. */
function* memberRuns(bytes: Buffer, { segments, length }: LocatedMember, before: Buffer, previous: LocatedMember) {
  let end = 0
  for (const { offset, length } of segments) {
    const segment = bytes.subarray(offset, offset + length)
    const same = previous.segments.find((one) => {
      const at = previous.at + one.offset
      return one.length === length && segment.equals(before.subarray(at, at + length))
    })
    if (!same) continue
    yield carry(offset - end)
    yield { from: previous.at + same.offset, length }
    end = offset + length
  }
  yield carry(length - end)
}

/** Adds a run, or extends the last one when contiguous. */
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
  // Its own ArrayBuffer, so that it can be transferred to another thread.
  const whole = Buffer.from(new ArrayBuffer(carried.reduce((sum, { length }) => sum + length, 0)))
  let end = 0
  for (const piece of carried) end += piece.copy(whole, end)
  return whole
}

/**
 * Rebuilds a file of `size` bytes from its previous version `former`.
 * @throws SnapshotError `malformed` when runs are out of range or do not add up to `size`
 */
export function rebuilt({ recipe, carried }: Change, previous: Uint8Array, size: number): Buffer {
  // Check before allocating: an untrusted manifest may state any size.
  let total = 0
  for (const { length } of runsIn(recipe)) total += length
  if (total !== size || size > MAX_REBUILT_BYTES) throw misfit()
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  let taken = 0
  for (const { from, length } of runsIn(recipe)) {
    const source = from === null ? carried : previous
    const start = from ?? taken
    if (start + length > source.length || at + length > size) throw misfit()
    bytes.set(source.subarray(start, start + length), at)
    at += length
    if (from === null) taken += length
  }
  if (taken !== carried.length) throw misfit()
  return bytes
}

const misfit = () => new SnapshotError('malformed', 'a delta pack is damaged: a recipe does not rebuild its file')

export function encodeRecipe(runs: readonly Run[]): Uint8Array {
  const bytes: number[] = []
  let end = 0
  for (const { from, length } of runs) {
    number(bytes, length * 2 + (from === null ? 0 : 1))
    if (from === null) continue
    // Usually after the previous run; before it when a file was sorted differently.
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

/** Encodes a pack. Files must be in ascending order of `file`. */
export function encodePack(files: readonly PackedFile[]): Buffer {
  const head: Uint8Array[] = [encodeNumbers(files.length)]
  for (const { file, previous, recipe, carried } of files) {
    head.push(encodeNumbers(file, previous, recipe.length, carried.length), recipe)
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

/** Appends a number as LEB128: seven bits per byte, lowest first, high bit set on all bytes but the last. */
function number(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
}

/**
 * Returns the files of a pack. Recipes and carried bytes are views of `bytes`.
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
    const previous = head.next()
    const recipeLength = head.next()
    const carried = head.next()
    const recipe = head.bytes(recipeLength)
    if (file <= (files.at(-1)?.file ?? -1) || at + carried > bytes.length) throw noPack()
    files.push({ file, previous, recipe, carried: bytes.subarray(at, at + carried) })
    at += carried
  }
  if (at !== bytes.length || !head.atEnd()) throw noPack()
  return files
}

const noPack = () => new SnapshotError('malformed', 'this is not a delta pack, or it is damaged')

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
