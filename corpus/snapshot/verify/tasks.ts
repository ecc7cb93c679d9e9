/** The worker thread tasks of `verify`. */

import type { TaskResult } from '../../runtime/pool.ts'
import { deriveTasks } from '../derive/derive.ts'
import { buffersOf } from '../derive/extract.ts'
import { type PageSource, pagesContent } from '../derive/pages.ts'
import type { FileEntry } from '../files/manifest.ts'
import { verifyFile } from './file.ts'

export const tasks = {
  file({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    const value = verifyFile(dist, file)
    return { value, transfer: value.extract ? buffersOf(value.extract) : [] }
  },
  pages(source: PageSource): TaskResult {
    return { value: pagesContent(source) }
  },
  scoresBefore: deriveTasks.scoresBefore,
  words: deriveTasks.words,
  query: deriveTasks.query,
}
