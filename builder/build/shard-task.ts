/** The CVE shard of one id block: members of the parent's shard where the record is the same, new ones elsewhere. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { encodeCveMember } from '../../corpus/snapshot/cve-member.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/snapshot/digest.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { readObject } from '../../corpus/snapshot/layout.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import type { MemberHead } from '../../corpus/snapshot/member.ts'
import { contentDigest, membersOf } from '../../corpus/snapshot/shard.ts'
import { type Corpus, openCorpus } from '../../corpus/store/corpus.ts'
import { BuildError } from './error.ts'

export interface ShardInput {
  corpus: string
  block: string
  /** The records of the block in the order of ids, and 16 bytes of digest for each. */
  ids: CveId[]
  digests: Uint8Array
  /** The shard of this block in the parent snapshot. */
  parent: { dist: string; file: FileEntry } | null
}

export interface EncodedShard {
  bytes: Uint8Array
  content: string
  /** Members that were compressed anew, and their length in bytes. */
  encoded: number
  encodedBytes: number
}

/** One connection for each thread and corpus. */
const corpora = new Map<string, Corpus>()

function corpusAt(path: string): Corpus {
  let corpus = corpora.get(path)
  if (!corpus) {
    corpus = openCorpus(path, { readonly: true })
    corpora.set(path, corpus)
  }
  return corpus
}

/** Closes what tasks of this thread opened. */
export function closeCorpora(): void {
  for (const corpus of corpora.values()) corpus.close()
  corpora.clear()
}

/** @throws BuildError `corpus-changed` when a record is no longer the one that was asked for */
export function encodeShard(input: ShardInput): EncodedShard {
  const { ids, digests } = input
  const kept = keptMembers(input)
  const records = corpusAt(input.corpus)
    .records(
      input.block,
      ids.filter((id) => !kept.has(id)),
    )
    [Symbol.iterator]()
  const digest = contentDigest()
  const members: Uint8Array[] = []
  let encoded = 0
  let encodedBytes = 0
  ids.forEach((id, i) => {
    let member = kept.get(id)
    if (!member) {
      const record = records.next().value
      const expected = digests.subarray(i * SHORT_HASH_LENGTH, (i + 1) * SHORT_HASH_LENGTH)
      if (record?.cveId !== id || Buffer.compare(record.digest, expected) !== 0) {
        throw new BuildError('corpus-changed', `${id} changed in the corpus during the build; build again`)
      }
      member = encodeCveMember(id, record.parts, expected)
      encoded++
      encodedBytes += member.length
    }
    digest.add(member)
    members.push(member.bytes)
  })
  return { bytes: new Uint8Array(Buffer.concat(members)), content: digest.hex(), encoded, encodedBytes }
}

/** The bytes of an object, or null where they are missing or damaged: then its members are made anew. */
export function readSound(dist: string, file: FileEntry): Buffer | null {
  try {
    return readObject(dist, file)
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

/** The members of the parent's shard whose record is still the same. */
function keptMembers({ parent, ids, digests }: ShardInput): Map<string, MemberHead & { bytes: Uint8Array }> {
  const kept = new Map<string, MemberHead & { bytes: Uint8Array }>()
  if (!parent) return kept
  const wanted = new Map(
    ids.map((id, i) => [id as string, digests.subarray(i * SHORT_HASH_LENGTH, (i + 1) * SHORT_HASH_LENGTH)]),
  )
  const shard = readSound(parent.dist, parent.file)
  if (!shard) return kept
  for (const member of membersOf(shard)) {
    const digest = wanted.get(member.key)
    if (digest && Buffer.compare(member.source, digest) === 0) {
      kept.set(member.key, { ...member, bytes: shard.subarray(member.at, member.at + member.length) })
    }
  }
  return kept
}
