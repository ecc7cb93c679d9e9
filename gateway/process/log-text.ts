/** Formats log lines for a terminal (`--log-format text`). */
import { printableLine } from '../../corpus/command/printable.ts'

/** pino's numbers of levels. */
const LEVELS: Readonly<Record<number, string>> = { 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR' }

/** Values that are readable without quotes. */
const BARE = /^[^\s"]+$/

/** Returns `<time> <LEVEL> <message> <field>=<value> …` with a line feed, for a line of the JSON log. */
export function textLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>
  const words = Object.entries(fields).map(([name, value]) => `${name}=${shown(name === 'err' ? trace(value) : value)}`)
  const line = [new Date(time as number).toISOString(), LEVELS[level as number], msg, ...words].join(' ')
  return `${printableLine(line)}\n`
}

const shown = (value: unknown) => (typeof value === 'string' && BARE.test(value) ? value : JSON.stringify(value))

/** Returns the stack of a serialized error, which begins with its type and message. */
const trace = (error: unknown) =>
  typeof error === 'object' && error !== null && 'stack' in error ? error.stack : error
