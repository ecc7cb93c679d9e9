/** `vulnshelf-gateway serve`: a gateway, alone or with workers, and the mirror process of `--follow`. */
import { SnapshotError } from '../../corpus/snapshot/index.ts'
import { readApiKeys } from '../auth/api-keys.ts'
import { assertKeySource, hasKeySource } from '../auth/key-source.ts'
import { type Login, takeLogin } from '../auth/login.ts'
import { type OidcOptions, readOidcOptions } from '../auth/oidc-options.ts'
import { openInterfaces } from '../compat/interfaces.ts'
import type { CompatAuth } from '../compat/listener.ts'
import { GatewayError } from '../http/errors.ts'
import { defaultMemory, holdBytes } from './bounds.ts'
import { collectLessOften } from './garbage-collection.ts'
import type { Gateway } from './gateway.ts'
import { type OpenLog, openLog } from './log.ts'
import type { LogOptions } from './log-options.ts'
import type { MirrorProcessOptions } from './mirror-process.ts'
import { killIfStuck, stopSignal } from './serve.ts'
import type { RunningWorkers } from './workers/primary.ts'

export interface ServeFlags {
  host: string
  port: number
  issuer: string
  audience: string
  jwks?: string
  /** File of API keys. */
  apiKeys?: string
  preview: boolean
  origins?: string[]
  accessLog: boolean
  explorer: boolean
  openDocs?: boolean
  logLevel: LogOptions['level']
  logFormat: LogOptions['format']
  cookie: string
  oidcClientId?: string
  oidcClientSecretFile?: string
  oidcScope?: string
  publicUrl?: string
  sessionKeyFile?: string
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
  compat?: string[]
  compatPort: number
  compatHost: string
  compatAuth: CompatAuth
  npmUpstream?: string
  pollSeconds: number
  workers: number
  /** In bytes, all workers together. */
  memory?: number
  maxConnections: number
  earlierSnapshots: number
  /** Repository to mirror into the served folder. */
  follow?: string
  /** In seconds. */
  interval: number
  keys?: string
  keep: number
  derive?: boolean
  /** Configuration file. */
  config?: string
  /** Check, report and exit. */
  check?: boolean
}

/**
 * Serves until the process gets a signal to stop.
 * @throws SnapshotError without a valid snapshot; GatewayError for an invalid option or an unavailable port
 */
export async function serveFromCommand(dist: string, flags: ServeFlags): Promise<void> {
  // Fails before a first mirror, which can take an hour.
  if (flags.apiKeys !== undefined) readApiKeys(flags.apiKeys)
  if (flags.apiKeys === undefined || hasKeySource(flags)) assertKeySource(flags)
  const oidc = readOidcOptions(flags)
  const login = takeLogin(process.env)
  if (login !== null && flags.workers > 1) {
    throw new GatewayError('bad_option', 'a login link works with one process only; omit --workers')
  }
  if (flags.compat !== undefined) openInterfaces({ ...flags, compat: flags.compat })
  collectLessOften()
  const log = openLog({ level: flags.logLevel, format: flags.logFormat })
  try {
    // Handles signals from here on: the first mirror of a repository can take an hour.
    const stop = stopSignal(log)
    const following = followingOf(dist, flags)
    const start = () => startGateways(dist, flags, { login, oidc }, log)
    const gateway = following ? await startMirrored(following, start, log, stop) : await start()
    if (gateway === null) return
    await serveUntil(stop, gateway, following, log)
  } finally {
    await killIfStuck(log)
    await log.flush()
  }
}

function followingOf(dist: string, flags: ServeFlags): MirrorProcessOptions | null {
  const { follow: source, interval: intervalSeconds, keys = null, keep, derive = false } = flags
  return source === undefined ? null : { source, dist, intervalSeconds, keys, keep, derive }
}

/** Starts with the existing snapshot if it is valid, else after a first mirror. Returns null if stopped meanwhile. */
async function startMirrored<T>(
  following: MirrorProcessOptions,
  start: () => Promise<T>,
  log: OpenLog,
  stop: AbortSignal,
): Promise<T | null> {
  const { isEmpty, mirrorOnce } = await import('./mirror-process.ts')
  if (!isEmpty(following.dist)) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      log.error({ err: error }, 'local snapshot unusable, mirroring it again')
    }
  }
  await mirrorOnce(following, log, stop)
  return stop.aborted ? null : start()
}

async function serveUntil(
  stop: AbortSignal,
  gateway: Gateway | RunningWorkers,
  following: MirrorProcessOptions | null,
  log: OpenLog,
): Promise<void> {
  const mirrorProcess = following && (await import('./mirror-process.ts')).startMirrorProcess(following, log, stop)
  process.on('SIGHUP', () => void gateway.refresh())
  if (gateway.metricsUrl !== null) process.stderr.write(`metrics at ${gateway.metricsUrl}\n`)
  if (gateway.compatUrl !== null) process.stderr.write(`other tools at ${gateway.compatUrl}\n`)
  process.stderr.write(`listening on ${gateway.url}\n`)
  const failures = [...('failed' in gateway ? [gateway.failed] : []), ...(mirrorProcess ? [mirrorProcess.failed] : [])]
  try {
    await Promise.race([abortOf(stop), ...failures])
  } finally {
    await Promise.all([gateway.close(), mirrorProcess?.close()])
  }
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function startGateways(
  dist: string,
  { pollSeconds, workers, memory = defaultMemory(workers), ...flags }: ServeFlags,
  { login, oidc }: { login: Login | null; oidc: OidcOptions | null },
  log: OpenLog,
): Promise<Gateway | RunningWorkers> {
  const common = { dist, ...flags, pollMs: pollSeconds * 1000, holdBytes: holdBytes(memory, workers) }
  // Workers get the key of sessions with the options, so each of them opens the sessions of the others.
  const options = { ...common, ...(login === null ? {} : { login }), ...(oidc === null ? {} : { oidc }) }
  if (workers > 1) {
    if (login !== null)
      throw new GatewayError('bad_option', 'a login link works with one process only, without --workers')
    const { startWorkers } = await import('./workers/primary.ts')
    return startWorkers(workers, options, log)
  }
  // While the gateway's code loads, a thread reads the tables.
  const { loadTables } = await import('../snapshots/table-loader.ts')
  const reading = loadTables(dist, null, true).result
  reading.catch(() => {})
  const { startGateway } = await import('./gateway.ts')
  return startGateway(options, log, { tables: await reading })
}
