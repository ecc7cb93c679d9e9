/** Runs `vulnshelf mcp` on standard input and output. */
import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { realEffects } from '../../corpus/command/effects.ts'
import { openReader, readKeySetFile } from '../../corpus/reader/reader.ts'
import { mcpServer } from './server.ts'

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
  const server = serveStdio(() => mcpServer(reader), { onerror: ({ message }) => log(message) })
  await ended
  await server.close()
  await reader.close()
}
