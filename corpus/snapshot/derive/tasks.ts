/** The worker thread tasks for rederiving. */

import type { TaskResult } from '../../runtime/pool.ts'
import { readObject } from '../files/layout.ts'
import type { FileEntry } from '../files/manifest.ts'
import { extractAdvisories, extractPackages } from './advisory-extract.ts'
import { deriveTasks } from './derive.ts'
import { buffersOf, extractShard } from './extract.ts'

interface GatherInput {
  dist: string
  file: FileEntry
}

export const tasks = {
  ...deriveTasks,
  gather({ dist, file }: GatherInput): TaskResult {
    const value = extractShard(readObject(dist, file))
    return { value, transfer: buffersOf(value) }
  },
  'gather-advisories': ({ dist, file }: GatherInput): TaskResult => ({
    value: extractAdvisories(readObject(dist, file)),
  }),
  'gather-packages': ({ dist, file }: GatherInput): TaskResult => ({ value: extractPackages(readObject(dist, file)) }),
}
