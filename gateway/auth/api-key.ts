/**
 * API keys: `vulnshelf_<id>_<secret>`. A file has their digests. The secret has 160 random bits, so nobody can guess it from a
 * plain SHA-256; slow hashes are for passwords.
 */
import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { GatewayError } from '../http/errors.ts'

/** One key of the file. Times are RFC 3339 timestamps. */
export interface ApiKeyEntry {
  id: string
  /** For people. */
  name: string
  /** `admin` for an administrator (rule 14). */
  role: string
  /** The access tier. Null: 0, and no limit for an administrator (rule 15). */
  tier: number | null
  created: string
  /** Null: never. */
  expires: string | null
  revoked: string | null
  /** Digest of the whole key, in hexadecimal digits. */
  sha256: string
}

/** Secret scanners find keys by this prefix. No JWT begins with it. */
const PREFIX = 'vulnshelf_'
const KEY = /^vulnshelf_([0-9a-f]{12})_[0-9a-f]{40}$/
const [ID_BYTES, SECRET_BYTES] = [6, 20]

/** About 60,000 keys. */
export const MAX_API_KEYS_BYTES = 16 << 20
/** Same maximum as `vulnshelf-gateway token --tier`. */
export const MAX_TIER = 1_000_000

/** Whether a token is meant as an API key. It may be malformed. */
export const isApiKey = (token: string): boolean => token.startsWith(PREFIX)

/** Returns the id of a key; null if the key is malformed. */
export const idOfKey = (key: string): string | null => KEY.exec(key)?.[1] ?? null

export const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')

export type NewApiKey = Pick<ApiKeyEntry, 'name' | 'role' | 'tier' | 'created' | 'expires'>

const time = z.iso.datetime({ error: 'is not a timestamp such as 2026-06-02T08:15:00Z' })
const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line of text')

const entry = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/, 'must have 12 hexadecimal digits'),
  name: line(200),
  role: line(200).min(1, 'must name a role, such as admin'),
  tier: z.int().min(0).max(MAX_TIER).nullable(),
  created: time,
  expires: time.nullable(),
  revoked: time.nullable(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must have 64 hexadecimal digits'),
}) satisfies z.ZodType<ApiKeyEntry>

const document = z.strictObject({ keys: z.array(z.unknown()) })

/** Returns a new key, and its entry for the file. @throws GatewayError `bad_option` for a name or role that is no text */
export function makeApiKey(stated: NewApiKey): { key: string; entry: ApiKeyEntry } {
  const id = randomBytes(ID_BYTES).toString('hex')
  const key = `${PREFIX}${id}_${randomBytes(SECRET_BYTES).toString('hex')}`
  const made = entry.safeParse({ id, ...stated, revoked: null, sha256: digestOf(key).toString('hex') })
  if (made.success) return { key, entry: made.data }
  throw new GatewayError('bad_option', `--${reason(made.error)}`)
}

/** `path` is for messages. @throws GatewayError `bad_option`, with the invalid key and the reason */
export function parseApiKeys(text: string, path: string): ApiKeyEntry[] {
  const refuse = (why: string, cause?: unknown) => {
    const remedy = 'Correct it, or restore a copy'
    return new GatewayError('bad_option', `invalid API keys in ${path}: ${why}. ${remedy}`, { cause })
  }
  let value: unknown
  try {
    value = parseUntrustedJson(text)
  } catch (cause) {
    throw refuse(`the file is not JSON (${(cause as Error).message})`, cause)
  }
  const whole = document.safeParse(value)
  if (!whole.success) throw refuse(`the file must be {"keys": […]}: ${reason(whole.error)}`, whole.error)
  const ids = new Set<string>()
  return whole.data.keys.map((stated, at) => {
    const read = entry.safeParse(stated)
    if (!read.success) throw refuse(`key ${at + 1}: ${reason(read.error)}`, read.error)
    const { id } = read.data
    if (ids.has(id)) throw refuse(`key ${at + 1}: another key has the same id ${id}`)
    ids.add(id)
    return read.data
  })
}

/** Returns the text of the file, with one key on each line. */
export const formatApiKeys = (entries: readonly ApiKeyEntry[]): string =>
  entries.length === 0 ? '{"keys": []}\n' : `{"keys": [\n${entries.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`

/** Returns for example `tier must be a number`. */
function reason({ issues: [issue] }: z.ZodError): string {
  return `${issue!.path.join('.')} ${issue!.message}`.trim()
}
