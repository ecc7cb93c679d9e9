/** Fetches files from a source: small ones into memory, objects to their paths, in parallel. */
import type { Stored } from '../../corpus/snapshot/files/manifest.ts'
import { about } from '../../corpus/transfer/error.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { readWhole } from '../../corpus/transfer/request.ts'
import { logWait, withRetries } from '../../corpus/transfer/retry.ts'
import { type Fetching, fetchObject } from './objects.ts'

/** @throws TransferError */
export async function askFor(
  path: string,
  most: number,
  { source, effects, signal }: Pick<Transfers, 'source' | 'effects' | 'signal'>,
): Promise<Buffer> {
  const attempt = async () => readWhole((await source.open(path, 0)).body, most, effects.now)
  try {
    return await withRetries(effects, attempt, { onWait: logWait(path, effects), local: source.isLocal, signal })
  } catch (error) {
    throw about(path, error)
  }
}

export interface Transfers extends Omit<Fetching, 'signal' | 'onBytes'> {
  parallel: number
  signal: AbortSignal | undefined
}

/**
 * The first failure aborts the others.
 * @throws TransferError
 */
export async function fetchAll(
  wanted: readonly { object: Stored; name: string }[],
  { parallel, signal: ended, ...transfers }: Transfers,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await runParallel(wanted, parallel, ({ object, name }, stopped) => {
    const signal = ended ? AbortSignal.any([stopped, ended]) : stopped
    return fetchObject(object, name, { ...transfers, signal, onBytes })
  })
}
