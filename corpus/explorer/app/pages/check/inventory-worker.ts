/** Answers a file with what it has: packages, decisions, faults. The first message states that it is ready. */
import { readDocument } from '../../../../inventory/document.ts'
import type { FileOutcome } from './read.ts'
import type { FileToRead } from './run.ts'

self.onmessage = ({ data: { file, name, bytes } }: MessageEvent<FileToRead>) =>
  postMessage(outcomeOf(file, name, bytes))
postMessage('ready')

function outcomeOf(file: string, name: string, bytes: Uint8Array): FileOutcome {
  try {
    return { document: readDocument(file, name, bytes) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
