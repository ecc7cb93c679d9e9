/** The log: one line per event, written in batches outside the request path. */
import { once } from 'node:events'
import { openSync } from 'node:fs'
import pino from 'pino'
import { printable } from '../../corpus/command/printable.ts'
import { type AccessEntry, accessLine } from '../http/access-line.ts'
import type { LogOptions } from './log-options.ts'
import { textLine } from './log-text.ts'

/** The log interface of the gateway. It has pino's shape, so that a test can pass a list instead. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  access(entry: AccessEntry): void
}

export interface OpenLog extends Log {
  readonly options: LogOptions
  /** Writes whole lines that another process formatted. */
  pass(lines: string): void
  /** Resolves when every line is written. A process that ends earlier can lose lines. */
  flush(): Promise<void>
}

/** A batch wakes another thread, which costs as much as about ten requests. */
const BATCH_BYTES = 65_536
/** Maximum UTF-8 bytes of a UTF-16 code unit. */
const BYTES_PER_CHAR = 3
const FLUSH_MS = 1000
/** Maximum bytes queued for a slow disk or pipe. Beyond it, lines are dropped, so that they do not fill memory. */
const WAITING_BYTES = 16_777_216

/** Opens a log to a file or a file descriptor (default: standard output). A line is written within a second. */
export function openLog({
  level = 'info',
  format = 'json',
  to = 1,
}: Partial<LogOptions> & { to?: number | string } = {}): OpenLog {
  // A buffer, because a growing string has hundreds of parts, and each garbage collection would move them.
  const held = Buffer.allocUnsafeSlow(BATCH_BYTES)
  let heldBytes = 0
  let underWay = false
  let ended = false
  const fd = typeof to === 'number' ? to : openSync(to, 'a')
  // Runs before pino's own exit listener, which closes the destination and cannot wait for a batch in progress.
  process.once('exit', () => {
    pass()
    if (!ended) destination.flushSync()
  })
  const destination = pino.destination({ dest: fd, sync: false, minLength: 0, maxLength: WAITING_BYTES })
  destination.on('drain', () => {
    underWay = false
  })
  // A write error must not stop answers. At the exit, the destination would retry the rest forever.
  destination.on('error', ({ code }) => {
    if (ended) return
    if (code !== 'EPIPE') process.stderr.write(`the log cannot be written (${code}); it ends here\n`)
    ended = true
    underWay = false
    destination.destroy()
  })
  // Lines are buffered here because the destination measures its whole buffer at every write.
  const pass = () => {
    if (heldBytes > 0 && !ended) {
      underWay = true
      destination.write(held.toString('utf8', 0, heldBytes))
    }
    heldBytes = 0
  }
  const flush = async () => {
    pass()
    if (underWay) await once(destination, 'drain').catch(() => {})
  }
  const timer = setInterval(pass, FLUSH_MS).unref()
  destination.once('close', () => clearInterval(timer))
  const write = (line: string) => {
    const most = line.length * BYTES_PER_CHAR
    if (heldBytes + most > BATCH_BYTES) pass()
    if (most <= BATCH_BYTES) heldBytes += held.write(line, heldBytes)
    else if (!ended) {
      underWay = true
      destination.write(line)
    }
  }
  const writeJson = format === 'json' ? write : (line: string) => write(textLine(line))
  const logger = pino({ level, base: null }, { write: (line) => writeJson(printable(line)) })
  return {
    options: { level, format },
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access: logger.isLevelEnabled('info') ? (entry) => writeJson(accessLine(entry, Date.now())) : () => {},
    pass: write,
    flush,
  }
}
