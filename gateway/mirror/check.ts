/** Checks a repository without copying it. */
import { realEffects } from '../../corpus/command/effects.ts'
import { openSource } from '../../corpus/repository/source.ts'
import { MAX_POINTER_BYTES, POINTER_NAME, type Pointer, readKeySetFile } from '../../corpus/snapshot/index.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { readWhole } from '../../corpus/transfer/receive.ts'
import { judgePointer } from './trust.ts'

/**
 * Reads the pointer of a repository once, and judges it as a mirror into a new folder does.
 * @throws TransferError, SnapshotError, KeyError or MirrorError
 */
export async function checkRepository(address: string, keysFile: string | undefined): Promise<Pointer> {
  const keys = keysFile === undefined ? null : await readKeySetFile(keysFile)
  const { effects, close } = realNetworkEffects(realEffects())
  try {
    const source = openSource(address, effects)
    try {
      const bytes = await readWhole((await source.open(POINTER_NAME)).bytes, MAX_POINTER_BYTES, effects.now)
      return await judgePointer(bytes, { keys, have: null, now: effects.now() })
    } finally {
      await source.close()
    }
  } finally {
    await close()
  }
}
