/** Shards with one segment per member: catalogs, advisories, packages. SPEC.md, "Catalog shard", "Hashed shards". */
import { encodeMember } from './member.ts'
import { contentDigest, type LocatedMember, membersOf } from './shard.ts'

export interface ShardEntry {
  key: string
  /** 16 bytes. Entries of one key and source are equal. */
  source: Uint8Array
  /** Called only if the previous shard does not have the entry. */
  text(): string
}

export interface EncodedShard {
  /** In an ArrayBuffer of its own, which can be transferred to another thread. */
  bytes: Buffer
  content: string
  members: LocatedMember[]
  /** Compressed members, and their bytes. */
  encoded: number
  encodedBytes: number
}

/** Returns a shard of entries in their order. Equal members of `previous` are copied. */
export function encodeEntries(
  kind: number,
  entries: readonly ShardEntry[],
  previous: Buffer | null = null,
): EncodedShard {
  const kept = new Map(previous ? Array.from(membersOf(previous), (member) => [member.key, member] as const) : [])
  const digest = contentDigest()
  const members: LocatedMember[] = []
  const pieces: Uint8Array[] = []
  const tally = { encoded: 0, encodedBytes: 0 }
  let at = 0
  for (const { key, source, text } of entries) {
    const old = kept.get(key)
    let head: Omit<LocatedMember, 'at'>
    if (previous && old && Buffer.compare(old.source, source) === 0) {
      head = old
      pieces.push(previous.subarray(old.at, old.at + old.length))
    } else {
      const { bytes, ...made } = encodeMember(key, [{ kind, count: 1, plain: Buffer.from(text()) }, END], source)
      head = made
      pieces.push(bytes)
      tally.encoded++
      tally.encodedBytes += bytes.length
    }
    digest.add(head)
    members.push({ ...head, at })
    at += head.length
  }
  const bytes = Buffer.from(new ArrayBuffer(at))
  members.forEach((member, i) => void bytes.set(pieces[i]!, member.at))
  return { bytes, content: digest.hex(), members, ...tally }
}

const END = Buffer.from('\n')
