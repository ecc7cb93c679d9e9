/** `vulnshelf derive`: makes the derived files of an earlier snapshot again, which `prune --keep-derived` removed. */
import { existsSync } from 'node:fs'
import type { Effects } from '../corpus/command/effects.ts'
import { counted } from '../corpus/command/format.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { CodedError } from '../corpus/errors/coded-error.ts'
import { deriveMissing } from '../corpus/repository/derive.ts'
import { objectPath, readManifest } from '../corpus/snapshot/index.ts'
import { lockDist } from './snapshot/lock.ts'
import { findSnapshot } from './snapshots.ts'

export type DeriveErrorCode =
  | 'incomplete' // files are missing that cannot be derived
  | 'different' // this program derives other bytes than the manifest states

export class DeriveError extends CodedError<DeriveErrorCode> {}

export interface DeriveReport {
  snapshot: string
  derived: { files: number; bytes: number }
  seconds: number
}

/**
 * Derives the missing files of a snapshot and checks them against the digests of its manifest.
 * @param choice as `findSnapshot` takes it
 * @throws DeriveError, BuildError `busy`, SnapshotError; files that match are kept
 */
export async function derive(dist: string, choice: string, jobs: number, effects: Effects): Promise<DeriveReport> {
  const started = effects.now().getTime()
  const { id, digest } = findSnapshot(dist, choice)
  const unlock = lockDist(dist)
  try {
    const manifest = readManifest(dist, digest)
    const missing = manifest.files.filter(({ sha256 }) => !existsSync(objectPath(dist, sha256)))
    const lost = missing.filter(({ derived }) => !derived).length
    if (lost > 0) {
      const message = `snapshot ${id} lacks ${counted(lost, 'file')} that cannot be derived; it was removed, or only a mirror of other snapshots is here`
      throw new DeriveError('incomplete', message)
    }
    const { made, others } = await writingTo(dist, () => deriveMissing(manifest, missing, { dist, effects, jobs }))
    if (others > 0) {
      const message = `${counted(others, 'derived file')} of snapshot ${id} would differ from its manifest: another version of vulnshelf, Node or SQLite built it. Use that version, or copy the files from a folder that has them`
      throw new DeriveError('different', message)
    }
    const sizes = new Map(missing.map(({ sha256, size }) => [sha256, size]))
    const bytes = [...made].reduce((sum, sha256) => sum + sizes.get(sha256)!, 0)
    const seconds = (effects.now().getTime() - started) / 1000
    return { snapshot: id, derived: { files: made.size, bytes }, seconds }
  } finally {
    unlock()
  }
}
