/** What the commands of both programs have in common: options that are environment variables too, and how a failure is told. */
import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { printable } from './printable.ts'
import { isSystemError } from './system-error.ts'

/** Values of an environment variable that leave a switch as it is. */
const OFF = ['', '0', 'false']
const ON = ['1', 'true']

/** What a program's commands need; `name` is what it calls itself when it tells of errors. */
export interface CommandLine {
  /**
   * An option that `VULNSHELF_<NAME>` sets as well: `--as-of` is `VULNSHELF_AS_OF`. A switch takes `true` and `false`:
   * `VULNSHELF_NO_PREVIEW=false` must not let everybody in.
   */
  option(flags: string, description: string): Option
  /** Tells an error on standard error and sets the exit code: 1, or 2 for wrong usage. */
  fail(error: unknown): void
}

export function commandLine(name: string): CommandLine {
  const tell = (line: string) => void process.stderr.write(`${name}: ${printable(line)}\n`)
  return {
    option: (flags, description) => variableOption(flags, description, tell),
    fail: (error) => fail(error, tell),
  }
}

function variableOption(flags: string, description: string, tell: (line: string) => void): Option {
  const option = new Option(flags, description)
  const variable = `VULNSHELF_${option.name().replaceAll('-', '_').toUpperCase()}`
  const value = process.env[variable]
  const isSwitch = !option.required && !option.optional
  if (isSwitch && value !== undefined && !ON.includes(value)) {
    if (!OFF.includes(value)) {
      tell(`${variable} is true or false, not '${value}'`)
      process.exit(2)
    }
    // Commander takes a switch for set by any value.
    delete process.env[variable]
  }
  // What is set to nothing is not set.
  if (!isSwitch && value === '') delete process.env[variable]
  return option.env(variable)
}

/** Parses a whole number within bounds. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    const bounds = most === Number.MAX_SAFE_INTEGER ? `${least} on` : `${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number from ${bounds}.`)
  }

/** Lets a program tell wrong usage in one line and leave the exit code to `fail`. */
export function tellUsage(program: Command): Command {
  return program.exitOverride().configureOutput({
    outputError: (text, write) => write(`${program.name()}: ${usageLine(text)}\n`),
  })
}

/** Commander's words as one line, with the way to more. */
const usageLine = (text: string) =>
  `${text
    .replace(/^error: /, '')
    .trim()
    .replace(/\.?\s*\n\s*/g, ' ')
    .replace(/\.$/, '')} (--help tells more)`

/** Errors that are told in one line: what they say is meant for the operator. */
const TOLD = [
  'BuildError',
  'ExplainError',
  'FeedError',
  'GatewayError',
  'IngestError',
  'KeyError',
  'MirrorError',
  'PublishError',
  'SnapshotError',
  'SqliteError',
  'StoreError',
  'TransferError',
]

/** Errors that say so are those of whoever gave the command. */
const USAGE: readonly string[] = ['usage', 'bad_option']

function fail(error: unknown, tell: (line: string) => void): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const told = TOLD.includes(name) || isSystemError(error)
  tell(told ? message.replaceAll('\n', ' ') : (stack ?? message))
  process.exitCode = USAGE.includes(code) ? 2 : 1
}

/** Whoever reads the output may stop reading (`| head`): then there is nobody left to tell. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
