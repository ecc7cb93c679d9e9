/** What the commands of both programs have in common: options that are environment variables too, and how a failure is told. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { printable } from './printable.ts'
import { isSystemError } from './system-error.ts'

/** Values of an environment variable that leave a switch as it is. */
const OFF = ['', '0', 'false']
const ON = ['1', 'true']

/**
 * Options whose meaning or default differs from command to command. Their environment variables name the command, so that
 * `VULNSHELF_PRUNE_KEEP=30` cannot change what a mirror keeps.
 */
const NAMED_BY_COMMAND: readonly string[] = ['expires', 'interval', 'keep', 'unsigned']

/** What a program's commands need; `name` is what it calls itself when it tells of errors. */
export interface CommandLine {
  /** The program, to which commands are added. */
  program: Command
  /**
   * An option that `VULNSHELF_<NAME>` sets as well: `--as-of` is `VULNSHELF_AS_OF`, and `--keep` of `prune` is
   * `VULNSHELF_PRUNE_KEEP`, since other commands have a `--keep` of their own. A switch takes `true` and `false`:
   * `VULNSHELF_NO_PREVIEW=false` must not let everybody in.
   */
  option(flags: string, description: string): Option
  /** Makes the option a required one. Commander's own check would come before that of a misspelled option. */
  required(option: Option): Option
  /** Returns the examples of a command, as text after its help. */
  examples(...lines: string[]): string
  /** Tells an error on standard error and sets the exit code: 1, or 2 for wrong usage. */
  fail(error: unknown): void
}

export function commandLine(name: string): CommandLine {
  const tell = (line: string) => void process.stderr.write(`${name}: ${printable(line)}\n`)
  const required = new Set<Option>()
  return {
    program: tellUsage(new ProgramCommand(name, tell)).hook('preAction', (_program, command) => {
      for (const option of command.options) {
        if (option instanceof VariableOption) refuseOldVariable(option, command)
        if (required.has(option) && command.getOptionValue(option.attributeName()) === undefined) {
          command.error(`required option '${option.flags}' not specified`)
        }
      }
    }),
    option: (flags, description) => new VariableOption(flags, description),
    required(option) {
      required.add(option)
      option.description += ' (required)'
      return option
    },
    examples: (...lines) => `\nExamples:\n${lines.map((line) => `  ${name} ${line}\n`).join('')}`,
    fail: (error) => fail(error, tell),
  }
}

/** An option that an environment variable sets as well. */
class VariableOption extends Option {}

/** A command that gives each `VariableOption` its environment variable. */
class ProgramCommand extends Command {
  readonly #tell: (line: string) => void

  constructor(name: string | undefined, tell: (line: string) => void) {
    super(name)
    this.#tell = tell
  }

  override createCommand(name?: string): ProgramCommand {
    return new ProgramCommand(name, this.#tell)
  }

  override addOption(option: Option): this {
    if (option instanceof VariableOption) bindVariable(option, variableOf(option, this.name()), this.#tell)
    return super.addOption(option)
  }
}

const upperCase = (text: string) => text.replaceAll('-', '_').toUpperCase()
const sharedVariable = (option: Option) => `VULNSHELF_${upperCase(option.name())}`

const variableOf = (option: Option, command: string) =>
  NAMED_BY_COMMAND.includes(option.name())
    ? `VULNSHELF_${upperCase(command)}_${upperCase(option.name())}`
    : sharedVariable(option)

const isSwitch = ({ required, optional }: Option) => !required && !optional

function bindVariable(option: Option, variable: string, tell: (line: string) => void): void {
  const value = process.env[variable]
  if (isSwitch(option) && value !== undefined && !ON.includes(value)) {
    if (!OFF.includes(value)) {
      tell(`${variable} is true or false, not '${value}'`)
      process.exit(2)
    }
    // Commander takes a switch for set by any value.
    delete process.env[variable]
  }
  // What is set to nothing is not set.
  if (!isSwitch(option) && value === '') delete process.env[variable]
  option.env(variable)
}

/** Ends a command whose option is set by the variable of earlier versions: ignoring it might remove snapshots. */
function refuseOldVariable(option: VariableOption, command: Command): void {
  const old = sharedVariable(option)
  const value = process.env[old] ?? ''
  const isUnset = value === '' || (isSwitch(option) && OFF.includes(value))
  const source = command.getOptionValueSource(option.attributeName())
  if (old === option.envVar || isUnset || source === 'cli' || source === 'env') return
  command.error(`${old} is not read any more: rename it to ${namesNow(option, command.parent!)}, or remove it`)
}

/** The variables of all options with this name: whoever has set one for another command should not be led astray. */
const namesNow = (option: Option, program: Command) =>
  program.commands
    .filter(({ options }) => options.some(({ long }) => long === option.long))
    .map((command) => variableOf(option, command.name()))
    .join(' or ')

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
function tellUsage(program: Command): Command {
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
