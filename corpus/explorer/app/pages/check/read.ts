/** Reads a file in a worker, so that no file stops the page. */
import type { ReadDocument } from '../../../../inventory/document.ts'
import { startWorker } from '../../workers.ts'
import type { ReadFile } from './run.ts'

/** Time for a file, in ms. The worst within the bounds of `corpus/inventory/bounds.ts` takes 8 s on a desktop. */
export const DEADLINE_MS = 60_000

export type FileOutcome = { document: ReadDocument } | { fault: string }

/**
 * Returns the packages and decisions of a file. Its bytes move to the worker.
 * @throws Error beyond the deadline, or if the code of the worker is not loaded;
 *   the reason of `signal`
 */
export const readInWorker: ReadFile = (file, signal) => {
  signal.throwIfAborted()
  const worker = startWorker('inventory')
  const { promise, resolve, reject } = Promise.withResolvers<ReadDocument>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  let timer: ReturnType<typeof setTimeout>
  worker.onerror = () => reject(new Error('The code that reads files could not be loaded. Check again.'))
  worker.onmessage = () => {
    // The time of the download does not count.
    timer = setTimeout(() => reject(new Error(lateMessage(file.file))), DEADLINE_MS)
    worker.onmessage = ({ data }: MessageEvent<FileOutcome>) =>
      'document' in data ? resolve(data.document) : reject(new Error(data.fault))
    worker.postMessage(file, [file.bytes.buffer])
  }
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    worker.terminate()
  })
}

const lateMessage = (file: string) =>
  `Reading ${file} takes more than ${DEADLINE_MS / 1000} s, the limit of this page. Use the command \`vulnshelf check\` instead.`
