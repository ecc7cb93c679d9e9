/** The tasks of a build that run in worker threads. */
import { deriveTasks } from '../../corpus/snapshot/derive/derive.ts'
import type { TaskResult } from '../../corpus/snapshot/pool.ts'
import { encodeShard, type ShardInput } from './shard-task.ts'

export const tasks = {
  ...deriveTasks,
  shard(input: ShardInput): TaskResult {
    const value = encodeShard(input)
    return { value, transfer: [value.bytes.buffer as ArrayBuffer] }
  },
}
