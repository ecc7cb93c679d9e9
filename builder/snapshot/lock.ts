/** Locks of a `dist`: one for a build or prune, one for a whole night. */
import { join } from 'node:path'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite } from '../../corpus/command/system-error.ts'
import { BuildError } from './error.ts'

/**
 * Takes the lock of a `dist`. Returns the function that releases it.
 * @throws BuildError `busy`; `unusable` if the folder is not writable
 */
export function lockDist(dist: string): () => void {
  const unlock = lockOrNull(dist, 'lock')
  if (!unlock) throw new BuildError('busy', `another build or prune is writing to ${dist}; wait until it ends`)
  return unlock
}

/**
 * Takes the lock of a night, which its steps do not take. Returns the function that releases it.
 * @throws BuildError `busy`; `unusable` if the folder is not writable
 */
export function lockNight(dist: string): () => void {
  const unlock = lockOrNull(dist, 'nightly.lock')
  if (!unlock) throw new BuildError('busy', `another nightly run is using ${dist}; wait until it ends`)
  return unlock
}

function lockOrNull(dist: string, name: string): (() => void) | null {
  try {
    return lockFile(join(dist, name))
  } catch (cause) {
    throw new BuildError('unusable', cannotWrite(dist, cause), { cause })
  }
}
