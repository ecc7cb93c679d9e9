/** `serve --check`: checks what a start needs and reports every fault. Opens no port and writes no file. */
import { fetch } from 'undici'
import { counted } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { readPointerBytes, SnapshotError } from '../../corpus/snapshot/index.ts'
import { openTables } from '../../corpus/snapshot/memory/open-snapshot.ts'
import { accessByPolicy } from '../access/access.ts'
import { readApiKeys } from '../auth/api-keys.ts'
import { createVerifier } from '../auth/authenticator.ts'
import type { KeyRing } from '../auth/key-set.ts'
import { hasKeySource, openKeyRing } from '../auth/key-source.ts'
import { readOidcOptions } from '../auth/oidc-options.ts'
import { CALLBACK, createProvider } from '../auth/provider.ts'
import { type InterfaceOptions, openInterfaces } from '../compat/interfaces.ts'
import { createCors } from '../http/cors.ts'
import { addressReader } from '../limits/address.ts'
import { checkFiles, loadTables } from '../snapshots/table-loader.ts'
import type { Log } from './log.ts'
import type { ServeFlags } from './serve-command.ts'

/** Exit code for a fault. */
const FAULTY = 2

/**
 * Prints one line for each check, `ok` or `fault` with the remedy. `faults` are those of the configuration file and of
 * combinations of options.
 */
