/** Bounds the log lines that clients can cause, so that no client can fill the log. */
import { LINES_PER_MINUTE } from './bounds.ts'
import type { Log } from './log.ts'

const MINUTE_MS = 60_000

type Level = 'warn' | 'error'

/**
 * Writes at most `LINES_PER_MINUTE` lines of a message per minute. At the end of the minute, one more line has the
 * number of omitted lines. `kind` distinguishes uses of the same message; there must be few kinds.
 */
export type LimitedLog = (level: Level, fields: object, message: string, kind?: string) => void

export function limitLines(log: Log): LimitedLog {
  const minutes = new Map<string, { lines: number; leftOut: number }>()
  return (level, fields, message, kind = '') => {
    const key = `${message} ${kind}`
    const minute = minutes.get(key) ?? { lines: 0, leftOut: 0 }
    if (minute.lines === 0) {
      minutes.set(key, minute)
      setTimeout(() => {
        minutes.delete(key)
        if (minute.leftOut > 0) log[level]({ leftOut: minute.leftOut }, message)
      }, MINUTE_MS).unref()
    }
    if (minute.lines === LINES_PER_MINUTE) minute.leftOut++
    else {
      minute.lines++
      log[level](fields, message)
    }
  }
}
