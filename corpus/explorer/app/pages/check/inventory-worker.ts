/** Answers a file with its packages, or with the reason why it cannot be read. The first message states that it is ready. */
import { inventoryOf } from '../../../../inventory/read.ts'
import type { FileOutcome } from './read.ts'
import type { FileToRead } from './run.ts'

self.onmessage = ({ data: { file, name, bytes } }: MessageEvent<FileToRead>) =>
  postMessage(outcomeOf(file, name, bytes))
postMessage('ready')

function outcomeOf(file: string, name: string, bytes: Uint8Array): FileOutcome {
  try {
    return { inventory: inventoryOf(file, name, bytes) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
