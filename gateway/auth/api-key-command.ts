/** `vulnshelf-gateway key`: creates, lists and revokes API keys. */
import { table } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { LONGEST_DAYS, parseDuration } from '../../corpus/model/values/duration.ts'
import { GatewayError } from '../http/errors.ts'
import type { ApiKeyEntry } from './api-key.ts'
import { addApiKey, revokeApiKey } from './api-key-file.ts'
import { readApiKeys } from './api-keys.ts'
import { LOCAL } from './token.ts'

export interface KeyFlags {
  /** The file. Default: `LOCAL.apiKeys`. */
  apiKeys?: string
  name: string
  role: string
  tier?: number
  /** `30m`, `1h`, `2d` or `never`. */
  expires: string
}

const NEVER = 'never'

const timestamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** Prints the key, and nothing else, on standard output. `now` is in ms since 1970. @throws GatewayError */
export async function addFromCommand(
  { apiKeys: path = LOCAL.apiKeys, ...flags }: KeyFlags,
  now = Date.now(),
): Promise<void> {
  const expires = expiryOf(flags.expires, now)
  const { name, role, tier = null } = flags
  const { key, entry } = await addApiKey(path, { name, role, tier, created: timestamp(now), expires })
  const about = `role ${role}, tier ${tierText(entry)}, ${expires === null ? 'never expires' : `expires ${expires}`}`
  const preview = role === 'admin' ? '' : '; a gateway in preview accepts only the role admin (see serve --no-preview)'
  process.stderr.write(
    printableLines([
      `added API key ${entry.id} to ${path}: ${about}${preview}`,
      `this is the only time that the key is shown; serve it: vulnshelf-gateway serve <dist> --api-keys ${path}`,
      '',
    ]),
  )
  process.stdout.write(`${key}\n`)
}

/** Prints a line for each key. @throws GatewayError */
export function listFromCommand({ apiKeys: path = LOCAL.apiKeys }: KeyFlags, now = Date.now()): void {
  const rows = readApiKeys(path).map((entry) => [
    entry.id,
    entry.name === '' ? '-' : entry.name,
    entry.role,
    tierText(entry),
    entry.created,
    entry.expires ?? NEVER,
    stateOf(entry, now),
  ])
  const lines = table([['id', 'name', 'role', 'tier', 'created', 'expires', 'state'], ...rows], [0, 1, 2, 4, 5, 6])
  process.stdout.write(`${printableLines(lines.map((line) => line.trimEnd()))}\n`)
}

/** Prints what was revoked. @throws GatewayError */
export async function revokeFromCommand(
  { apiKeys: path = LOCAL.apiKeys }: KeyFlags,
  id: string,
  now = Date.now(),
): Promise<void> {
  const { id: revoked, name, revoked: before } = await revokeApiKey(path, id, timestamp(now))
  const which = `API key ${revoked}${name === '' ? '' : ` (${name})`}`
  const line =
    before === null
      ? `revoked ${which}; gateways that read ${path} reject it within a second`
      : `${which} was already revoked at ${before}`
  process.stdout.write(`${printableLines([line])}\n`)
}

/** @throws GatewayError `bad_option` */
function expiryOf(text: string, now: number): string | null {
  if (text === NEVER) return null
  const seconds = parseDuration(text)
  if (seconds !== null) return timestamp(now + seconds * 1000)
  throw new GatewayError(
    'bad_option',
    `invalid lifetime '${text}'; use a duration such as 1h or 30d, at most ${LONGEST_DAYS}d, or ${NEVER}`,
  )
}

const tierText = ({ role, tier }: ApiKeyEntry) => String(tier ?? (role === 'admin' ? 'all' : 0))

function stateOf({ expires, revoked }: ApiKeyEntry, now: number): string {
  if (revoked !== null) return `revoked ${revoked}`
  return expires !== null && Date.parse(expires) <= now ? 'expired' : 'active'
}
