/** Uploads files to a target: in parallel, with retries. */
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { transferring } from '../../corpus/transfer/retry.ts'
import type { Content } from './content.ts'
import type { Target } from './target.ts'

export interface Uploads {
  target: Pick<Target, 'put'>
  parallel: number
  effects: NetworkEffects
  /** A retried file is counted again. */
  onBytes(bytes: number): void
}

/**
 * The first failure aborts the others.
 * @throws TransferError; SnapshotError if a local file is damaged
 */
export function uploadAll(contents: readonly Content[], uploads: Uploads): Promise<void> {
  const { target, parallel, effects, onBytes } = uploads
  return runParallel(contents, parallel, async (content, signal) => {
    const watched = { ...content, read: () => reported(content.read(), signal, onBytes) }
    await transferring(content.path, effects, () => target.put(watched), { signal })
  })
}

async function* reported(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    onBytes(chunk.length)
    yield chunk
  }
}
