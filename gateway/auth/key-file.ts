/** A key set in a local file, read again on changes (rule 11). */
import { statSync } from 'node:fs'
import { unavailable } from '../../corpus/answers/errors.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import type { Log } from '../process/log.ts'
import { type KeyRing, type KeySet, MAX_KEY_SET_BYTES, parseKeySet } from './key-set.ts'

const CHECK_MS = 1000

/**
 * Checks the file at most once a second. The check is synchronous: a stat takes microseconds, and the request that
 * detects a rotation already uses the new keys. An unreadable file leaves the last set.
 */
export function keyFile(path: string, { now, log }: { now: () => number; log: Log }): KeyRing {
  let set: KeySet | null = null
  let stamp = ''
  let lookAgainAt = Number.NEGATIVE_INFINITY

  const look = (): KeySet | null => {
    const time = now()
    if (time < lookAgainAt) return set
    lookAgainAt = time + CHECK_MS
    try {
      const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true })
      const seen = `${mtimeNs} ${ctimeNs} ${size} ${ino}`
      if (seen === stamp) return set
      const text = readRegularFile(path, MAX_KEY_SET_BYTES).toString()
      if (text !== set?.text) set = parseKeySet(text)
      stamp = seen
      log.debug({ path }, 'key set loaded')
    } catch (error) {
      log.error(
        { err: error, path },
        set ? 'key set file unreadable, keeping the last key set' : 'key set file unreadable',
      )
    }
    return set
  }

  return {
    current: look,
    obtain: async () => {
      const found = look()
      if (found === null) throw unavailable('the keys that verify tokens are unavailable', CHECK_MS / 1000)
      return found
    },
    renew: async (known) => look() ?? known,
  }
}
