/** The worker thread tasks for rederiving. */

import type { TaskResult } from '../../runtime/pool.ts'
import { readObject } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'
import { deriveTasks } from './derive.ts'
import { buffersOf, extractShard } from './extract.ts'

export const tasks = {
  ...deriveTasks,
  gather({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    const value = extractShard(readObject(dist, file))
    return { value, transfer: buffersOf(value) }
  },
}
