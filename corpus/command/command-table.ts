/** The commands, options and arguments of a program as plain data, for completion scripts. Hidden ones are left out. */
import type { Command } from 'commander'

/** What completes a value: files, folders, or one of these words. An empty list means that nothing does. */
export type Suggestion = 'file' | 'folder' | readonly string[]

export interface OptionEntry {
  /** `-h` and `--help`. */
  flags: string[]
  description: string
  /** What the help calls the value, such as `file`. Null for a switch. */
  value: string | null
  suggestion: Suggestion
}

export interface CommandEntry {
  name: string
  description: string
  options: OptionEntry[]
  operands: { name: string; required: boolean; suggestion: Suggestion }[]
}

/** Names of values that are paths. */
const PATHS: Readonly<Record<string, 'file' | 'folder'>> = {
  corpus: 'file',
  dist: 'folder',
  'dist or url': 'folder',
  feeds: 'folder',
  file: 'file',
  'file or url': 'file',
  folder: 'folder',
  source: 'file',
  target: 'folder',
}

/** Returns the program itself, with its own options, and its commands. */
export function commandTable(program: Command): { program: CommandEntry; commands: CommandEntry[] } {
  const visible = program.createHelp().visibleCommands(program)
  const names = visible.map((command) => command.name())
  return { program: entryOf(program, names), commands: visible.map((command) => entryOf(command, names)) }
}

function entryOf(command: Command, commands: readonly string[]): CommandEntry {
  const suggestionOf = (name: string, choices?: readonly string[]): Suggestion =>
    choices ?? (name === 'command' ? commands : (PATHS[name] ?? []))
  const options = command.createHelp().visibleOptions(command)
  return {
    name: command.name(),
    description: command.description(),
    options: options.map(({ short, long, description, flags, argChoices }) => {
      const value = /[<[]([^<[]+)[>\]]/.exec(flags)?.[1] ?? null
      const suggestion = value === null ? [] : suggestionOf(value, argChoices)
      return { flags: [short, long].filter((flag) => flag != null), description, value, suggestion }
    }),
    operands: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      suggestion: suggestionOf(argument.name(), argument.argChoices),
    })),
  }
}
