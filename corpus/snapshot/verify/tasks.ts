/** The tasks of `verify` that run in worker threads. */
import { type CvePageRun, cvePages, type PageRun, type PageSource, pageHeads } from '../derive/pages.ts'
import type { FileEntry } from '../manifest.ts'
import type { TaskResult } from '../pool.ts'
import { queryContent } from '../query/build.ts'
import type { TextSet } from '../query/sets.ts'
import { verifyFile } from './file.ts'

export const tasks = {
  file({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    return { value: verifyFile(dist, file) }
  },
  cveHeads({ source, run }: { source: PageSource; run: CvePageRun }): TaskResult {
    return { value: pageHeads(cvePages(source, run)) }
  },
  listHeads(run: PageRun): TaskResult {
    return { value: pageHeads(run) }
  },
  query(texts: TextSet[]): TaskResult {
    return { value: queryContent(texts) }
  },
}
