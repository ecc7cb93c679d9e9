/** Help pages and wrong usage, on a small program. */
import { stripVTControlCharacters } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { commandLine } from '../../../corpus/command/command-line.ts'

const COLOR_VARIABLES = ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE']

/** Runs a small program. Returns what it writes to standard output and standard error. */
async function run(words: string[], env: Record<string, string> = {}, isTerminal = false) {
  const written = { out: '', err: '' }
  const { program, option, required, examples } = commandLine('tool', {
    commands: { 'Files:': ['pack', 'unpack'] },
    options: { pack: { 'Input:': ['from', 'no-links'] } },
  })
  program.configureOutput({
    writeOut: (text) => void Object.assign(written, { out: written.out + text }),
    writeErr: (text) => void Object.assign(written, { err: written.err + text }),
  })
  if (isTerminal) program.configureOutput({ getOutHasColors: () => !process.env.NO_COLOR })
  program
    .command('pack <folder>')
    .description('Pack a folder')
    .addOption(option('--level <n>', 'level').default(3))
    .addOption(required(option('--from <file>', 'list')))
    .addOption(option('--no-links', 'skip links'))
    .addHelpText('after', examples('pack folder --from list'))
    .action(() => {})
  program.command('unpack <file>').description('Unpack a file')
  program.command('serve').description('Serve')
  const before = COLOR_VARIABLES.map((name) => [name, process.env[name]] as const)
  for (const name of COLOR_VARIABLES) delete process.env[name]
  Object.assign(process.env, env)
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    assert.is((error as Error).name, 'CommanderError')
  } finally {
    for (const [name, value] of before) {
      delete process.env[name]
      if (value !== undefined) process.env[name] = value
    }
  }
  return written
}

/** Returns the headings of a help page, each with the first word of its lines. */
const groupsOf = (help: string) =>
  Object.fromEntries(
    Array.from(help.matchAll(/^([A-Z][a-z ]+:)\n((?: {2}.*\n?)+)/gm), ([, heading, lines]) => [
      heading,
      Array.from(lines!.matchAll(/^ {2}(?:-\w, )?([\w-]+)/gm), ([, word]) => word),
    ]),
  )

test('commands and options are in groups; those without a group are under "Other"', async () => {
  assert.equal(groupsOf((await run(['--help'])).out), {
    'Options:': ['--help'],
    'Files:': ['pack', 'unpack'],
    'Other commands:': ['serve', 'help'],
  })
  assert.equal(groupsOf((await run(['pack', '--help'])).out), {
    'Other options:': ['--level', '--help'],
    'Input:': ['--from', '--no-links'],
    'Examples:': ['tool'],
  })
  assert.equal(groupsOf((await run(['serve', '--help'])).out), { 'Options:': ['--help'] })
})

test('required options are marked', async () => {
  assert.match((await run(['pack', '--help'])).out, /^ {2}--from <file> +list \(required\) \(env: VULNSHELF_FROM\)$/m)
})

test('help has colors on a terminal and with FORCE_COLOR, and none with NO_COLOR or elsewhere', async () => {
  const plain = (await run(['pack', '--help'])).out
  assert.is(plain, stripVTControlCharacters(plain))
  for (const { out } of [
    await run(['pack', '--help'], {}, true),
    await run(['pack', '--help'], { FORCE_COLOR: '1' }),
  ]) {
    assert.is.not(out, plain)
    assert.is(stripVTControlCharacters(out), plain)
    for (const text of ['Usage:', 'Input:', 'Examples:']) assert.ok(out.includes(`\x1b[1m${text}\x1b[22m`), text)
  }
  assert.is((await run(['pack', '--help'], { NO_COLOR: '1' }, true)).out, plain)
  assert.is((await run(['pack', '--help'], { NO_COLOR: '1', FORCE_COLOR: '1' })).out, plain)
  assert.is((await run(['pack', '--help'], { FORCE_COLOR: '0' })).out, plain)
})

test('a misspelled command or option gets a suggestion', async () => {
  assert.is((await run(['pakc', 'folder'])).err, "tool: unknown command 'pakc' (Did you mean pack?) (see --help)\n")
  assert.is(
    (await run(['pack', 'folder', '--form', 'list'])).err,
    "tool: unknown option '--form' (Did you mean --from?) (see --help)\n",
  )
  assert.is((await run(['xyz'])).err, "tool: unknown command 'xyz' (see --help)\n")
})

test.run()
