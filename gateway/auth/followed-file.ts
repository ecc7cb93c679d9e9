/** A small file that decides which requests are accepted: read again when it changes (rule 11). */
import { statSync } from 'node:fs'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import type { Log } from '../process/log.ts'

const CHECK_MS = 1000

export interface FollowedFile<T> {
  path: string
  /** What the log calls the content, such as `key set`. */
  name: string
  /** Maximum size, in bytes. */
  most: number
  /** @throws for a text that it rejects */
  parse(text: string): T
  /** In ms since 1970. */
  now: () => number
  log: Log
}

/**
 * Returns a function that returns the current content; null until the file was readable once. It checks the file at most
 * once a second. The check is synchronous: a stat takes microseconds, and the request that detects a change already
 * uses it. An unreadable or invalid file leaves the last content.
 */
export function followFile<T>({ path, name, most, parse, now, log }: FollowedFile<T>): () => T | null {
  let content: { text: string; value: T } | null = null
  let stamp = ''
  let lookedAt = Number.NEGATIVE_INFINITY

  return () => {
    const time = now()
    // A clock that was set back must not delay the next check.
    if (time >= lookedAt && time < lookedAt + CHECK_MS) return content?.value ?? null
    lookedAt = time
    try {
      const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true })
      const seen = `${mtimeNs} ${ctimeNs} ${size} ${ino}`
      if (seen !== stamp) {
        const text = readRegularFile(path, most).toString()
        if (text !== content?.text) content = { text, value: parse(text) }
        stamp = seen
        log.debug({ path }, `${name} loaded`)
      }
    } catch (error) {
      log.error(
        { err: error, path },
        content ? `${name} file unreadable, keeping the last ${name}` : `${name} file unreadable`,
      )
    }
    return content?.value ?? null
  }
}