export async function checkFromCommand(dist: string, flags: ServeFlags, faults: readonly string[]): Promise<void> {
  const lines = faults.map((fault) => `fault configuration: ${fault}`)
  if (faults.length === 0) lines.push(`ok    configuration: ${flags.config ?? 'no file'}`)
  for (const [name, check] of checksOf(dist, flags)) {
    try {
      lines.push(`ok    ${name}: ${await check()}`)
    } catch (error) {
      lines.push(
        `fault ${name}: ${reason(error)}${isDamage(error) ? `. \`vulnshelf verify ${dist}\` lists all damage` : ''}`,
      )
    }
  }
  process.stdout.write(`${printableLines(lines)}\n`)
  if (lines.some((line) => line.startsWith('fault'))) process.exitCode = FAULTY
}

const isDamage = (error: unknown) => error instanceof SnapshotError && error.code === 'digest'

type Check = [name: string, run: () => string | Promise<string>]

/** Each check returns what it found, or throws. A list has one check per member. */
function checksOf(dist: string, flags: ServeFlags): Check[] {
  const {
    issuer,
    audience,
    algorithms,
    origins = [],
    trustedProxies = [],
    apiKeys,
    accessPolicy,
    redisUrl,
    follow,
    compat,
  } = flags
  const tokens = (own: { algorithms?: string[] }) => {
    createVerifier({ issuer, audience, keys: NO_KEYS, now: Date.now, ...own })
  }
  const log = lastProblem()
  const bearer: Check[] = [
    ['tokens', done(`issuer ${issuer}, audience ${audience}`, () => tokens({}))],
    ...(algorithms?.length === 0 ? [''] : (algorithms ?? [])).map((name): Check => {
      return ['algorithms', done(name, () => tokens({ algorithms: name === '' ? [] : [name] }))]
    }),
    ['keys', () => checkKeys(flags, log)],
  ]
  return [
    ...(apiKeys !== undefined && !hasKeySource(flags) ? [] : bearer),
    ...(apiKeys === undefined ? [] : [['API keys', () => checkApiKeys(apiKeys)] satisfies Check]),
    ...(flags.oidcClientId === undefined && flags.publicUrl === undefined
      ? []
      : [['sign-in', () => checkSignIn(flags)] satisfies Check]),
    ...origins.map((origin): Check => ['origins', done(origin, () => createCors([origin]))]),
    ...trustedProxies.map((proxy): Check => ['trusted proxies', done(proxy, () => addressReader([proxy]))]),
    ...(accessPolicy === undefined ? [] : [checkPolicy(accessPolicy, log)]),
    ...(compat === undefined ? [] : [checkInterfaces({ ...flags, compat })]),
    ...(follow === undefined ? [] : [['repository', () => checkFollowed(follow, flags.keys)] satisfies Check]),
    ['snapshot', () => checkSnapshot(dist, follow !== undefined)],
    ...(redisUrl === undefined ? [] : [['Redis', () => checkRedis(redisUrl, log)] satisfies Check]),
  ]
}

/** Returns a check that reports `found` if `work` does not throw. */
const done = (found: string, work: () => unknown) => () => {
  work()
  return found
}

const NO_KEYS: KeyRing = {
  current: () => null,
  obtain: () => Promise.reject(new Error('unused')),
  renew: async (known) => known,
}

/** A log that keeps the fields of the last warning or error: a running gateway logs these causes and continues. */
interface ProblemLog extends Log {
  last: { err?: unknown; reason?: string; redis?: string }
}

function lastProblem(): ProblemLog {
  const keep = (fields: object) => {
    log.last = fields
  }
  const log: ProblemLog = { last: {}, debug() {}, info() {}, warn: keep, error: keep, access() {} }
  return log
}

async function checkKeys({ jwks, issuer }: ServeFlags, log: ProblemLog): Promise<string> {
  const source = jwks ?? `the issuer ${issuer}`
  const ring = openKeyRing({ issuer, ...(jwks === undefined ? {} : { jwks }) }, { fetch, now: Date.now, log })
  const set = await ring.obtain().catch(() => null)
  if (set === null) {
    throw new Error(
      `cannot load the key set of ${source}: ${reason(log.last.err)}. Correct --jwks or --issuer, or restore the service`,
    )
  }
  const { keys } = JSON.parse(set.text) as { keys: { kty: string }[] }
  const usable = keys.filter(({ kty }) => kty !== 'oct').length
  if (usable > 0) return `${counted(usable, 'key')} of ${source}`
  throw new Error(`the key set of ${source} has no public key, so every token would be rejected. Add a key`)
}

function checkApiKeys(path: string): string {
  const keys = readApiKeys(path)
  const isValid = ({ expires, revoked }: (typeof keys)[number]) =>
    revoked === null && (expires === null || Date.parse(expires) > Date.now())
  const valid = keys.filter(isValid).length
  if (valid > 0) return `${counted(valid, 'valid key')} of ${keys.length} in ${path}`
  throw new Error(`no key in ${path} is valid. Add one: vulnshelf-gateway key add --api-keys ${path}`)
}

async function checkSignIn(flags: ServeFlags): Promise<string> {
  const oidc = readOidcOptions(flags)
  if (oidc === null) return 'no identity provider'
  const provider = createProvider(oidc, { fetch, now: Date.now })
  await provider.check().catch(({ cause }: Error) => {
    throw new Error(
      `cannot read the metadata of ${oidc.issuer}: ${reason(cause)}. Correct --issuer, or restore the service`,
    )
  })
  return `${provider.name}, redirect URI ${oidc.publicUrl}${CALLBACK}`
}

const checkPolicy = (path: string, log: Log): Check => [
  'access policy',
  done(path, () => accessByPolicy(path, { log, pollMs: 0 }).close()),
]

const checkInterfaces = (options: InterfaceOptions): Check => [
  'other tools',
  done(options.compat.join(', '), () => openInterfaces(options)),
]

async function checkFollowed(source: string, keys: string | undefined): Promise<string> {
  const { shownSource } = await import('../mirror/follow.ts')
  const { checkRepository } = await import('../mirror/check.ts')
  const { version } = await checkRepository(source, keys).catch((error: unknown) => {
    throw new Error(`${reason(error)}. Correct --follow or --keys, or restore the repository`)
  })
  return `version ${version} of ${shownSource(source)}, ${keys === undefined ? 'signature not checked' : 'signature valid'}`
}

/** Checks what a start checks before its first answer, then all files, as a start does in the background. */
async function checkSnapshot(dist: string, isMirrored: boolean): Promise<string> {
  if (isMirrored && readPointerBytes(dist) === null) return `none in ${dist}; a start mirrors one first`
  const tables = await loadTables(dist, null, true).result
  const { close } = openTables(dist, tables)
  close()
  await checkFiles(dist, tables.manifest.files, new Set(), true).result
  return `${tables.manifest.snapshot.slice(0, 12)}, ${counted(tables.about.counts.cves ?? 0, 'CVE')}`
}

/** Counts once in Redis, as a start does, because a Redis that cannot write is useless. The key expires after 1 s. */
async function checkRedis(url: string, log: ProblemLog): Promise<string> {
  const [{ connectRedis }, { parseRedisUrl }] = await Promise.all([
    import('../limits/redis-connection.ts'),
    import('../limits/redis-url.ts'),
  ])
  const address = parseRedisUrl(url)
  const redis = await connectRedis(address, log)
  const isShared = redis.shared
  redis.close()
  if (isShared) return address.shown
  throw new Error(`cannot use ${address.shown}: ${log.last.reason}. Correct --redis-url (REDIS_URL), or start Redis`)
}

/** Returns the message, with that of the cause: `fetch` states the reason only there. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  if (message !== 'fetch failed' || !(cause instanceof Error)) return message
  return `${message}: ${cause.message || String((cause as NodeJS.ErrnoException).code)}`
}
