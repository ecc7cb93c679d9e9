/** Common code of both programs' commands: options that environment variables also set, help, and error output. */
import { styleText } from 'node:util'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { CodedError } from '../errors/coded-error.ts'
import { printable } from './printable.ts'
import { clearProgress } from './progress.ts'
import { isSystemError } from './system-error.ts'

/** Values of an environment variable that mean "off". */
const OFF = ['', '0', 'false']
const ON = ['1', 'true']

/**
 * Options with a meaning or default that differs between commands. Their environment variables contain the command's
 * name, so that `VULNSHELF_SERVE_KEEP=30` cannot affect a mirror.
 */
const NAMED_BY_COMMAND: readonly string[] = [
  'expires',
  'format',
  'interval',
  'keep',
  'keep-last',
  'keep-daily',
  'keep-weekly',
  'keep-monthly',
  'keep-yearly',
  'keep-derived',
  'role',
  'tier',
  'unsigned',
]

/** Headings of a help page, each with the names of its commands or options. */
export type Groups = Readonly<Record<string, readonly string[]>>

/** Groups of a help page. Commands and options that are in none follow under "Other commands" or "Other options". */
export interface HelpGroups {
  commands?: Groups
  /** The key is the name of the command. `--no-preview` has the name `no-preview`. */
  options?: Readonly<Record<string, Groups>>
}

/** The command-line tools of a program. Its `name` prefixes error messages. */
export interface CommandLine {
  program: Command
  /**
   * Creates an option that `VULNSHELF_<NAME>` sets as well: `--as-of` is `VULNSHELF_AS_OF`. `--keep` of `serve` is
   * `VULNSHELF_SERVE_KEEP`, because other commands have their own `--keep`. A switch accepts `true` and `false`:
   * `VULNSHELF_NO_PREVIEW=false` must not open the gateway to everyone.
   */
  option(flags: string, description: string): Option
  /** Makes the option required. Commander's own check would run before that of a misspelled option. */
  required(option: Option): Option
  /** Returns the examples of a command as text for the end of its help. */
  examples(...lines: string[]): string
  /** Writes an error to standard error and sets the exit code: 1, or 2 for wrong usage. */
  fail(error: unknown): void
}

