/** Runs the Fastify server as a process, and translates the gateway's requests for it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { decodeCursor } from '../../../corpus/snapshot/cursor/cursor.ts'
import { findRow, type Index } from '../../../corpus/snapshot/derive/index-table.ts'
import { fromBillionths } from '../../../corpus/snapshot/record/epss.ts'
import type { Measured } from '../http/processes.ts'
import { cursorOf } from './list-query.ts'

export interface FastifyStart {
  database: string
  jwks: string
  log: string
  /** zlib's level, or `none` for no compression. */
  gzip: number | 'none'
}

/** @throws Error if it does not start */
export async function startFastify({ database, jwks, log, gzip }: FastifyStart): Promise<Measured> {
  const file = join(import.meta.dirname, 'fastify.ts')
  const child = fork(file, [database, jwks, log, String(gzip)], { execArgv: ['--import', 'tsx'] })
  const exit = once(child, 'exit')
  const started = await Promise.race([once(child, 'message'), exit])
  const [message] = started as [{ port?: number } | number | null]
  if (typeof message !== 'object' || message?.port === undefined) throw new Error('the Fastify server did not start')
  return {
    port: message.port,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

/** Replaces the cursor in a target of the gateway by one of the Fastify server, which continues after the same row. */
export function fastifyTarget(target: string, index: Index): string {
  return target.replace(/\bcursor=([\w-]+)/, (_found, text: string) => {
    const cursor = decodeCursor(text)
    if (!cursor || typeof cursor.after.value === 'string') throw new Error(`${target} has a cursor of another list`)
    const { value, id } = cursor.after
    const key = value !== null && cursor.sort.endsWith('epss') ? fromBillionths(value) : value
    return `cursor=${cursorOf([key, findRow(index, id as CveId)])}`
  })
}
