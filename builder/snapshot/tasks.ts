/** Worker tasks of a build: shards, catalogs, derived files. */

import type { TaskResult } from '../../corpus/runtime/pool.ts'
import { deriveTasks } from '../../corpus/snapshot/derived.ts'
import {
  buffersOf,
  type CatalogEntry,
  type Change,
  type EncodedCatalog,
  encodeCatalog,
  type FileEntry,
  type LocatedShard,
  membersOf,
  shardChange,
} from '../../corpus/snapshot/index.ts'
import { buildHistory, type HistoryInput } from './epss-history.ts'
import { buildHashedShard, type HashedShardInput } from './hashed-shard-task.ts'
import { buildShard, readSound, type ShardInput } from './shard-task.ts'

export const tasks = {
  ...deriveTasks,
  shard(input: ShardInput): TaskResult {
    const value = buildShard(input)
    const file = value.file ? [value.file.bytes.buffer as ArrayBuffer] : []
    return { value, transfer: [...file, ...changeBuffers(value.change), ...buffersOf(value.extract)] }
  },
  hashedShard(input: HashedShardInput): TaskResult {
    const value = buildHashedShard(input)
    const file = value.file ? [value.file.bytes.buffer as ArrayBuffer] : []
    return { value, transfer: [...file, ...changeBuffers(value.change)] }
  },
  epssHistory(input: HistoryInput): TaskResult {
    const value = buildHistory(input)
    const file = value.bytes ? [value.bytes.buffer as ArrayBuffer] : []
    return { value, transfer: [...file, ...changeBuffers(value.change)] }
  },
  catalog(input: CatalogInput): TaskResult {
    const value = writeCatalog(input)
    return { value, transfer: [value.bytes.buffer as ArrayBuffer, ...changeBuffers(value.change)] }
  },
}

const changeBuffers = (change: Change | null): ArrayBuffer[] =>
  change ? [change.recipe.buffer as ArrayBuffer, change.carried.buffer as ArrayBuffer] : []

export interface CatalogInput {
  entries: CatalogEntry[]
  parent: { dist: string; file: FileEntry } | null
}

export interface BuiltCatalog extends EncodedCatalog {
  /** Null without a parent. */
  change: Change | null
}

/** Unchanged entries reuse the members of the parent's shard. */
function writeCatalog({ entries, parent }: CatalogInput): BuiltCatalog {
  const previous = parent && readSound(parent.dist, parent.file)
  const catalog = encodeCatalog(entries, previous)
  return { ...catalog, change: previous && shardChange(located(Buffer.from(catalog.bytes.buffer)), located(previous)) }
}

const located = (bytes: Buffer): LocatedShard => ({ bytes, members: [...membersOf(bytes)] })
