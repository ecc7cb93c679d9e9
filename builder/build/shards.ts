/** First step of a build: a shard for every id block, taken from the parent as a whole where nothing in it changed. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { decodeIndex, findRow, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/snapshot/digest.ts'
import { fileOf, readObject } from '../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import { type Pool, runInOrder } from '../../corpus/snapshot/pool.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { ObjectStore } from './objects.ts'
import { type EncodedShard, readSound, type ShardInput } from './shard-task.ts'

export interface ShardTally {
  members: { total: number; encoded: number; encodedBytes: number }
  shards: { total: number; unchanged: number }
}

/** The parent snapshot, opened for comparison. */
export interface Parent {
  dist: string
  manifest: Manifest
  index: Index
}

/** @throws SnapshotError when the parent's index is damaged */
export function openParent(dist: string, manifest: Manifest): Parent {
  return { dist, manifest, index: decodeIndex(readObject(dist, fileOf(manifest, 'index'))) }
}

/** Writes what changed and gives the entries of all CVE shards in the order of ids. */
export async function writeShards(
  corpus: Corpus,
  corpusPath: string,
  parent: Parent | null,
  pool: Pool,
  objects: ObjectStore,
  onProgress: (done: number, total: number) => void,
): Promise<{ files: FileEntry[]; tally: ShardTally }> {
  const parentShards = new Map(
    parent?.manifest.files.filter(({ role }) => role === 'cve').map((file) => [file.name, file] as const),
  )
  const blocks = corpus.blocks()
  const tally: ShardTally = {
    members: { total: 0, encoded: 0, encodedBytes: 0 },
    shards: { total: blocks.length, unchanged: 0 },
  }
  const files: (FileEntry | null)[] = []
  const changed: { at: number; ids: CveId[]; input: ShardInput }[] = []
  for (const { block } of blocks) {
    const records = corpus.digests(block)
    const ids = records.map(({ cveId }) => cveId)
    const digests = new Uint8Array(Buffer.concat(records.map(({ digest }) => digest)))
    const file = parentShards.get(block) ?? null
    tally.members.total += ids.length
    if (parent && file && isUnchanged(parent.index, file, ids, digests) && readSound(parent.dist, file)) {
      tally.shards.unchanged++
      files.push(file)
      continue
    }
    const input = { corpus: corpusPath, block, ids, digests, parent: file && parent && { dist: parent.dist, file } }
    changed.push({ at: files.length, ids, input })
    files.push(null)
  }

  let done = 0
  for await (const shard of runInOrder<EncodedShard>(
    pool,
    'shard',
    changed.map(({ input }) => input),
  )) {
    const { at, ids, input } = changed[done]!
    const entry = { role: 'cve', name: input.block, content: shard.content, count: ids.length, derived: false } as const
    files[at] = await objects.put(entry, shard.bytes)
    tally.members.encoded += shard.encoded
    tally.members.encodedBytes += shard.encodedBytes
    onProgress(++done, changed.length)
  }
  return { files: files.filter((file) => file !== null), tally }
}

/** Whether the parent's shard holds exactly these records. */
function isUnchanged(index: Index, file: FileEntry, ids: CveId[], digests: Uint8Array): boolean {
  if (file.count !== ids.length) return false
  return ids.every((id, i) => {
    const row = findRow(index, id)
    const source = index.sources.subarray(row * SHORT_HASH_LENGTH, (row + 1) * SHORT_HASH_LENGTH)
    return (
      row >= 0 && Buffer.compare(source, digests.subarray(i * SHORT_HASH_LENGTH, (i + 1) * SHORT_HASH_LENGTH)) === 0
    )
  })
}
