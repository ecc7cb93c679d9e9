/** A key set in a local file, read again on changes (rule 11). */
import { unavailable } from '../../corpus/answers/errors.ts'
import type { Log } from '../process/log.ts'
import { followFile } from './followed-file.ts'
import { type KeyRing, MAX_KEY_SET_BYTES, parseKeySet } from './key-set.ts'

const RETRY_SECONDS = 1

/** An unreadable file leaves the last set. `now` is in ms since 1970. */
export function keyFile(path: string, { now, log }: { now: () => number; log: Log }): KeyRing {
  const current = followFile({ path, name: 'key set', most: MAX_KEY_SET_BYTES, parse: parseKeySet, now, log })
  return {
    current,
    obtain: async () => {
      const found = current()
      if (found === null) throw unavailable('the keys that verify tokens are unavailable', RETRY_SECONDS)
      return found
    },
    renew: async (known) => current() ?? known,
  }
}
