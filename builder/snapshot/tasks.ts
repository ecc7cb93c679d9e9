/** Worker tasks of a build. */

import type { TaskResult } from '../../corpus/runtime/pool.ts'
import { deriveTasks } from '../../corpus/snapshot/derive/derive.ts'
import { buffersOf } from '../../corpus/snapshot/derive/extract.ts'
import type { Change } from '../../corpus/snapshot/files/delta.ts'
import { type CatalogInput, writeCatalog } from './catalog-task.ts'
import { buildShard, type ShardInput } from './shard-task.ts'

export const tasks = {
  ...deriveTasks,
  shard(input: ShardInput): TaskResult {
    const value = buildShard(input)
    const file = value.file ? [value.file.bytes.buffer as ArrayBuffer] : []
    return { value, transfer: [...file, ...changeBuffers(value.change), ...buffersOf(value.gathered)] }
  },
  catalog(input: CatalogInput): TaskResult {
    const value = writeCatalog(input)
    return { value, transfer: [value.bytes.buffer as ArrayBuffer, ...changeBuffers(value.change)] }
  },
}

const changeBuffers = (change: Change | null): ArrayBuffer[] =>
  change ? [change.recipe.buffer as ArrayBuffer, change.carried.buffer as ArrayBuffer] : []
