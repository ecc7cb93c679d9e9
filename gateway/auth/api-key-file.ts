/** Changes the file of API keys: one process at a time, and in one step for the gateways that read it. */
import { randomUUID } from 'node:crypto'
import { chown, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolders, realEffects } from '../../corpus/command/effects.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite, isSystemError } from '../../corpus/command/system-error.ts'
import { assertReplaceable } from '../../corpus/runtime/regular-file.ts'
import { GatewayError } from '../http/errors.ts'
import { type ApiKeyEntry, formatApiKeys, idOfKey, MAX_API_KEYS_BYTES, makeApiKey, type NewApiKey } from './api-key.ts'
import { readApiKeys } from './api-keys.ts'

/** A change takes milliseconds. */
const LOCK_MS = 10_000
const LOCK_RETRY_MS = 20

/** Adds a key, and creates the file if it is missing. Returns the key, which is stored nowhere. @throws GatewayError */
export async function addApiKey(path: string, stated: NewApiKey): Promise<{ key: string; entry: ApiKeyEntry }> {
  const made = makeApiKey(stated)
  await change(path, (entries) => [...entries, made.entry])
  return made
}

/**
 * Revokes the key with an id; `id` may also be the whole key. Returns its entry as it was before.
 * @throws GatewayError `bad_option` for an unknown id
 */
export async function revokeApiKey(path: string, id: string, revoked: string): Promise<ApiKeyEntry> {
  readApiKeys(path)
  let found: ApiKeyEntry | undefined
  await change(path, (entries) => {
    found = entries.find((one) => one.id === (idOfKey(id) ?? id))
    return entries.map((one) => (one === found && one.revoked === null ? { ...one, revoked } : one))
  })
  if (found !== undefined) return found
  throw new GatewayError(
    'bad_option',
    `no API key in ${path} has this id; list the keys: vulnshelf-gateway key list --api-keys ${path}`,
  )
}

async function change(path: string, work: (entries: ApiKeyEntry[]) => ApiKeyEntry[]): Promise<void> {
  try {
    assertReplaceable(path)
    await makeFolders(dirname(path), 0o700)
    // A rename would replace a link.
    const file = await realpath(path).catch(() => path)
    const unlock = await locked(`${file}.lock`)
    try {
      const old = await stat(file).catch(() => null)
      assertOwner(file, old)
      const entries = old === null ? [] : readApiKeys(file)
      const text = formatApiKeys(work(entries))
      if (Buffer.byteLength(text) > MAX_API_KEYS_BYTES) {
        throw new GatewayError(
          'key_file',
          `${file} is full; remove the lines of keys that have expired or were revoked`,
        )
      }
      await replace(file, text, old)
    } finally {
      unlock()
    }
  } catch (error) {
    if (isSystemError(error)) throw new GatewayError('key_file', cannotWrite(path, error), { cause: error })
    throw error
  }
}

async function locked(path: string): Promise<() => void> {
  const deadline = performance.now() + LOCK_MS
  for (;;) {
    const unlock = lockFile(path)
    if (unlock !== null) {
      await giveToOwner(path, await stat(dirname(path)))
      return unlock
    }
    if (performance.now() > deadline)
      throw new GatewayError('key_file', `another command is changing the API keys: ${path} is locked. Try again later`)
    await sleep(LOCK_RETRY_MS)
  }
}

interface Owned {
  uid: number
  gid: number
  mode: number
}

/** A new file of another owner might be unreadable to the gateway, which would keep accepting a revoked key. */
function assertOwner(path: string, old: Owned | null): void {
  const own = process.getuid?.() ?? 0
  if (old === null || own === 0 || old.uid === own) return
  throw new GatewayError(
    'key_file',
    `${path} belongs to another user (uid ${old.uid}); run the command as this user, for example with sudo -u`,
  )
}

/** Only root can do so. The service user owns its folder, but not what root creates there. */
async function giveToOwner(path: string, { uid, gid }: Owned): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, gid)
}

/** Keeps owner and mode. Only the owner can read a new file. */
async function replace(path: string, text: string, old: Owned | null): Promise<void> {
  const staged = `${path}.${randomUUID()}`
  try {
    const file = await open(staged, 'wx', 0o600)
    try {
      if (old !== null) await file.chmod(old.mode & 0o777)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await giveToOwner(staged, old ?? (await stat(dirname(path))))
    await realEffects().rename(staged, path)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
}
