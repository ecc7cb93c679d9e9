/** A gateway: snapshots, query thread and app, listening on a port. */
import { fetch } from 'undici'
import { cveIdsOf } from '../../corpus/answers/advisory.ts'
import type { Context } from '../../corpus/answers/context.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { SnapshotTables } from '../../corpus/snapshot/memory/tables.ts'
import { accessByPolicy, openAccess } from '../access/access.ts'
import { openApiKeys } from '../auth/api-keys.ts'
import { createAuthenticator, createVerifier, type VerifierOptions } from '../auth/authenticator.ts'
import { createBearerTokens } from '../auth/bearer-token.ts'
import { hasKeySource, openKeyRing } from '../auth/key-source.ts'
import { type Login, loginRoute } from '../auth/login.ts'
import type { OidcOptions } from '../auth/oidc-options.ts'
import { createProvider } from '../auth/provider.ts'
import { createSeal } from '../auth/seal.ts'
import { createSessions, sessionCookie } from '../auth/session.ts'
import { type OidcParts, signInRoutes } from '../auth/sign-in-routes.ts'
import { apiIndex } from '../compat/api-index.ts'
import { scoreIndex } from '../compat/epss-scores.ts'
import type { PackageIndex } from '../compat/interface.ts'
import { openInterfaces } from '../compat/interfaces.ts'
import { type CompatAuth, createCompatApp } from '../compat/listener.ts'
import { openEarlierAnswers } from '../earlier/answers.ts'
import { createApp } from '../http/app.ts'
import { createEngine } from '../http/engine.ts'
import { explorerRoutes } from '../http/explorer-routes.ts'
import { healthRoutes } from '../http/health.ts'
import { createLimits, type LimitOptions, type Limits, openLimits } from '../limits/limits.ts'
import { startMetricsListener } from '../metrics/listener.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { openQueries, type QueryOptions } from '../query/queries.ts'
import { textsOf } from '../query/texts.ts'
import { gatewayHistory } from '../snapshots/history.ts'
import { openRegistry, type SnapshotRegistry } from '../snapshots/registry.ts'
import { COMPAT_PORT, MAX_CONNECTIONS, PROCESS_BYTES } from './bounds.ts'
import type { Log } from './log.ts'
import { limitLines } from './log-limit.ts'
import { type RunningServer, startServer } from './serve.ts'

export interface GatewayOptions extends LimitOptions {
  dist: string
  host?: string
  port: number
  issuer: string
  audience: string
  /** File or URL of the key set. Default: discovered from the issuer. */
  jwks?: string
  /** File of API keys. Without `jwks` and an issuer, only they are accepted. Default: none. */
  apiKeys?: string
  preview?: boolean
  origins?: readonly string[]
  accessLog?: boolean
  /** Whether `/` is the explorer. Default: true. */
  explorer?: boolean
  /** Whether `/openapi.json` needs no token. */
  openDocs?: boolean
  /** A link that signs a browser in once. */
  login?: Login
  cookie?: string
  /** Signing in at the identity provider. Default: with a token only. */
  oidc?: OidcOptions
  adminClaims?: readonly string[]
  algorithms?: readonly string[]
  /** Policy file that assigns access tiers to CVEs. Default: every account sees all CVEs. */
  accessPolicy?: string
  /** Interval between checks of the pointer and the access policy, in ms. */
  pollMs?: number
  query?: QueryOptions
  /** Earlier snapshots that are read at once. */
  earlierSnapshots?: number
  /** Port of the metrics listener. Default: no metrics. */
  metricsPort?: number
  metricsHost?: string
  /** Interfaces of other tools, on a listener of their own. Default: none. */
  compat?: readonly string[]
  compatPort?: number
  compatHost?: string
  compatAuth?: CompatAuth
  /** URL of the npm registry that package documents are redirected to. */
  npmUpstream?: string
  /** Maximum open connections of a listener, all workers together. */
  maxConnections?: number
  /** Memory for rows and pages of the current snapshot, in bytes. Default: unlimited. */
  holdBytes?: number
}

