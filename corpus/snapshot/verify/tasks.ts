/** The worker thread tasks of `verify`. */

import type { TaskResult } from '../../runtime/pool.ts'
import { buffersOf } from '../derive/extract.ts'
import { type PageSource, pagesContent } from '../derive/pages.ts'
import type { FileEntry } from '../files/manifest.ts'
import { queryContent } from '../query/build.ts'
import { openSet, type PackedSet } from '../query/sets.ts'
import { verifyFile } from './file.ts'

export const tasks = {
  file({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    const value = verifyFile(dist, file)
    return { value, transfer: value.extract ? buffersOf(value.extract) : [] }
  },
  pages(source: PageSource): TaskResult {
    return { value: pagesContent(source) }
  },
  query(texts: PackedSet[]): TaskResult {
    return { value: queryContent(texts.map(openSet)) }
  },
}
