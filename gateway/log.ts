/** The log: one JSON object a line, written in batches off the request path. */
import pino from 'pino'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What the gateway says to its operator; pino's shape, so that a test can pass a list instead. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface OpenLog extends Log {
  /** Writes what is still held back, before the process ends. */
  flush(): void
}

const BATCH_BYTES = 8_192
const FLUSH_MS = 1000

/** A log to a file or a file descriptor (standard output by default). A line reaches it within a second. */
export function openLog({ level = 'info', to = 1 }: { level?: LogLevel; to?: number | string } = {}): OpenLog {
  const destination = pino.destination({ dest: to, sync: false, minLength: BATCH_BYTES, periodicFlush: FLUSH_MS })
  const logger = pino({ level, base: null }, destination)
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => destination.flushSync(),
  }
}
