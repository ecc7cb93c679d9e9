/** A worker: a gateway that the primary process controls (what to serve, when to listen, when to stop). */

import { sentError } from '../../../corpus/errors/sent-error.ts'
import { loadTables } from '../../snapshots/table-loader.ts'
import { endWithParent } from '../end-with-parent.ts'
import { collectLessOften } from '../garbage-collection.ts'
import { type Gateway, type OpenGateway, openGateway } from '../gateway.ts'
import { openLog } from '../log.ts'
import type { LogOptions } from '../log-options.ts'
import { killIfStuck } from '../serve.ts'
import { askedLimits } from './limits.ts'
import type { ToPrimary, ToWorker } from './protocol.ts'

/** Longer than the primary waits before it sends `stop`. */
const SIGNAL_MS = 5000

const [level, format] = process.argv.slice(2) as [LogOptions['level'], LogOptions['format']]
collectLessOften()
endWithParent()
const log = openLog({ level, format })
const limits = askedLimits(send)
let gateway: OpenGateway | null = null
let listening: Gateway | null = null
let stopping = false

function send(message: ToPrimary): void {
  // Without the primary, the process is about to end.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

async function start({ options, digest }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  const tables = await loadTables(options.dist, digest, true).result
  gateway = openGateway(options, log, { tables, led: true, limits })
  send({ kind: 'loaded' })
}

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  await (listening ?? gateway)?.close()
  await killIfStuck(log)
  await log.flush()
  process.exit(0)
}

async function prepare({ digest, number }: Extract<ToWorker, { kind: 'prepare' }>): Promise<void> {
  try {
    await gateway!.registry.prepare(digest)
    send({ kind: 'prepared', number, error: null })
  } catch (thrown) {
    send({ kind: 'prepared', number, error: sentError(thrown) })
  }
}

async function scrape({ number }: Extract<ToWorker, { kind: 'scrape' }>): Promise<void> {
  try {
    send({ kind: 'scraped', number, metrics: (await gateway?.metrics?.collect()) ?? [] })
  } catch (error) {
    // Answers do not depend on metrics.
    log.error({ err: error }, 'metrics collection failed')
  }
}

async function obey(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start':
      return start(message)
    case 'listen': {
      listening = await gateway!.listen()
      const { url, port, compatUrl } = listening
      return send({ kind: 'listening', url, port, compatUrl })
    }
    case 'prepare':
      return prepare(message)
    case 'commit':
      return gateway!.registry.commit()
    case 'abandon':
      return gateway!.registry.abandon()
    case 'refresh':
      return gateway!.refresh()
    case 'beat':
      return send(message)
    case 'standings':
      return limits.receive(message)
    case 'scrape':
      return scrape(message)
    case 'stopListening':
      await listening?.stopListening()
      return send({ kind: 'stoppedListening' })
    case 'stop':
      return stop()
  }
}

process.on('message', (message: ToWorker) => {
  obey(message).catch(async (thrown) => {
    send({ kind: 'failed', error: sentError(thrown) })
    await log.flush()
    process.exit(1)
  })
})
// Every process of a group gets the signal. The primary then sends `stop` when no connection is on its way to a worker.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => setTimeout(stop, SIGNAL_MS))
send({ kind: 'hello' })
