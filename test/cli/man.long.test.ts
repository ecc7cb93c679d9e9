/** The manual pages of both programs: man and mandoc accept them, and nothing in them depends on the machine. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { manPages } from '../../corpus/command/man.ts'
import { temporaryFolder } from '../support/dist.ts'
import { suiteNeeding } from '../support/needs.ts'
import { done, type Program, run } from './command.ts'

const root = join(import.meta.dirname, '../..')
const folder = temporaryFolder('man')
const write = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'corpus/command/man.ts'), ...args], { cwd: folder.path, encoding: 'utf8' })

const written = write('pages/man1')
const pages = manPages()
const paths = pages.map(({ name }) => join(folder.path, 'pages/man1', name))

test('the script writes one page per program into a new folder', () => {
  assert.is(written.status, 0, written.stderr)
  assert.equal(readdirSync(join(folder.path, 'pages/man1')).sort(), ['vulnshelf-gateway.1', 'vulnshelf.1'])
  for (const [i, { text }] of pages.entries()) assert.is(readFileSync(paths[i]!, 'utf8'), text)
})

test('the script needs a folder', () => {
  const { status, stderr } = write()
  assert.equal([status, stderr], [2, 'man: state the folder: node corpus/command/man.ts <folder>\n'])
})

test('a page has every command of the help, with its options and examples', async () => {
  for (const { name, text } of pages) {
    const program = name.replace(/\.1$/, '') as Program
    const plain = text.replaceAll('\\-', '-')
    const commands = Array.from(done(await run(program, ['--help'])).matchAll(/^ {2}([a-z]+) (?=[[<]| )/gm))
    assert.ok(commands.length >= 5)
    for (const [, command] of commands) {
      assert.match(plain, new RegExp(`^\\.SS "${command}\\b`, 'm'))
      if (command === 'help') continue
      const help = done(await run(program, [command!, '--help']))
      for (const [, flags] of help.matchAll(/^ {2}(--[\w-]+(?: <[^>]+>)?)/gm))
        assert.ok(plain.includes(`.B ${flags}\n`), flags)
      for (const line of help.split('\nExamples:\n')[1]!.trimEnd().split('\n')) assert.ok(plain.includes(line), line)
    }
  }
})

test('a page does not depend on the environment or the machine', () => {
  const set = {
    VULNSHELF_PORT: '9',
    VULNSHELF_JSON: 'perhaps',
    REDIS_URL: 'redis://name:password@host',
    FORCE_COLOR: '1',
  }
  const before = { ...process.env }
  Object.assign(process.env, set)
  try {
    assert.equal(manPages(), pages)
  } finally {
    for (const name of Object.keys(set)) {
      delete process.env[name]
      if (before[name] !== undefined) process.env[name] = before[name]
    }
  }
  for (const { text } of pages) {
    for (const local of [root, homedir(), hostname()]) assert.not.ok(text.includes(local), local)
    assert.match(text.split('\n')[0]!, /^\.TH "[A-Z\\-]+" 1 "" "[a-z\\-]+ \d+\.\d+\.\d+" "User Commands"$/)
    assert.not.match(text.replace(/^ {2}.*$/gm, ''), /\b20\d\d-\d\d/)
    assert.not.match(text.replaceAll('\n', ''), /[^ -~]/)
  }
})

const man = suiteNeeding('man', 'man')
man('formats the pages without a warning', () => {
  for (const path of paths) {
    const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', path], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '100', LC_ALL: 'C.UTF-8' },
    })
    assert.equal([status, stderr], [0, ''])
    assert.match(stdout, /EXIT STATUS\n {7}0 for success, 1 for a failure, 2 for wrong usage\./)
  }
})
man.run()

const mandoc = suiteNeeding('mandoc', 'mandoc')
mandoc('warns of nothing but the date, which a page has not', () => {
  for (const path of paths) {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', path], { encoding: 'utf8' })
    const warnings = stdout.split('\n').filter(Boolean)
    assert.is(warnings.length, 1, stdout)
    assert.match(warnings[0]!, / WARNING: missing date, using "": TH$/)
  }
  assert.match(execFileSync('mandoc', ['-Tascii', paths[0]!], { encoding: 'utf8' }), /pointer/)
})
mandoc.run()

test.after(() => folder.remove())

test.run()
