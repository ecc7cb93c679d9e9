/** The EPSS history of a snapshot: a file for each id block that has CVEs and points. */
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import {
  type Change,
  encodeHistory,
  type FileEntry,
  historyFiles,
  type LocatedShard,
  membersOf,
  shardChange,
} from '../../corpus/snapshot/index.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import type { Changes } from './delta.ts'
import { type ObjectStore, openWriteQueue } from './objects.ts'
import { corpora, readSound } from './shard-task.ts'
import type { Block, Parent } from './shards.ts'

interface HistoryJob {
  corpusPath: string
  blocks: readonly Block[]
  parent: Parent | null
  pool: Pool
  objects: ObjectStore
  changes: Changes
}

export async function writeEpssHistory(
  corpus: Corpus,
  { corpusPath, blocks, parent, pool, objects, changes }: HistoryJob,
): Promise<FileEntry[]> {
  const withPoints = new Set(corpus.epssHistory.blocks())
  const names = blocks.map(({ block }) => block).filter((block) => withPoints.has(block))
  const parents = parent ? historyFiles(parent.manifest) : new Map<string, FileEntry>()
  const inputs = names.map((block): HistoryInput => {
    const file = parents.get(block)
    return { corpus: corpusPath, block, parent: parent && file ? { dist: parent.dist, file } : null }
  })
  const puts = openWriteQueue()
  let done = 0
  try {
    for await (const { content, bytes, change } of runInOrder<BuiltHistory>(pool, 'epssHistory', inputs)) {
      const name = names[done++]!
      if (bytes === null) {
        await puts.add(Promise.resolve(parents.get(name)!))
        continue
      }
      changes.add('epss-history', name, change, bytes.length)
      await puts.add(objects.put({ role: 'epss-history', name, content, count: 1, derived: false }, bytes))
    }
    return await puts.entries()
  } finally {
    await puts.settled()
  }
}

export interface HistoryInput {
  corpus: string
  block: string
  parent: { dist: string; file: FileEntry } | null
}

export interface BuiltHistory {
  content: string
  /** Null if the parent's file has the same content. */
  bytes: Uint8Array | null
  /** Null without a parent or a new file. */
  change: Change | null
}

/** Worker task. A past quarter is the same segment in each snapshot, so delta packs contain only the last one. */
export function buildHistory({ corpus, block, parent }: HistoryInput): BuiltHistory {
  const { content, encode } = encodeHistory(block, corpora.at(corpus).epssHistory.segments(block))
  const previous = parent && readSound(parent.dist, parent.file)
  if (previous && parent?.file.content === content) return { content, bytes: null, change: null }
  const { bytes, members } = encode()
  const before: LocatedShard | null = previous && { bytes: previous, members: [...membersOf(previous)] }
  return { content, bytes, change: before && shardChange({ bytes, members }, before) }
}