export interface Gateway extends RunningServer {
  registry: SnapshotRegistry
  /** URL of the metrics; null without a metrics listener. */
  metricsUrl: string | null
  /** URL of the interfaces of other tools; null without any. */
  compatUrl: string | null
  /** Checks at once for a new snapshot and a changed access policy. */
  refresh(): Promise<void>
}

/** Parts that others provide: loaded tables, a primary that watches the pointer (`led`), limits, packages. */
export interface PrimaryParts {
  tables?: SnapshotTables
  led?: boolean
  limits?: Partial<Limits>
  packages?: PackageIndex | null
  /** The clock of tokens and sessions, in ms since 1970. */
  now?: () => number
}

/** A gateway that has loaded its snapshot and does not listen yet. */
export interface OpenGateway {
  registry: SnapshotRegistry
  metrics: Metrics | null
  refresh(): Promise<void>
  /** Rejects with a GatewayError if a port is unavailable. Everything is closed then. */
  listen(): Promise<Gateway>
  close(): Promise<void>
}

/**
 * Starts a gateway. Resolves when it answers.
 * @throws SnapshotError without a valid snapshot; GatewayError for an invalid option or an unavailable port
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
 * Opens a gateway that counts its limits in memory, unless `parts` has others. Closes its limits with itself.
 * @throws SnapshotError without a valid snapshot; GatewayError for an invalid option
 */
