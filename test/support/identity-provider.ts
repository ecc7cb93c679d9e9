/** A real identity provider on this machine (oidc-provider), and a browser without scripts that signs in at it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'

export const CLIENT = { id: 'vulnshelf-gateway', secret: 'a secret of the tests' }

export interface Account {
  sub: string
  /** Further claims of the ID token. */
  [claim: string]: unknown
}

export interface IdentityProvider {
  issuer: string
  /** Who signs in next. Null: the user declines. */
  account: Account | null
  /** Lifetime of ID tokens, in seconds. */
  idTokenSeconds: number
  /** Replaces the answers of the token endpoint. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  /** Paths that were requested, in order. */
  requested: string[]
  /** Ends its service. Requests then find no listener. */
  stop(): Promise<void>
  /** Serves at the same address again. */
  start(): Promise<void>
}

/** `publicUrls` are the addresses of gateways that may use it, with a slash at the end. */
export async function startIdentityProvider(publicUrls: () => string[]): Promise<IdentityProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  let server: Server | null = null
  let port = 0
  const listen = async () => {
    server = createServer((request, response) => handle(request, response))
    await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
  }
  await listen()
  const idp: IdentityProvider = {
    issuer: `http://127.0.0.1:${port}`,
    account: { sub: 'alice', role: 'admin' },
    idTokenSeconds: 3600,
    intercept: null,
    requested: [],
    start: listen,
    async stop() {
      const closed = new Promise<void>((resolve) => server!.close(() => resolve()))
      server!.closeAllConnections()
      await closed
    },
  }
  const accounts = new Map<string, Account>()
  const provider = new Provider(idp.issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: publicUrls().map((url) => `${url}auth/callback`),
        post_logout_redirect_uris: publicUrls(),
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub', 'role', 'roles', 'tier', 'groups'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['keys of the tests'] },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      IdToken: () => idp.idTokenSeconds,
      Session: 3600,
      Grant: 3600,
      Interaction: 600,
      AccessToken: 600,
      RefreshToken: 3600,
    },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => accounts.get(id) ?? { sub: id } }),
  })
  provider.on('server_error', (...[, error]: [never, never]) => console.error(error))
  const callback = provider.callback()

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (idp.account === null) return provider.interactionFinished(request, response, { error: 'access_denied' })
    if (prompt.name === 'login') {
      accounts.set(idp.account.sub, idp.account)
      return provider.interactionFinished(request, response, { login: { accountId: idp.account.sub } })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id })
    grant.addOIDCScope((prompt.details.missingOIDCScope ?? []).join(' '))
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }

  handle = (request, response) => {
    const path = request.url!.split('?')[0]!
    idp.requested.push(path)
    if (idp.intercept?.(request, response)) return
    const answered = path.startsWith('/interaction/') ? interact(request, response) : callback(request, response)
    answered.catch((error: Error) => response.writeHead(500).end(error.message))
  }
  return idp
}

export interface Answered {
  status: number
  headers: Headers
  text: string
  url: string
}

/** Keeps cookies as a browser does, by host and port here. */
export class CookieJar {
  readonly hosts = new Map<string, Map<string, string>>()

  header(url: string): string {
    const { host } = new URL(url)
    return Array.from(this.hosts.get(host) ?? [], ([name, value]) => `${name}=${value}`).join('; ')
  }

  /** The cookies of a host. */
  of(url: string): Map<string, string> {
    const { host } = new URL(url)
    const known = this.hosts.get(host) ?? new Map<string, string>()
    this.hosts.set(host, known)
    return known
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Answered> {
    const headers = new Headers(init.headers)
    const cookie = this.header(url)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    const own = this.of(url)
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const isRemoved = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.* 1970 /i.test(one))
      if (isRemoved) own.delete(name)
      else own.set(name, value)
    }
    return { status: response.status, headers: response.headers, text: await response.text(), url }
  }

  /** Follows redirects until `stop` accepts the next address. Returns this address and the last answer. */
  async follow(url: string, stop: (url: string) => boolean = () => false): Promise<{ url: string; answer: Answered }> {
    let next = url
    for (let i = 0; i < 20; i++) {
      const answer = await this.fetch(next)
      const location = answer.headers.get('location')
      if (location === null) return { url: next, answer }
      next = new URL(location, next).href
      if (stop(next)) return { url: next, answer }
    }
    throw new Error(`too many redirects, at ${next}`)
  }
}
