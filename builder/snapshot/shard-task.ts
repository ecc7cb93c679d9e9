/**
 * Worker task: writes the CVE shard of one id block, and extracts the facts for the derived files. Unchanged records
 * reuse the members of the parent's shard.
 */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { SHORT_HASH_LENGTH, sha256 } from '../../corpus/runtime/digest.ts'
import {
  type Change,
  contentDigest,
  encodeCveMember,
  extractShard,
  type FileEntry,
  type LargePart,
  type LocatedMember,
  type LocatedShard,
  largeParts,
  type MemberHead,
  membersOf,
  readObject,
  type ShardExtract,
  SnapshotError,
  shardChange,
  withoutLarge,
} from '../../corpus/snapshot/index.ts'
import { connections } from '../../corpus/store/connections.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { BuildError } from './error.ts'

export interface ShardInput {
  corpus: string
  block: string
  /** In id order, and 16 bytes of digest for each. */
  ids: CveId[]
  digests: Uint8Array
  parent: { dist: string; file: FileEntry } | null
}

/** A record part or entry that exceeds a limit of the snapshot and is omitted. */
export interface LeftOut {
  /** A CVE id, or `<catalog>/<key>`. */
  name: string
  part: LargePart['part'] | 'entry'
  /** Null if the text exceeds the maximum string length. */
  bytes: number | null
  limit: number
}

export interface BuiltShard {
  /** Null if the parent's file contains exactly these records. */
  file: { bytes: Uint8Array; sha256: string; content: string } | null
  /** Null without a parent or a new file. */
  change: Change | null
  extract: ShardExtract
  /** Compressed members, and their compressed bytes. */
  encoded: number
  encodedBytes: number
  leftOut: LeftOut[]
}

/** Advisories and packages are read in the order of their hashes, each at another position of the file. */
const CACHE_KIB = 16_384

export const corpora = connections((path) => openCorpus(path, CACHE_KIB))

/** @throws BuildError `corpus-changed` if a record is no longer the requested one */
export function buildShard(input: ShardInput): BuiltShard {
  const parent = parentShard(input)
  const kept = sameMembers(parent?.members ?? [], input)
  const { file, bytes, members, ...encoded } =
    parent && kept.size === input.ids.length && parent.members.length === input.ids.length
      ? { file: null, ...parent, encoded: 0, encodedBytes: 0, leftOut: [] }
      : encodeShard(input, parent?.bytes ?? null, kept)
  const change = file && parent ? shardChange({ bytes, members }, parent) : null
  return { file, change, extract: extractShard(bytes, members), ...encoded }
}

function parentShard({ parent }: ShardInput): LocatedShard | null {
  const bytes = parent && readSound(parent.dist, parent.file)
  return bytes && { bytes, members: [...membersOf(bytes)] }
}

function encodeShard(input: ShardInput, shard: Buffer | null, kept: ReadonlyMap<string, LocatedMember>) {
  const { ids, digests } = input
  const changed = ids.filter((id) => !kept.has(id))
  const records = corpora.at(input.corpus).records(input.block, changed)[Symbol.iterator]()
  const digest = contentDigest()
  const members: LocatedMember[] = []
  const pieces: Uint8Array[] = []
  const leftOut: LeftOut[] = []
  let encodedBytes = 0
  let at = 0
  const add = (head: MemberHead, bytes: Uint8Array) => {
    digest.add(head)
    members.push({ ...head, at })
    pieces.push(bytes)
    at += head.length
  }
  ids.forEach((id, i) => {
    const member = kept.get(id)
    if (member && shard) {
      add(member, shard.subarray(member.at, member.at + member.length))
      return
    }
    const record = records.next().value
    const expected = digestAt(digests, i)
    if (record?.cveId !== id || Buffer.compare(record.digest, expected) !== 0) {
      throw new BuildError('corpus-changed', `${id} changed in the corpus during the build; build again`)
    }
    const large = largeParts(record.parts)
    for (const one of large) leftOut.push({ name: id, ...one })
    const parts = large.length === 0 ? record.parts : withoutLarge(record.parts, large)
    const { bytes, ...head } = encodeCveMember(id, parts, expected)
    add(head, bytes)
    encodedBytes += bytes.length
  })
  // An ArrayBuffer of its own can be transferred; small Buffers share a pool.
  const bytes = Buffer.from(new ArrayBuffer(at))
  members.forEach((member, i) => void bytes.set(pieces[i]!, member.at))
  return {
    file: { bytes, sha256: sha256(bytes), content: digest.hex() },
    bytes,
    members,
    encoded: changed.length,
    encodedBytes,
    leftOut,
  }
}

/** Returns null for a missing or damaged object, so that its members are encoded again. */
export function readSound(dist: string, file: FileEntry): Buffer | null {
  try {
    return readObject(dist, file)
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

const digestAt = (digests: Uint8Array, i: number) =>
  digests.subarray(i * SHORT_HASH_LENGTH, (i + 1) * SHORT_HASH_LENGTH)

/** Returns the parent's members with unchanged records, by key. */
function sameMembers(members: readonly LocatedMember[], { ids, digests }: ShardInput): Map<string, LocatedMember> {
  const wanted = new Map(ids.map((id, i) => [id as string, digestAt(digests, i)]))
  const same = new Map<string, LocatedMember>()
  for (const member of members) {
    const digest = wanted.get(member.key)
    if (digest && Buffer.compare(member.source, digest) === 0) same.set(member.key, member)
  }
  return same
}