export function openGateway(options: GatewayOptions, log: Log, parts: PrimaryParts = {}): OpenGateway {
  const { dist, host, port, issuer, audience, preview, origins, accessLog, adminClaims, algorithms } = options
  const { oidc, cookie: cookieName = 'session' } = options
  const { now = Date.now } = parts
  const apiKeys = options.apiKeys === undefined ? null : openApiKeys(options.apiKeys, { now, log })
  const ring = apiKeys !== null && !hasKeySource(options) ? null : openKeyRing(options, { fetch, now, log })
  // Unreachable keys are logged at the start, and the first request does not wait for a download.
  void ring?.obtain().catch(() => {})
  const rules = {
    issuer,
    now,
    ...(adminClaims === undefined ? {} : { adminClaims }),
    ...(algorithms === undefined ? {} : { algorithms }),
  }
  const cookie = sessionCookie(cookieName, oidc?.publicUrl ?? null)
  const signIn = oidc === undefined || ring === null ? null : openSignIn(oidc, { ...rules, keys: ring })
  const tokens = createBearerTokens({
    tokens: ring && createVerifier({ ...rules, keys: ring, audience }),
    apiKeys,
  })
  const authenticate = createAuthenticator({
    verify: tokens.verify,
    cookie,
    ...(signIn === null ? {} : { sessions: signIn.sessions }),
  })
  const interfaces = options.compat === undefined ? null : openInterfaces({ ...options, compat: options.compat })
  const limits = { ...createLimits(options), ...parts.limits }
  const polled = options.pollMs === undefined ? {} : { pollMs: options.pollMs }
  const access =
    options.accessPolicy === undefined ? openAccess : accessByPolicy(options.accessPolicy, { log, ...polled })
  const queries = openQueries(options.query)
  const registry = closingOnError(queries, () =>
    openRegistry(dist, {
      log,
      ...polled,
      ...(options.holdBytes === undefined ? {} : { holdBytes: options.holdBytes }),
      ...(parts.led === undefined ? {} : { led: parts.led }),
      ...(parts.tables === undefined ? {} : { tables: parts.tables }),
      onOpen(snapshot) {
        queries.open(snapshot.query.path)
        snapshot.texts = textsOf(queries, snapshot.query.path)
      },
      onServe: (snapshot) => queries.serve(snapshot.query.path),
      onClose: (snapshot) => queries.forget(snapshot.query.path),
    }),
  )
  const earlier = openEarlierAnswers({
    dist,
    ...(options.earlierSnapshots === undefined ? {} : { most: options.earlierSnapshots }),
    current: () => registry.current.manifest,
    policy: () => access.policy,
  })
  const { maxConnections = MAX_CONNECTIONS, explorer = true, login } = options
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
  const gate = { authenticate, limits, meter: metrics?.meter, log }
  const gateOptions = {
    ...(preview === undefined ? {} : { preview }),
    ...(accessLog === undefined ? {} : { accessLog }),
  }
  const answer = createEngine({ registry, history: gatewayHistory(registry), access, earlier: earlier.answer })
  const app = createApp<Context>(
    {
      ...gateOptions,
      ...(origins === undefined ? {} : { origins }),
      ...(options.openDocs ? { anonymous: ['getOpenapi'] } : {}),
    },
    {
      ...gate,
      routes: ROUTES,
      openRoutes: [
        ...healthRoutes(() => registry.current.id),
        ...(explorer ? explorerRoutes() : []),
        ...(explorer || signIn ? signInRoutes({ cookie, tokens, oidc: signIn, limits, log, now }) : []),
        ...(login ? [loginRoute(login, cookie, now)] : []),
      ],
      answer,
    },
  )
  const compatApp =
    interfaces &&
    createCompatApp(
      { ...gateOptions, auth: options.compatAuth ?? 'bearer' },
      {
        ...gate,
        interfaces,
        openPackages(subject) {
          const { current } = registry
          // A snapshot without packages must not look like one without a match.
          const own = current.about.ecosystems.length > 0 ? current.openPackages : null
          const index = parts.packages === undefined ? own : parts.packages
          const advisory = (id: string) => {
            const member = index!.advisory(id)
            return member && access.isAdvisoryRestricted(subject, current, () => cveIdsOf(member)) ? null : member
          }
          return { index: index && { ...index, advisory }, release: current.hold() }
        },
        openScores(subject) {
          const { current } = registry
          const caller = subject ?? { tier: 0 }
          const judge = (row: number, id: CveId) => access.judge(caller, current, row, id)
          return { index: scoreIndex(current, judge), release: current.hold() }
        },
        openApi(subject) {
          return { index: apiIndex(registry, answer, subject ?? { tier: 0 }), release: registry.current.hold() }
        },
      },
    )
  const servers: RunningServer[] = []
  const stopListening = async () => {
    await Promise.all(servers.map((server) => server.stopListening()))
  }
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
    access.close()
    registry.close()
    await earlier.close()
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
      const listeners = { maxConnections, onRefused }
      let compatUrl: string | null = null
      if (compatApp !== null) {
        const own = at(options.compatPort ?? COMPAT_PORT, options.compatHost)
        const listener = await startServer(compatApp, { ...own, ...listeners, readsBodies: true })
        servers.push(listener)
        compatUrl = listener.url
      }
      const server = await startServer(app, { ...at(port, host), ...listeners })
      servers.push(server)
      return { ...server, registry, metricsUrl, compatUrl, refresh, stopListening, close }
    } catch (error) {
      await close()
      throw error
    }
  }
  return { registry, metrics, refresh, listen, close }
}

/** ID tokens are for the client, by their audience. All other rules are those of access tokens. */
function openSignIn(oidc: OidcOptions, rules: Omit<VerifierOptions, 'audience'>): OidcParts {
  const verify = createVerifier({ ...rules, audience: oidc.clientId, rememberBytes: PROCESS_BYTES.sessions })
  const seal = createSeal(oidc.key)
  const provider = createProvider(oidc, { fetch, now: rules.now })
  return { provider, verify, sessions: createSessions(seal, verify), seal, publicUrl: oidc.publicUrl }
}

/** Returns what `open` returns. If `open` throws, closes `opened`, because the caller does not have it. */
function closingOnError<T>(opened: { close(): Promise<void> }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    void opened.close()
    throw error
  }
}
