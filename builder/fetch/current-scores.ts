/**
 * Keeps a copy of the newest EPSS edition under its undated name, which other programs request. It has a folder of its
 * own, so that `ingest` reads each edition once.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../corpus/command/effects.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { type DownloadContext, partialName } from './download.ts'
import { newestScores } from './editions.ts'
import { MAX_EDITION_BYTES } from './past-editions.ts'

export const CURRENT_SCORES = 'current/epss_scores-current.csv.gz'

/** Writes the copy if the newest edition in `epss/` is another one. Without an edition, nothing changes. */
export async function keepCurrentScores({ feeds, effects }: Pick<DownloadContext, 'feeds' | 'effects'>): Promise<void> {
  const folder = join(feeds, 'epss')
  if (!existsSync(folder)) return
  const [newest] = newestScores.choose(readdirSync(folder).filter((name) => newestScores.pattern.test(name)))
  if (newest === undefined) return
  const bytes = readRegularFile(join(folder, newest), MAX_EDITION_BYTES)
  const path = join(feeds, CURRENT_SCORES)
  if (existsSync(path) && readRegularFile(path, MAX_EDITION_BYTES).equals(bytes)) return
  await replaceFile(path, bytes, join(feeds, partialName(CURRENT_SCORES)), effects)
}
