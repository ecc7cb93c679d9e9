/** `vulnshelf sign`: signs the current pointer again, with a later expiry or other keys. */

import type { Effects } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { readCurrent, temporaryFolder } from '../corpus/snapshot/index.ts'
import { type Activation, renewed, type Signing, writePointer } from './snapshot/activate.ts'
import { lockDist } from './snapshot/lock.ts'

/** @throws SnapshotError if there is no snapshot; BuildError if another program is writing */
export async function sign(dist: string, signing: Signing, effects: Effects): Promise<Activation> {
  // Nothing may be written to a foreign folder.
  readCurrent(dist)
  const unlock = lockDist(dist)
  try {
    return await writingTo(dist, async () => {
      const { pointer } = readCurrent(dist)
      await effects.mkdir(temporaryFolder(dist))
      return { ...(await writePointer(dist, renewed(pointer), signing, effects)), changed: false }
    })
  } finally {
    unlock()
  }
}
