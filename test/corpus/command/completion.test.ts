/** Completion scripts of a small program. Shells run those of the real programs in test/cli/completion.long.test.ts. */
import { Command, Option } from 'commander'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { commandTable } from '../../../corpus/command/command-table.ts'
import { completionScript } from '../../../corpus/command/completion.ts'

const program = new Command('my-tool').version('1.0.0')
program
  .command('pack <folder> [name]')
  .description("Pack a folder: don't follow [links]")
  .addOption(new Option('-l, --level <level>', 'level').choices(['fast', 'best']))
  .addOption(new Option('--from <file>', 'list'))
  .addOption(new Option('--secret <n>', 'internal').hideHelp())
  .addOption(new Option('--no-links', 'skip links'))
program.command('internal', { hidden: true })

test('the table has what the help shows: no hidden command, no hidden option', () => {
  const { commands } = commandTable(program)
  assert.equal(commands, [
    {
      name: 'pack',
      description: "Pack a folder: don't follow [links]",
      options: [
        { flags: ['-l', '--level'], description: 'level', value: 'level', suggestion: ['fast', 'best'] },
        { flags: ['--from'], description: 'list', value: 'file', suggestion: 'file' },
        { flags: ['--no-links'], description: 'skip links', value: null, suggestion: [] },
        { flags: ['-h', '--help'], description: 'display help for command', value: null, suggestion: [] },
      ],
      operands: [
        { name: 'folder', required: true, suggestion: 'folder' },
        { name: 'name', required: false, suggestion: [] },
      ],
    },
    {
      name: 'help',
      description: 'display help for command',
      options: [],
      operands: [{ name: 'command', required: false, suggestion: ['pack', 'help'] }],
    },
  ])
})

test('a script names the program, and quotes texts as its shell reads them', () => {
  assert.match(completionScript(program, 'bash'), /^complete -F _my_tool my-tool$/m)
  assert.match(completionScript(program, 'zsh'), /^#compdef my-tool\n/)
  assert.match(completionScript(program, 'zsh'), String.raw`'pack:Pack a folder\: don'\''t follow \[links\]'`)
  assert.match(completionScript(program, 'fish'), String.raw`-a pack -d 'Pack a folder: don\'t follow [links]'`)
})

test.run()
