/** A gateway: a shelf of snapshots, a query thread and the app, put together and listening. */
import { existsSync } from 'node:fs'
import { fetch } from 'undici'
import { accessByPolicy, openAccess } from './access/access.ts'
import { createApp } from './app.ts'
import { createAuthenticator } from './auth/authenticator.ts'
import { keyFile } from './auth/key-file.ts'
import type { KeyRing } from './auth/key-set.ts'
import { keysByDiscovery, keyUrl } from './auth/key-url.ts'
import { GatewayError } from './errors.ts'
import { healthRoutes } from './health.ts'
import type { Log } from './log.ts'
import { openQueries, type QueryOptions } from './query/queries.ts'
import type { Context } from './routes/context.ts'
import { ROUTES } from './routes/table.ts'
import { type RunningServer, startServer } from './serve.ts'
import { openShelf, type Shelf } from './shelf/shelf.ts'

export interface GatewayOptions {
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
}

export interface Gateway extends RunningServer {
  shelf: Shelf
}

/**
 * Starts a gateway; it answers as soon as this resolves.
 * @throws SnapshotError when there is no sound snapshot, GatewayError for an option or a port that will not do
 */
export async function startGateway(options: GatewayOptions, log: Log): Promise<Gateway> {
  const { dist, host, port, issuer, audience, preview, origins, accessLog, cookie, adminClaims, algorithms } = options
  const authenticate = createAuthenticator({
    issuer,
    audience,
    keys: keyRing(options, log),
    now: Date.now,
    ...(cookie === undefined ? {} : { cookie }),
    ...(adminClaims === undefined ? {} : { adminClaims }),
    ...(algorithms === undefined ? {} : { algorithms }),
  })
  const polled = options.pollMs === undefined ? {} : { pollMs: options.pollMs }
  const access =
    options.accessPolicy === undefined ? openAccess : accessByPolicy(options.accessPolicy, { log, ...polled })
  const queries = openQueries(options.query)
  const shelf = openShelf(dist, {
    log,
    ...polled,
    onOpen: (snapshot) => queries.open(snapshot.query.path),
    onClose: (snapshot) => queries.forget(snapshot.query.path),
  })
  const app = createApp<Context>(
    {
      ...(preview === undefined ? {} : { preview }),
      ...(origins === undefined ? {} : { origins }),
      ...(accessLog === undefined ? {} : { accessLog }),
    },
    {
      routes: ROUTES,
      openRoutes: healthRoutes(() => shelf.current.id),
      authenticate,
      context: (subject) => ({ shelf, queries, access, subject }),
      log,
    },
  )
  const release = async () => {
    access.close()
    shelf.close()
    await queries.close()
  }
  try {
    const server = await startServer(app, { port, ...(host === undefined ? {} : { host }) })
    const close = async () => {
      await server.close()
      await release()
    }
    return { ...server, shelf, close }
  } catch (error) {
    await release()
    throw error
  }
}

function keyRing({ jwks, issuer }: GatewayOptions, log: Log): KeyRing {
  const options = { fetch, now: Date.now, log }
  if (jwks === undefined) {
    if (!URL.canParse(issuer))
      throw new GatewayError('bad_option', 'without --jwks, --issuer must be a URL to discover it from')
    return keysByDiscovery(issuer, options)
  }
  if (/^https?:\/\//.test(jwks)) return keyUrl(jwks, options)
  if (!existsSync(jwks)) throw new GatewayError('bad_option', `there is no key set at ${jwks}`)
  return keyFile(jwks, options)
}
