/** `vulnshelf-gateway serve` from its words: the gateway, alone or with workers, and the mirror that it follows by. */
import type { Follower } from './follower.ts'
import type { Gateway } from './gateway.ts'
import { type OpenLog, openLog } from './log.ts'
import { stopSignal } from './serve.ts'
import type { RunningWorkers } from './workers/primary.ts'

export interface ServeFlags {
  host: string
  port: number
  issuer: string
  audience: string
  jwks?: string
  preview: boolean
  origins?: string[]
  accessLog: boolean
  cookie: string
  adminClaims?: string[]
  algorithms?: string[]
  rateLimit: number
  rateWindowSeconds: number
  failedTokens: number
  trustedProxies?: string[]
  redisUrl?: string
  accessPolicy?: string
  metricsPort?: number
  metricsHost: string
  pollSeconds: number
  workers: number
  /** What is mirrored into the folder that is served. */
  follow?: string
  /** In seconds. */
  interval: number
  keys?: string
  keep: number
  derive?: boolean
}

/**
 * Serves until the process is told to stop.
 * @throws SnapshotError when there is no sound snapshot, GatewayError for an option or a port that will not do
 */
export async function serveFromCommand(dist: string, flags: ServeFlags): Promise<void> {
  const log = openLog()
  let follower: Follower | null = null
  try {
    // Heard from now on: the first copy of a repository may take an hour.
    const stop = stopSignal(log)
    follower = await followerOf(dist, flags, log, stop)
    if (stop.aborted) return
    const gateway = await startGateways(dist, flags, log)
    process.on('SIGHUP', () => void gateway.refresh())
    if (gateway.metricsUrl !== null) process.stderr.write(`metrics at ${gateway.metricsUrl}\n`)
    process.stderr.write(`listening on ${gateway.url}\n`)
    const stopped = abortOf(stop)
    await ('failed' in gateway ? Promise.race([stopped, gateway.failed]) : stopped)
    await Promise.all([gateway.close(), follower?.close()])
  } finally {
    await follower?.close()
    await log.flush()
  }
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function followerOf(dist: string, flags: ServeFlags, log: OpenLog, stop: AbortSignal): Promise<Follower | null> {
  const { follow: source, interval: intervalSeconds, keys = null, keep, derive = false } = flags
  if (source === undefined) return null
  const { startFollower } = await import('./follower.ts')
  return startFollower({ source, dist, intervalSeconds, keys, keep, derive }, log, stop)
}

async function startGateways(
  dist: string,
  { pollSeconds, workers, ...flags }: ServeFlags,
  log: OpenLog,
): Promise<Gateway | RunningWorkers> {
  const options = { dist, ...flags, pollMs: pollSeconds * 1000 }
  if (workers > 1) {
    const { startWorkers } = await import('./workers/primary.ts')
    return startWorkers(workers, options, log)
  }
  // While the code of the gateway is loaded, a thread reads what it is going to hold in memory.
  const { readTablesAside } = await import('./shelf/reading.ts')
  const reading = readTablesAside(dist, null, true).result
  reading.catch(() => {})
  const { startGateway } = await import('./gateway.ts')
  return startGateway(options, log, { tables: await reading })
}
