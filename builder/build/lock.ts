/** One build or prune at a time writes to a `dist`. */
import { join } from 'node:path'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite } from '../../corpus/command/system-error.ts'
import { BuildError } from './error.ts'

/**
 * Takes the lock of a `dist`; the result gives it back.
 * @throws BuildError `busy`, or `unusable` where nothing can be written
 */
export function lockDist(dist: string): () => void {
  const unlock = lockOrNull(dist)
  if (!unlock) throw new BuildError('busy', `another build or prune is writing to ${dist}; wait for it`)
  return unlock
}

function lockOrNull(dist: string): (() => void) | null {
  try {
    return lockFile(join(dist, 'lock'))
  } catch (cause) {
    throw new BuildError('unusable', cannotWrite(dist, cause), { cause })
  }
}
