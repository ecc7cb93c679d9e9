/** `vulnshelf-gateway serve` from its words: the gateway, alone or with workers, and the mirror that it follows by. */
import type { Follower } from './follower.ts'
import type { Gateway } from './gateway.ts'
import { type OpenLog, openLog } from './log.ts'
import { closeOnSignal } from './serve.ts'
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
    follower = await followerOf(dist, flags, log)
    const gateway = await startGateways(dist, flags, log)
    const close = async () => void (await Promise.all([gateway.close(), follower?.close()]))
    // Before anybody is told that there is something to stop.
    const closed = closeOnSignal({ ...gateway, close }, log)
    process.on('SIGHUP', () => void gateway.refresh())
    if (gateway.metricsUrl !== null) process.stderr.write(`metrics at ${gateway.metricsUrl}\n`)
    process.stderr.write(`listening on ${gateway.url}\n`)
    await ('failed' in gateway ? Promise.race([closed, gateway.failed]) : closed)
  } finally {
    await follower?.close()
    await log.flush()
  }
}

async function followerOf(dist: string, flags: ServeFlags, log: OpenLog): Promise<Follower | null> {
  const { follow: source, interval: intervalSeconds, keys = null, keep, derive = false } = flags
  if (source === undefined) return null
  const { startFollower } = await import('./follower.ts')
  return startFollower({ source, dist, intervalSeconds, keys, keep, derive }, log)
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
