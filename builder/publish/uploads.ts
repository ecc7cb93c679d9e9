/** Uploads files to a target: in parallel, with retries. */
import { about } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { logWait, withRetries } from '../../corpus/transfer/retry.ts'
import type { Content } from './content.ts'
import type { Target } from './target.ts'

export interface Uploads {
  target: Target
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
    const watched = { ...content, read: () => passing(content.read(), signal, onBytes) }
    const attempt = async () => {
      signal.throwIfAborted()
      await target.put(watched)
    }
    await withUploadRetries(content.path, effects, attempt, signal)
  })
}

/**
 * Messages use `name`; `signal` aborts a wait.
 * @throws TransferError
 */
export async function withUploadRetries<T>(
  name: string,
  effects: NetworkEffects,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await withRetries(effects, ask, { onWait: logWait(name, effects), signal })
  } catch (error) {
    throw about(name, error)
  }
}

async function* passing(
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
