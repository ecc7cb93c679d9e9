/** The log: one JSON object a line, written in batches off the request path. */
import { once } from 'node:events'
import { openSync } from 'node:fs'
import pino from 'pino'
import { printable } from '../../corpus/command/printable.ts'
import { type AccessEntry, accessLine } from '../http/access-line.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What the gateway says to its operator; pino's shape, so that a test can pass a list instead. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** The line of one request. */
  access(entry: AccessEntry): void
}

export interface OpenLog extends Log {
  /** Lines that another process has put together, whole ones. */
  pass(lines: string): void
  /** Resolves when every line is written: a process that ends sooner may lose those on their way. */
  flush(): Promise<void>
}

/** A batch wakes another thread, which takes as long as some ten requests. */
const BATCH_BYTES = 65_536
/** The most that a UTF-16 code unit becomes in UTF-8. */
const BYTES_PER_CHAR = 3
const FLUSH_MS = 1000
/** What may wait for a disk or pipe that does not keep up; beyond it lines are dropped rather than memory filled. */
const WAITING_BYTES = 16_777_216

/** A log to a file or a file descriptor (standard output by default). A line reaches it within a second. */
export function openLog({ level = 'info', to = 1 }: { level?: LogLevel; to?: number | string } = {}): OpenLog {
  // Bytes, not a string that grows: its hundreds of parts would be moved by every collection of garbage.
  const held = Buffer.allocUnsafeSlow(BATCH_BYTES)
  let heldBytes = 0
  let underWay = false
  let ended = false
  const fd = typeof to === 'number' ? to : openSync(to, 'a')
  // Before pino's own listener for the end of the process, which closes the destination. It cannot wait for a batch
  // that is under way.
  process.once('exit', () => {
    pass()
    if (!ended) destination.flushSync()
  })
  const destination = pino.destination({ dest: fd, sync: false, minLength: 0, maxLength: WAITING_BYTES })
  destination.on('drain', () => {
    underWay = false
  })
  // What cannot be written stops no answer. The destination would try its remainder again for ever at the end.
  destination.on('error', ({ code }) => {
    if (ended) return
    if (code !== 'EPIPE') process.stderr.write(`the log cannot be written (${code}); it ends here\n`)
    ended = true
    underWay = false
    destination.destroy()
  })
  // Lines are put together here: the destination measures all that it holds again with every write.
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
  const logger = pino({ level, base: null }, { write: (line) => write(printable(line)) })
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access: logger.isLevelEnabled('info') ? (entry) => write(accessLine(entry, Date.now())) : () => {},
    pass: write,
    flush,
  }
}
