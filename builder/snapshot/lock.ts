/** Lock of a `dist`: only one build or prune may write to it. */
import { join } from 'node:path'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite } from '../../corpus/command/system-error.ts'
import { BuildError } from './error.ts'

/**
 * Takes the lock of a `dist`. Returns the function that releases it.
 * @throws BuildError `busy`; `unusable` if the folder is not writable
 */
export function lockDist(dist: string): () => void {
  const unlock = lockOrNull(dist)
  if (!unlock) throw new BuildError('busy', `another build or prune is writing to ${dist}; wait until it ends`)
  return unlock
}

function lockOrNull(dist: string): (() => void) | null {
  try {
    return lockFile(join(dist, 'lock'))
  } catch (cause) {
    throw new BuildError('unusable', cannotWrite(dist, cause), { cause })
  }
}
