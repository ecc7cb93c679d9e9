/** The command `completion`: scripts for bash, zsh and fish, generated from the commands of a program. */
import { Argument, type Command } from 'commander'
import type { CommandLine } from './command-line.ts'
import { type CommandEntry, commandTable, type OptionEntry, type Suggestion } from './command-table.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function addCompletion(program: Command, examples: CommandLine['examples']): void {
  program
    .command('completion')
    .description('Print a completion script for a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', examples('completion bash', 'completion zsh', 'completion fish'))
    .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)))
}

/** Returns the script. Its first lines state how to load it. */
export const completionScript = (program: Command, shell: Shell): string => SCRIPTS[shell](commandTable(program))

type Table = ReturnType<typeof commandTable>

const SCRIPTS: Readonly<Record<Shell, (table: Table) => string>> = { bash, zsh, fish }

const flagsOf = ({ options }: CommandEntry) => options.flatMap(({ flags }) => flags)
const namesOf = (entries: readonly { name: string }[]) => entries.map(({ name }) => name)
const functionOf = (program: string) => `_${program.replaceAll('-', '_')}`
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** For bash 3.2 or later. A command that takes several arguments gets the suggestions of all of them. */
function bash({ program, commands }: Table): string {
  const { name } = program
  const generate = (suggestion: Suggestion) => {
    if (suggestion === 'file') return 'set -- -f'
    if (suggestion === 'folder') return 'set -- -d'
    return suggestion.length === 0 ? 'return' : `set -- -W ${shellQuoted(suggestion.join(' '))}`
  }
  const values = commands.flatMap((command) =>
    command.options
      .filter(({ value }) => value !== null)
      .flatMap(({ flags, suggestion }) =>
        flags.map((flag) => ({ word: shellQuoted(`${command.name} ${flag}`), action: generate(suggestion) })),
      ),
  )
  const actions = [...Map.groupBy(values, ({ action }) => action)].map(
    ([action, all]) => `      ${all.map(({ word }) => word).join(' | ')}) ${action} ;;`,
  )
  const operands = commands.map((command) => {
    const options = generate(flagsOf(command))
    const suggestions = command.operands.map(({ suggestion }) => suggestion)
    const path = suggestions.find((one) => one === 'file') ?? suggestions.find((one) => one === 'folder')
    const operand = suggestions.length === 0 ? options : generate(path ?? suggestions.flat())
    return `      ${shellQuoted(`${command.name} -`)}*) ${options} ;;\n      ${shellQuoted(`${command.name} `)}*) ${operand} ;;`
  })
  return `# Completion of ${name} for bash. Add to ~/.bashrc: source <(${name} completion bash)
${functionOf(name)}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} line
  # bash splits --option=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    ${generate([...namesOf(commands), ...flagsOf(program)])}
  else
    case "\${COMP_WORDS[1]} $previous" in
${actions.join('\n')}
      *) case "\${COMP_WORDS[1]} $current" in
${operands.join('\n')}
      *) return ;;
      esac ;;
    esac
  fi
  [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$current")
}
complete -F ${functionOf(name)} ${name}
`
}

/** For `_arguments`, in which brackets and colons have a meaning. */
const zshText = (text: string) => text.replace(/[\\[\]:]/g, '\\$&')

const ZSH_ACTIONS = { file: '_files', folder: '_files -/' }
/** An action of one blank shows the name of the value and completes nothing. */
const zshAction = (suggestion: Suggestion) => {
  if (typeof suggestion === 'string') return ZSH_ACTIONS[suggestion]
  return suggestion.length === 0 ? ' ' : `(${suggestion.join(' ')})`
}

function zshOption({ flags, description, value, suggestion }: OptionEntry): string[] {
  const text = `[${zshText(description)}]`
  if (value === null) return flags.map((flag) => `${flag}${text}`)
  return flags.map((flag) => `*${flag}=${text}:${zshText(value)}:${zshAction(suggestion)}`)
}

function zsh({ program, commands }: Table): string {
  const { name } = program
  const lines = (indent: string, specifications: readonly string[]) =>
    specifications.map((one) => ` \\\n${indent}${shellQuoted(one)}`).join('')
  const cases = commands.map((command) => {
    const operands = command.operands.map(
      (one, i) => `${i + 1}:${one.required ? '' : ':'}${zshText(one.name)}:${zshAction(one.suggestion)}`,
    )
    const specifications = [...command.options.flatMap(zshOption), ...operands]
    return `        ${command.name}) _arguments${lines('          ', specifications)} ;;`
  })
  const described = commands.map((one) => `${one.name}:${zshText(one.description)}`)
  return `#compdef ${name}
# Completion of ${name} for zsh. Add to ~/.zshrc, after compinit: source <(${name} completion zsh)
${functionOf(name)}() {
  local curcontext="$curcontext" context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(${lines('    ', described).replaceAll(' \\\n', '\n')}
  )
  _arguments -C${lines('    ', [...program.options.flatMap(zshOption), '1:command:->command', '*::argument:->argument'])}
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${cases.join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == ${functionOf(name)} ]]; then
  ${functionOf(name)} "$@"
else
  compdef ${functionOf(name)} ${name}
fi
`
}

const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

const FISH_PATHS = { file: '(__fish_complete_path)', folder: '(__fish_complete_directories)' }
const fishValues = (suggestion: Suggestion) => {
  if (typeof suggestion === 'string') return fishQuoted(FISH_PATHS[suggestion])
  return fishQuoted(suggestion.join(' '))
}

function fish({ program, commands }: Table): string {
  const { name } = program
  const condition = `_${functionOf(name)}_command`
  const complete = (command: string, rest: string) =>
    `complete -c ${name} -n ${fishQuoted(`${condition}${command && ` ${command}`}`)} ${rest}`
  const optionLine = (command: string, { flags, description, value, suggestion }: OptionEntry) => {
    const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
    const values = value === null ? '' : ` -x -a ${fishValues(suggestion)}`
    return complete(command, `${names.join(' ')}${values} -d ${fishQuoted(description)}`)
  }
  const linesOf = (command: CommandEntry) => {
    const operands = [...new Set(command.operands.map(({ suggestion }) => fishValues(suggestion)))]
    return [
      ...command.options.map((option) => optionLine(command.name, option)),
      ...operands.map((values) => complete(command.name, `-a ${values}`)),
    ]
  }
  return `# Completion of ${name} for fish. Add to ~/.config/fish/config.fish: ${name} completion fish | source
function ${condition}
  set -l words (commandline -opc)
  if set -q argv[1]
    test (count $words) -gt 1; and test $words[2] = $argv[1]
  else
    test (count $words) -eq 1
  end
end
complete -c ${name} -f
${program.options.map((option) => optionLine('', option)).join('\n')}
${commands.map((one) => complete('', `-a ${one.name} -d ${fishQuoted(one.description)}`)).join('\n')}
${commands.flatMap(linesOf).join('\n')}
`
}
