/** First step of a build: a shard for every id block. An unchanged block reuses the parent's file. */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import { type FileEntry, type Manifest, type Rows, rowCollector } from '../../corpus/snapshot/index.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { Changes } from './delta.ts'
import { type ObjectStore, openWriteQueue } from './objects.ts'
import type { BuiltShard, LeftOut, ShardInput } from './shard-task.ts'

export interface ShardTally {
  members: { total: number; encoded: number; encodedBytes: number }
  shards: { total: number; unchanged: number }
  /** Omissions of newly compressed members only. */
  leftOut: LeftOut[]
}

export interface Parent {
  dist: string
  manifest: Manifest
}

/** Ids in order, and 16 bytes of digest for each. */
export interface Block {
  block: string
  ids: CveId[]
  digests: Uint8Array
}

export function blocksOf(corpus: Corpus): Block[] {
  return corpus.blocks().map(({ block }) => {
    const records = corpus.digests(block)
    return {
      block,
      ids: records.map(({ cveId }) => cveId),
      digests: new Uint8Array(Buffer.concat(records.map(({ digest }) => digest))),
    }
  })
}

export interface ShardJob {
  blocks: readonly Block[]
  corpusPath: string
  parent: Parent | null
  pool: Pool
  objects: ObjectStore
  changes: Changes
  onProgress(done: number, total: number): void
}

export interface WrittenShards {
  /** In id order. */
  files: FileEntry[]
  rows: Rows
  tally: ShardTally
}

export async function writeShards({
  blocks,
  corpusPath,
  parent,
  pool,
  objects,
  changes,
  onProgress,
}: ShardJob): Promise<WrittenShards> {
  const parentShards = new Map(
    parent?.manifest.files.filter(({ role }) => role === 'cve').map((file) => [file.name, file] as const),
  )
  const tally: ShardTally = {
    members: { total: 0, encoded: 0, encodedBytes: 0 },
    shards: { total: blocks.length, unchanged: 0 },
    leftOut: [],
  }
  const inputs = blocks.map((block): ShardInput => {
    const file = parentShards.get(block.block)
    return {
      corpus: corpusPath,
      ...block,
      parent: file && parent ? { dist: parent.dist, file } : null,
    }
  })
  const puts = openWriteQueue()
  const rows = rowCollector()
  let done = 0
  try {
    for await (const built of runInOrder<BuiltShard>(pool, 'shard', inputs)) {
      const { file, encoded, encodedBytes } = built
      const { block, ids } = blocks[done++]!
      rows.add({ name: block, shard: built.extract })
      tally.members.total += ids.length
      tally.members.encoded += encoded
      tally.members.encodedBytes += encodedBytes
      tally.leftOut.push(...built.leftOut)
      if (file) {
        const entry = { role: 'cve', name: block, content: file.content, count: ids.length, derived: false } as const
        changes.add('cve', block, built.change, file.bytes.length)
        await puts.add(objects.put(entry, file.bytes, file.sha256))
      } else {
        tally.shards.unchanged++
        await puts.add(Promise.resolve(parentShards.get(block)!))
      }
      onProgress(done, blocks.length)
    }
    return { files: await puts.entries(), rows: rows.rows(), tally }
  } finally {
    await puts.settled()
  }
}
