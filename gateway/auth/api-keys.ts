/** Verifies the API keys of a file, which `vulnshelf-gateway key` writes (rule 11). */
import { timingSafeEqual } from 'node:crypto'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import { GatewayError, unauthenticated } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { type ApiKeyEntry, digestOf, idOfKey, MAX_API_KEYS_BYTES, parseApiKeys } from './api-key.ts'
import { followFile } from './followed-file.ts'
import { type Subject, tierOf } from './subject.ts'

export interface ApiKeys {
  /** @throws ApiError 401 */
  verify(key: string): Subject
  /** Returns when a valid key expires, in ms since 1970; null for never. @throws ApiError 401 */
  expiryOf(key: string): number | null
}

interface Known {
  digest: Buffer
  /** In ms since 1970. */
  expires: number
  entry: ApiKeyEntry
  subject: Subject
}

/** Compared with a key of an unknown id, so that the time does not show which ids exist. */
const NO_DIGEST = Buffer.alloc(32)

/** Returns the keys of a file. @throws GatewayError `bad_option` if it is missing, unreadable or invalid */
export function readApiKeys(path: string): ApiKeyEntry[] {
  let text: string
  try {
    text = readRegularFile(path, MAX_API_KEYS_BYTES).toString()
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = isMissing ? 'the file does not exist' : (cause as Error).message
    throw new GatewayError(
      'bad_option',
      `cannot read the API keys ${path}: ${why}. Correct --api-keys, or create a key: vulnshelf-gateway key add --api-keys ${path}`,
      { cause },
    )
  }
  return parseApiKeys(text, path)
}

/**
 * A broken or removed file leaves the last keys: a mistake must not lock everybody out. `now` is in ms since 1970.
 * @throws GatewayError as `readApiKeys`
 */
export function openApiKeys(path: string, { now, log }: { now: () => number; log: Log }): ApiKeys {
  readApiKeys(path)
  const current = followFile({
    path,
    name: 'API keys',
    most: MAX_API_KEYS_BYTES,
    parse: (text) => indexed(parseApiKeys(text, path)),
    now,
    log,
  })
  current()

  function find(key: string): Known {
    const id = idOfKey(key)
    if (id === null) {
      throw unauthenticated(
        'the API key is malformed; copy the whole key: vulnshelf_, 12 hexadecimal digits, _ and 40 hexadecimal digits',
        'malformed',
      )
    }
    const known = current()?.get(id)
    if (!timingSafeEqual(digestOf(key), known?.digest ?? NO_DIGEST) || known === undefined)
      throw unauthenticated('the API key is unknown; ask the operator of the gateway for a key', 'unknown')
    const { entry, expires } = known
    if (entry.revoked !== null)
      throw unauthenticated(`the API key ${id} was revoked; ask the operator of the gateway for a new one`, 'revoked')
    if (expires <= now())
      throw unauthenticated(`the API key ${id} has expired; ask the operator of the gateway for a new one`, 'expired')
    return known
  }

  return {
    verify: (key) => find(key).subject,
    expiryOf: (key) => {
      const { expires } = find(key)
      return expires === Number.POSITIVE_INFINITY ? null : expires
    },
  }
}

const indexed = (entries: readonly ApiKeyEntry[]): ReadonlyMap<string, Known> =>
  new Map(
    entries.map((entry) => [
      entry.id,
      {
        digest: Buffer.from(entry.sha256, 'hex'),
        expires: entry.expires === null ? Number.POSITIVE_INFINITY : Date.parse(entry.expires),
        entry,
        subject: subjectOf(entry),
      },
    ]),
  )

function subjectOf({ id, role, tier }: ApiKeyEntry): Subject {
  const admin = role === 'admin'
  return { sub: `API key ${id}`, logName: id, admin, tier: tierOf(tier ?? undefined, admin) }
}