export function commandLine(name: string, groups: HelpGroups = {}): CommandLine {
  const tell = (line: string) => {
    clearProgress()
    process.stderr.write(`${name}: ${printable(line)}\n`)
  }
  const required = new Set<Option>()
  return {
    program: tellUsage(colorHelp(new ProgramCommand(name, tell, groups))).hook('preAction', (_program, command) => {
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
    examples: (...lines) => `\n${bold('Examples:')}\n${lines.map((line) => `  ${name} ${line}\n`).join('')}`,
    fail: (error) => fail(error, tell),
  }
}

/** An option that an environment variable sets as well. */
export class VariableOption extends Option {
  /** Whether the variable states that the switch is off. The configuration file must not turn it on then. */
  isOffByVariable = false
}

/** A command that binds each `VariableOption` to its environment variable, and assigns help groups. */
class ProgramCommand extends Command {
  readonly #tell: (line: string) => void
  readonly #groups: HelpGroups

  constructor(name: string | undefined, tell: (line: string) => void, groups: HelpGroups) {
    super(name)
    this.#tell = tell
    this.#groups = groups
    // The defaults, which Commander's own help command and help option get as well.
    if (groups.commands !== undefined) this.commandsGroup('Other commands:').helpCommand(true)
    if (groups.options?.[this.name()] !== undefined) this.optionsGroup('Other options:')
  }

  override createCommand(name = ''): ProgramCommand {
    const command = new ProgramCommand(name, this.#tell, { options: this.#groups.options ?? {} })
    const heading = headingOf(name, this.#groups.commands)
    return heading === undefined ? command : command.helpGroup(heading)
  }

  /** Commander has just replaced the help option by that of the program, which has no group. */
  override copyInheritedSettings(source: Command): this {
    return super.copyInheritedSettings(source).helpOption(true)
  }

  override addOption(option: Option): this {
    const heading = headingOf(option.name(), this.#groups.options?.[this.name()])
    if (heading !== undefined) option.helpGroup(heading)
    if (option instanceof VariableOption) bindVariable(option, variableOf(option, this.name()), this.#tell)
    return super.addOption(option)
  }
}

const headingOf = (name: string, groups: Groups = {}) =>
  Object.keys(groups).find((heading) => groups[heading]!.includes(name))

const upperCase = (text: string) => text.replaceAll('-', '_').toUpperCase()
const sharedVariable = (option: Option) => `VULNSHELF_${upperCase(option.name())}`

const variableOf = (option: Option, command: string) =>
  NAMED_BY_COMMAND.includes(option.name())
    ? `VULNSHELF_${upperCase(command)}_${upperCase(option.name())}`
    : sharedVariable(option)

export const isSwitch = ({ required, optional }: Option) => !required && !optional

function bindVariable(option: VariableOption, variable: string, tell: (line: string) => void): void {
  const value = process.env[variable]
  if (isSwitch(option) && value !== undefined && !ON.includes(value)) {
    if (!OFF.includes(value)) {
      tell(`${variable} must be true or false, not '${value}'`)
      process.exit(2)
    }
    option.isOffByVariable = value !== ''
    // Commander takes any value of a switch as "on".
    delete process.env[variable]
  }
  // An empty variable counts as unset.
  if (!isSwitch(option) && value === '') delete process.env[variable]
  option.env(variable)
}

/** Ends a command if the variable of an earlier version sets its option. Ignoring it might remove snapshots. */
function refuseOldVariable(option: VariableOption, command: Command): void {
  const old = sharedVariable(option)
  const value = process.env[old] ?? ''
  const isUnset = value === '' || (isSwitch(option) && OFF.includes(value))
  const source = command.getOptionValueSource(option.attributeName())
  if (old === option.envVar || isUnset || source === 'cli' || source === 'env') return
  command.error(`${old} is no longer supported; rename it to ${namesNow(option, command.parent!)}, or remove it`)
}

/** Returns the variables of all options with this name, because the old variable could mean any of these commands. */
const namesNow = (option: Option, program: Command) =>
  program.commands
    .filter(({ options }) => options.some(({ long }) => long === option.long))
    .map((command) => variableOf(option, command.name()))
    .join(' or ')

/** JSON schema of the values of an option in a configuration file. */
export interface ValueSchema {
  type: string | readonly string[]
  [keyword: string]: unknown
}

/** Returns the parser of an option, with the schema of its values in a configuration file. Default: a text. */
export const valueParser = <T>(schema: ValueSchema, parse: (text: string) => T) => Object.assign(parse, { schema })

/** Returns a parser for whole numbers within bounds. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  valueParser({ type: 'integer', minimum: least, maximum: most }, (text): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    const bounds = most === Number.MAX_SAFE_INTEGER ? `${least} on` : `${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number from ${bounds}.`)
  })

/** Commander removes the styles unless the output is a terminal or FORCE_COLOR is set, and always with NO_COLOR. */
const style = (format: 'bold' | 'cyan' | 'green') => (text: string) =>
  styleText(format, text, { validateStream: false })
const bold = style('bold')

function colorHelp(program: Command): Command {
  return program.configureHelp({
    styleTitle: bold,
    styleCommandText: bold,
    styleSubcommandText: style('cyan'),
    styleOptionText: style('cyan'),
    styleArgumentText: style('green'),
  })
}

/** Makes a program report wrong usage in one line and leave the exit code to `fail`. */
function tellUsage(program: Command): Command {
  return program.exitOverride().configureOutput({
    outputError: (text, write) => write(`${program.name()}: ${usageLine(text)}\n`),
  })
}

/** Returns Commander's message as one line with a hint to the help. */
const usageLine = (text: string) =>
  `${text
    .replace(/^error: /, '')
    .trim()
    .replace(/(?:\.|(?<!\s))\s*\n\s*/g, ' ')
    .replace(/\.$/, '')} (see --help)`

/** Error codes of wrong usage. */
const USAGE: readonly string[] = ['usage', 'bad_option']

/** Returns whether an option is wrong, so that nothing was done. */
export const isUsageError = (error: unknown): boolean => error instanceof CodedError && USAGE.includes(error.code)

function fail(error: unknown, tell: (line: string) => void): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const isForOperator = error instanceof CodedError || name === 'SqliteError' || isSystemError(error)
  tell(isForOperator ? message.replaceAll('\n', ' ') : (stack ?? message))
  process.exitCode = isUsageError(error) ? 2 : 1
}

/** Exits quietly when the reader of standard output closes the pipe (`| head`). */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

/** Goes on when the reader of standard output closes the pipe: `serve` does not end with its log. */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
