/** The listener for other tools on a free port, with packages in memory. */

import { packageKey } from '../../corpus/model/packages/name.ts'
import { packageStatements } from '../../corpus/model/packages/package-advisory.ts'
import { packageEntry } from '../../corpus/model/packages/package-entry.ts'
import { ecosystemsOf, HASHED_KINDS } from '../../corpus/snapshot/index.ts'
import { encodeMember } from '../../corpus/snapshot/record/member.ts'
import type { ScoreIndex } from '../../gateway/compat/epss-scores.ts'
import type { PackageIndex } from '../../gateway/compat/interface.ts'
import { type InterfaceOptions, openInterfaces } from '../../gateway/compat/interfaces.ts'
import { type CompatAuth, type CompatDeps, createCompatApp } from '../../gateway/compat/listener.ts'
import { createLimits, type LimitOptions } from '../../gateway/limits/limits.ts'
import { type RunningServer, type ServeOptions, startServer } from '../../gateway/process/serve.ts'
import { fixedKeys, type LogLine, listLog } from './server.ts'
import { AUDIENCE, adminClaims, authenticatorOf, ISSUER, type SigningKey, sign, signingKey } from './tokens.ts'

/** Returns the index of records in the OSV schema. Aliases are those of the records alone. */
export function packagesOf(records: readonly object[]): PackageIndex {
  const statements = records.flatMap((record) => packageStatements({ ...record }))
  const byKey = Map.groupBy(statements, ({ ecosystem, folded }) => `${ecosystem}/${folded}`)
  const entries = new Map(
    Array.from(byKey, ([key, found]) => {
      const advisories = found.map(({ advisory }) => advisory).sort((a, b) => (a.id < b.id ? -1 : 1))
      return [key, packageEntry(key, found[0]!.purl, advisories)]
    }),
  )
  const members = new Map(records.map((record) => [(record as { id: string }).id, memberOf(record)]))
  return {
    ...ecosystemsOf({
      ecosystems: statements.map(({ advisory }) => advisory.affected.map(({ ecosystem }) => ecosystem)),
    }),
    package: (ecosystem, name) => entries.get(packageKey(ecosystem, name)) ?? null,
    advisory: (id) => members.get(id) ?? null,
    aliasesOf: () => null,
  }
}

const memberOf = (record: object) =>
  encodeMember('advisory', [
    { kind: HASHED_KINDS.advisories, count: 1, plain: Buffer.from(JSON.stringify(record)) },
    Buffer.from('\n'),
  ])

/** An npm advisory in the OSV schema that affects everything below `fixed`. */
export const npmRecord = (id: string, name: string, fixed: string, more: object = {}) => ({
  id,
  summary: `Flaw in ${name}`,
  affected: [
    { package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }] },
  ],
  database_specific: { severity: 'HIGH', cwe_ids: ['CWE-79'] },
  ...more,
})

/** A Packagist advisory in the OSV schema with one range. */
export const packagistRecord = (id: string, name: string, events: Record<string, string>[], more: object = {}) => ({
  id,
  summary: `Flaw in ${name}`,
  published: '2024-02-03T04:05:06Z',
  modified: '2024-03-04T05:06:07Z',
  affected: [{ package: { ecosystem: 'Packagist', name }, ranges: [{ type: 'ECOSYSTEM', events }] }],
  database_specific: { severity: 'HIGH' },
  ...more,
})

export interface CompatServer extends RunningServer {
  key: SigningKey
  token: string
  /** The header of the administrator's token. */
  bearer: { authorization: string }
  log: LogLine[]
  /** Posts to the bulk endpoint with the administrator's token, unless the headers override it. */
  bulk(body: unknown, init?: RequestInit): Promise<Response>
}

export interface CompatServerOptions {
  packages?: PackageIndex | null
  scores?: ScoreIndex | null
  auth?: CompatAuth
  interfaces?: Partial<InterfaceOptions>
  limits?: LimitOptions
  serve?: Partial<ServeOptions>
  deps?: Partial<CompatDeps>
}

export async function serveCompat(options: CompatServerOptions = {}): Promise<CompatServer> {
  const { packages = packagesOf([]), scores = null, auth = 'bearer' } = options
  const key = await signingKey('key-1')
  const { log, lines } = listLog()
  const deps: CompatDeps = {
    authenticate: authenticatorOf({ issuer: ISSUER, audience: AUDIENCE, keys: fixedKeys(key), now: Date.now }),
    limits: createLimits(options.limits),
    log,
    interfaces: openInterfaces({ compat: ['npm'], ...options.interfaces }),
    openPackages: () => ({ index: packages, release: () => {} }),
    openScores: () => ({ index: scores, release: () => {} }),
    openApi: () => {
      throw new TypeError('this server has no API')
    },
    ...options.deps,
  }
  const serve = { port: 0, drainMs: 2000, idleMs: 0, readsBodies: true, ...options.serve }
  const server = await startServer(createCompatApp({ auth }, deps), serve)
  const token = await sign(key, adminClaims(Date.now()))
  const bearer = { authorization: `Bearer ${token}` }
  const bulk = (body: unknown, init: RequestInit = {}) => {
    const headers = { ...bearer, 'content-type': 'application/json', ...init.headers }
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    return fetch(server.url + BULK, { method: 'POST', body: sent as string, ...init, headers })
  }
  return { ...server, key, token, bearer, log: lines, bulk }
}

/** Runs `use` with a server that is closed afterwards. */
export async function withCompat(options: CompatServerOptions, use: (server: CompatServer) => Promise<unknown>) {
  const server = await serveCompat(options)
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

export const BULK = '/-/npm/v1/security/advisories/bulk'
export const COMPOSER_API = '/api/security-advisories/'
