/** Gateways of contract tests: on the sample with odd records, or on hand-written feeds; and their identity provider. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importJWK } from 'jose'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { build } from '../../../builder/snapshot/build.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { type Corpus, openCorpus } from '../../../corpus/store/corpus.ts'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import type { GatewayOptions } from '../../../gateway/process/gateway.ts'
import { walk } from '../../support/ask.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { type FeedFiles, putFeeds } from '../../support/feeds.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { distOf, type SampleDist, type SampleName, sharedSample } from '../../support/samples.ts'
import { isShared, share } from '../../support/shared.ts'
import { adminClaims, jwks, type SigningKey, sign } from '../../support/tokens.ts'

export interface Service extends TestGateway {
  /** For the keys of the identity provider, and files of the test. */
  folder: string
  made: SampleDist
  /** What the answers are made from; of the second night. */
  corpus: Corpus
  /** The value of a 200. */
  json<T = Record<string, never>>(path: string): Promise<T>
  /** Status and body of whatever is answered. */
  ask(path: string, headers?: Record<string, string>): Promise<{ status: number; body: unknown; headers: Headers }>
  /** A header that carries a token for somebody else. */
  tokenOf(claims: { role?: string; tier?: number }): Promise<{ authorization: string }>
  /** Every row of a list, page by page. */
  all<T>(path: string, limit?: number): Promise<T[]>
  remove(): Promise<void>
}

export interface ServiceOptions extends Partial<GatewayOptions> {
  /** Default: `usual`. */
  size?: SampleName
  /** Rules of an access policy. */
  policy?: object
}

/**
 * The service that most contract tests ask. They only read, so that all files of a process share it.
 */
export async function sharedService(): Promise<Service> {
  if (!isShared()) return openService()
  return Object.create(await share('service', () => openService()), { remove: { value: async () => {} } }) as Service
}

/** A gateway on a sample. */
export async function openService({ size = 'usual', ...options }: ServiceOptions = {}): Promise<Service> {
  return serviceOn(temporaryFolder('contract'), await sharedSample(size), options)
}

export interface World extends Service {
  /** Another night: puts these files into the feeds folder (null takes one away), ingests, builds, and serves that. */
  night(files: FeedFiles): Promise<void>
}

/** A gateway on feeds that a test has written itself. */
export async function openWorld(files: FeedFiles, options: WorldOptions = {}): Promise<World> {
  const folder = temporaryFolder('world')
  const made = await distOf(folder.path, files)
  const { feeds, corpus, dist } = made
  const service = await serviceOn(folder, made, options)
  const night = async (changed: FeedFiles) => {
    putFeeds(feeds, changed)
    // Of a handful of records one is soon more than a tenth.
    await ingest({ feeds, corpus, acceptShrink: true }, quietEffects())
    await build({ corpus, dist, jobs: 0 }, quietEffects(), noProgress)
    await service.refresh()
  }
  return {
    ...service,
    get registry() {
      return service.registry
    },
    night,
  }
}

type WorldOptions = Omit<ServiceOptions, 'size'>

/** Returns a function that lends out a world of these feeds, with other options of the gateway. */
export const worldsOf =
  (files: FeedFiles) =>
  async (options: WorldOptions, work: (world: World) => Promise<void>): Promise<void> => {
    const world = await openWorld(files, options)
    try {
      await work(world)
    } finally {
      await world.remove()
    }
  }

async function serviceOn(
  folder: ReturnType<typeof temporaryFolder>,
  made: SampleDist,
  { policy, ...options }: WorldOptions,
): Promise<Service> {
  const more: Partial<GatewayOptions> = {}
  if (policy) {
    more.accessPolicy = join(folder.path, 'access-policy.json')
    writeFileSync(more.accessPolicy, JSON.stringify(policy))
  }
  const gateway = await testGateway(folder.path, made.dist, { ...more, ...options })
  const corpus = openCorpus(made.corpus)
  const ask = async (path: string, headers?: Record<string, string>) => {
    const response = await gateway.get(path, headers)
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
  }
  const json = async <T>(path: string) => JSON.parse(await gateway.body(path)) as T
  return {
    ...gateway,
    get registry() {
      return gateway.registry
    },
    folder: folder.path,
    made,
    corpus,
    ask,
    json,
    async tokenOf(claims) {
      const { token } = await makeToken({
        dir: join(folder.path, 'keys'),
        issuer: LOCAL.issuer,
        audience: LOCAL.audience,
        ...claims,
      })
      return { authorization: `Bearer ${token}` }
    },
    all<T>(path: string, limit = 100) {
      return walk<T>((query) => gateway.body(`${path}${path.includes('?') ? '&' : '?'}${query}`), limit)
    },
    async remove() {
      await gateway.close()
      corpus.close()
      folder.remove()
    },
  }
}

export interface Identity {
  key: SigningKey
  /** A token of an administrator, some claims of which are others; `undefined` leaves one out. */
  token(claims?: Record<string, unknown>, header?: object, by?: SigningKey): Promise<string>
  /** The same as a header. */
  as(claims?: Record<string, unknown>, header?: object, by?: SigningKey): Promise<{ authorization: string }>
  /** From now on these keys are the provider's. */
  publish(...keys: SigningKey[]): void
}

export async function identityOf(service: Service): Promise<Identity> {
  const folder = join(service.folder, 'keys')
  const privateJwk = JSON.parse(readFileSync(join(folder, 'private-key.json'), 'utf8'))
  const { d: _, ...publicJwk } = privateJwk
  const privateKey = (await importJWK(privateJwk, 'ES256')) as CryptoKey
  const key: SigningKey = { alg: 'ES256', kid: privateJwk.kid, publicJwk, privateKey }
  const token: Identity['token'] = (claims = {}, header = {}, by = key) =>
    sign(by, adminClaims(Date.now(), { iss: LOCAL.issuer, aud: LOCAL.audience, ...claims }), header)
  return {
    key,
    token,
    as: async (...args) => ({ authorization: `Bearer ${await token(...args)}` }),
    publish: (...keys) => writeFileSync(join(folder, 'jwks.json'), jwks(...keys)),
  }
}
