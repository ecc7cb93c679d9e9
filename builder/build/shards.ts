/** First step of a build: a shard for every id block, taken from the parent as a whole where nothing in it changed. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { type Rows, rowCollector } from '../../corpus/snapshot/derive/rows.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import { type Pool, runInOrder } from '../../corpus/snapshot/pool.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { ObjectStore } from './objects.ts'
import { openPuts } from './puts.ts'
import type { BuiltShard, ShardInput } from './shard-task.ts'

export interface ShardTally {
  members: { total: number; encoded: number; encodedBytes: number }
  shards: { total: number; unchanged: number }
}

/** The parent snapshot, of which files are taken over. */
export interface Parent {
  dist: string
  manifest: Manifest
}

/** The records of an id block as the corpus has them: ids in order, and 16 bytes of digest for each. */
export interface Block {
  block: string
  ids: CveId[]
  digests: Uint8Array
}

/** All blocks of a corpus in the order of ids. */
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

/** Writes what changed, and gives the entries of all CVE shards in the order of ids and the rows that they hold. */
export async function writeShards(
  blocks: readonly Block[],
  corpusPath: string,
  parent: Parent | null,
  pool: Pool,
  objects: ObjectStore,
  onProgress: (done: number, total: number) => void,
): Promise<{ files: FileEntry[]; rows: Rows; tally: ShardTally }> {
  const parentShards = new Map(
    parent?.manifest.files.filter(({ role }) => role === 'cve').map((file) => [file.name, file] as const),
  )
  const tally: ShardTally = {
    members: { total: 0, encoded: 0, encodedBytes: 0 },
    shards: { total: blocks.length, unchanged: 0 },
  }
  const inputs = blocks.map((block): ShardInput => {
    const file = parentShards.get(block.block)
    return { corpus: corpusPath, ...block, parent: file && parent ? { dist: parent.dist, file } : null }
  })
  const puts = openPuts()
  const rows = rowCollector()
  let done = 0
  try {
    for await (const { file, gathered, encoded, encodedBytes } of runInOrder<BuiltShard>(pool, 'shard', inputs)) {
      const { block, ids } = blocks[done++]!
      rows.add({ name: block, shard: gathered })
      tally.members.total += ids.length
      tally.members.encoded += encoded
      tally.members.encodedBytes += encodedBytes
      if (file) {
        const entry = { role: 'cve', name: block, content: file.content, count: ids.length, derived: false } as const
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
