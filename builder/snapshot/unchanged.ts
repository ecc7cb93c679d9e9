/** Recognizes a corpus that the current snapshot was built from, so that there is nothing to build. */
import { createHash } from 'node:crypto'
import { digestOfFile } from '../../corpus/runtime/digest.ts'
import {
  countCves,
  decodeAbout,
  fileOf,
  gunzipFile,
  type Manifest,
  objectPath,
  readObject,
} from '../../corpus/snapshot/index.ts'
import type { Corpus } from '../../corpus/store/corpus.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import type { Activation } from './activate.ts'
import type { BuildReport } from './build.ts'
import type { Block } from './shards.ts'

/** Increase it when equal corpora give other snapshots. */
const BUILD_RULES = 10

/** Returns the `source` of a manifest. `blocks` are those of the corpus. */
export function sourceOf(corpus: Corpus, blocks: readonly Block[]): string {
  const hash = createHash('sha256').update(`${BUILD_RULES} ${corpus.digest()}\n`)
  for (const { block, ids, digests } of blocks) hash.update(`${block} ${ids}\n`).update(digests)
  return hash.digest('hex')
}

const AT_ONCE = 4

/** Whether all files of a snapshot are there and intact. A build writes damaged ones again. */
export async function areFilesIntact(dist: string, { files }: Manifest): Promise<boolean> {
  let isSound = true
  await runParallel(files, AT_ONCE, async ({ sha256: expected, size }) => {
    if (!isSound) return
    const found = await digestOfFile(objectPath(dist, expected)).catch(() => null)
    isSound &&= found?.sha256 === expected && found.size === size
  })
  return isSound
}

/** The report of a build that had nothing to do. */
export function unchangedReport(dist: string, manifest: Manifest): Omit<BuildReport, keyof Activation | 'seconds'> {
  const { files } = manifest
  const { counts } = decodeAbout(gunzipFile('about', readObject(dist, fileOf(manifest, 'about'))))
  const shards = files.filter(({ role }) => role === 'cve').length
  const reusedBytes = files.reduce((sum, { size }) => sum + size, 0)
  return {
    parent: manifest.snapshot,
    counts,
    members: { total: countCves(manifest), encoded: 0, encodedBytes: 0 },
    shards: { total: shards, unchanged: shards },
    leftOut: [],
    objects: { written: 0, writtenBytes: 0, reused: files.length, reusedBytes },
  }
}
