/** Runs `vulnshelf mcp` on standard input and output. */
import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { realEffects } from '../../corpus/command/effects.ts'
import { mcpServer } from '../../corpus/mcp/server.ts'
import { openReader, type Reader, readKeySetFile, SnapshotError, TransferError } from '../../corpus/reader/reader.ts'

export interface McpFlags {
  at?: string | undefined
  keys?: string | undefined
}

/** Serves until standard input ends. @throws KeyError, SnapshotError, TransferError */
export async function mcpFromCommand(dist: string, { at, keys: keyFile }: McpFlags): Promise<void> {
  const keys = keyFile === undefined ? undefined : await readKeySetFile(keyFile)
  const { log } = realEffects()
  const reader = await openReader(dist, { at, keys, onWait: log })
  const ended = once(process.stdin, 'close')
  const server = serveStdio(() => readerServer(reader), { onerror: ({ message }) => log(message) })
  await ended
  await server.close()
  await reader.close()
}

export const readerServer = (reader: Reader) => mcpServer(() => reader, messageOf)

/** @throws what is no error of the input or of the snapshot */
function messageOf(error: unknown): string {
  if (error instanceof SnapshotError && error.code === 'missing') {
    return `${error.message}. The repository no longer has the files of this snapshot: start the server again`
  }
  if (error instanceof SnapshotError || error instanceof TransferError || error instanceof TypeError)
    return error.message
  throw error
}
