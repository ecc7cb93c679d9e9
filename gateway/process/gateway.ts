/** A gateway: the served snapshots, a query thread and the app, listening. */
import { fetch } from 'undici'
import { accessByPolicy, openAccess } from '../access/access.ts'
import { createAuthenticator } from '../auth/authenticator.ts'
import { openKeyRing } from '../auth/key-source.ts'
import { docsRoute } from '../docs/docs.ts'
import { createApp } from '../http/app.ts'
import { healthRoutes } from '../http/health.ts'
import { createLimits, type LimitOptions, type Limits, openLimits } from '../limits/limits.ts'
import { startMetricsListener } from '../metrics/listener.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { openQueries, type QueryOptions } from '../query/queries.ts'
import type { Context } from '../routes/context.ts'
import { DOCUMENT, ROUTES } from '../routes/table.ts'
import { openRegistry, type SnapshotRegistry } from '../snapshots/registry.ts'
import type { SnapshotTables } from '../snapshots/tables.ts'
import { MAX_CONNECTIONS } from './bounds.ts'
import type { Log } from './log.ts'
import { limitLines } from './log-limit.ts'
import { type RunningServer, startServer } from './serve.ts'

export interface GatewayOptions extends LimitOptions {
  dist: string
  host?: string
  port: number
  issuer: string
  audience: string
  /** File or URL of the key set; without it, it is discovered from the issuer. */
  jwks?: string
  preview?: boolean
  origins?: readonly string[]
  accessLog?: boolean
  cookie?: string
  adminClaims?: readonly string[]
  algorithms?: readonly string[]
  /** File with the rules that give CVEs an access tier; without it everybody sees all. */
  accessPolicy?: string
  /** How often the pointer and the access policy are looked at, in ms. */
  pollMs?: number
  query?: QueryOptions
  /** Port of the listener that metrics are read from; there are none without it. */
  metricsPort?: number
  metricsHost?: string
  /** Open connections, those of all workers together. */
  maxConnections?: number
}

export interface Gateway extends RunningServer {
  registry: SnapshotRegistry
  /** Where metrics are read, null where there are none. */
  metricsUrl: string | null
  /** Looks at once for a new snapshot and a changed access policy. */
  refresh(): Promise<void>
}

/** What a worker brings along: others have read, watch and count for it. */
export interface PrimaryParts {
  tables?: SnapshotTables
  led?: boolean
  limits?: Partial<Limits>
}

/** A gateway that has loaded its snapshot, and does not listen yet. */
export interface OpenGateway {
  registry: SnapshotRegistry
  metrics: Metrics | null
  refresh(): Promise<void>
  /** Rejects with a GatewayError where a port cannot be had; then all is closed. */
  listen(): Promise<Gateway>
  close(): Promise<void>
}

/**
 * Starts a gateway; it answers as soon as this resolves.
 * @throws SnapshotError when there is no sound snapshot, GatewayError for an option or a port that will not do
 */
export async function startGateway(options: GatewayOptions, log: Log, parts: PrimaryParts = {}): Promise<Gateway> {
  const limits = await openLimits(options, log)
  try {
    return await openGateway(options, log, { limits, ...parts }).listen()
  } catch (error) {
    limits.close()
    throw error
  }
}

/**
 * A gateway that counts its limits in memory, unless it is given others, which it closes with itself.
 * @throws SnapshotError when there is no sound snapshot, GatewayError for an option that will not do
 */
export function openGateway(options: GatewayOptions, log: Log, parts: PrimaryParts = {}): OpenGateway {
  const { dist, host, port, issuer, audience, preview, origins, accessLog, cookie, adminClaims, algorithms } = options
  const authenticate = createAuthenticator({
    issuer,
    audience,
    keys: openKeyRing(options, { fetch, now: Date.now, log }),
    now: Date.now,
    ...(cookie === undefined ? {} : { cookie }),
    ...(adminClaims === undefined ? {} : { adminClaims }),
    ...(algorithms === undefined ? {} : { algorithms }),
  })
  const limits = { ...createLimits(options), ...parts.limits }
  const polled = options.pollMs === undefined ? {} : { pollMs: options.pollMs }
  const access =
    options.accessPolicy === undefined ? openAccess : accessByPolicy(options.accessPolicy, { log, ...polled })
  const queries = openQueries(options.query)
  const registry = closingOnError(queries, () =>
    openRegistry(dist, {
      log,
      ...polled,
      ...(parts.led === undefined ? {} : { led: parts.led }),
      ...(parts.tables === undefined ? {} : { tables: parts.tables }),
      onOpen: (snapshot) => queries.open(snapshot.query.path),
      onClose: (snapshot) => queries.forget(snapshot.query.path),
    }),
  )
  const { maxConnections = MAX_CONNECTIONS } = options
  const logLimited = limitLines(log)
  let connectionsRefused = 0
  const onRefused = () => {
    connectionsRefused++
    logLimited('warn', { open: maxConnections }, 'connection rejected, too many are open (--max-connections)')
  }
  const metrics =
    options.metricsPort === undefined
      ? null
      : createMetrics({
          registry: () => registry.figures,
          queries: () => queries.figures,
          limitsShared: limits.shared,
          connectionsRefused: () => connectionsRefused,
          now: Date.now,
        })
  const app = createApp<Context>(
    {
      ...(preview === undefined ? {} : { preview }),
      ...(origins === undefined ? {} : { origins }),
      ...(accessLog === undefined ? {} : { accessLog }),
    },
    {
      routes: ROUTES,
      openRoutes: [...healthRoutes(() => registry.current.id), docsRoute(DOCUMENT)],
      authenticate,
      limits,
      meter: metrics?.meter,
      context: (subject) => ({ registry, queries, access, subject }),
      log,
    },
  )
  const servers: RunningServer[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
    access.close()
    registry.close()
    await queries.close()
    limits.close()
  }
  const refresh = async () => {
    access.refresh()
    if (!parts.led) await registry.refresh()
  }
  async function listen(): Promise<Gateway> {
    try {
      const at = (onPort: number, onHost: string | undefined) => ({
        port: onPort,
        ...(onHost === undefined ? {} : { host: onHost }),
      })
      let metricsUrl: string | null = null
      if (metrics !== null && !parts.led) {
        const listener = await startMetricsListener(metrics, at(options.metricsPort!, options.metricsHost))
        servers.push(listener)
        metricsUrl = `${listener.url}/metrics`
      }
      const server = await startServer(app, { ...at(port, host), maxConnections, onRefused })
      servers.push(server)
      return { ...server, registry, metricsUrl, refresh, close }
    } catch (error) {
      await close()
      throw error
    }
  }
  return { registry, metrics, refresh, listen, close }
}

/** Returns what `open` returns. When it throws, closes what would stay open: nobody else has it. */
function closingOnError<T>(opened: { close(): Promise<void> }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    void opened.close()
    throw error
  }
}
