/** The worker thread tasks for rederiving. */
import { readObject } from '../layout.ts'
import type { FileEntry } from '../manifest.ts'
import type { TaskResult } from '../pool.ts'
import { deriveTasks } from './derive.ts'
import { buffersOf, gatherShard } from './gather.ts'

export const tasks = {
  ...deriveTasks,
  gather({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    const value = gatherShard(readObject(dist, file))
    return { value, transfer: buffersOf(value) }
  },
}
