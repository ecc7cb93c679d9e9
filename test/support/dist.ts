/** Folders, effects and builds of tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingest } from '../../builder/ingest/ingest.ts'
import { build } from '../../builder/snapshot/build.ts'
import { type Effects, realEffects } from '../../corpus/command/effects.ts'
import { noProgress } from '../../corpus/command/progress.ts'

/** Effects on the real disk without output. */
export const quietEffects = (): Effects => realEffects(() => {})

const folders: string[] = []
const removeFolder = (path: string) => rmSync(path, { recursive: true, force: true })
process.on('exit', () => folders.forEach(removeFolder))

/** Creates a folder for the files of a test file. Call `remove` in `after`; what stays is removed when the process ends. */
export function temporaryFolder(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `vulnshelf-${name}-`))
  folders.push(path)
  return { path, remove: () => removeFolder(path) }
}

/** Runs one night: ingest as of a date, then build. */
export async function ingestAndBuild(options: {
  feeds: string
  corpus: string
  dist: string
  asOf?: string
  jobs?: number
}) {
  const { feeds, corpus, dist, asOf, jobs = 0 } = options
  await ingest(asOf === undefined ? { feeds, corpus } : { feeds, corpus, asOf }, quietEffects())
  return build({ corpus, dist, jobs }, quietEffects(), noProgress)
}
