/** Manual pages, generated from the commands and options of a program. */
import type { Argument, Command } from 'commander'

/** Adds the hidden command `man`, which prints the manual page. */
export function addManualPage(program: Command): void {
  program.command('man', { hidden: true }).action(() => void process.stdout.write(manualPage(program)))
}

/** Returns the page of section 1 in the macros of man(7). It has no date, so that it depends on the program alone. */
export function manualPage(program: Command): string {
  const name = program.name()
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  return [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`${name} ${program.version()}`)} "User Commands"`,
    '.SH NAME',
    `${roff(name)} \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    '.I command',
    '[options] [arguments]',
    '.SH COMMANDS',
    ...commands.flatMap((command) => [
      `.SS ${quoted([command.name(), ...command.registeredArguments.map(termOf)].join(' '))}`,
      roff(help.subcommandDescription(command)),
      ...help
        .visibleOptions(command)
        .flatMap((option) => ['.TP', `.B ${roff(option.flags)}`, roff(help.optionDescription(option))]),
      ...literal(textAfterHelp(command)),
    ]),
    '.SH ENVIRONMENT',
    roff(
      `The description of an option names its environment variable. A switch takes true or false. The command line
overrides the environment. NO_COLOR removes colors from the help, FORCE_COLOR adds them.`,
    ),
    '.SH EXIT STATUS',
    '0 for success, 1 for a failure, 2 for wrong usage.',
    '',
  ].join('\n')
}

const termOf = (argument: Argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)

/** Returns the examples and other text below the options. */
function textAfterHelp(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part), getOutHasColors: () => false }).outputHelp()
  return text.slice(command.helpInformation().length)
}

const literal = (text: string) => (text.trim() === '' ? [] : ['.PP', '.nf', roff(text.trim()), '.fi'])

/** Escapes text for roff: hyphens that are copied, backslashes, other characters than ASCII, and lines like macros. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[^\n -~]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^(?=[.'])/gm, '\\&')
}

/** Returns an argument of a macro. */
const quoted = (text: string) => `"${roff(text).replaceAll('"', '\\(dq')}"`
