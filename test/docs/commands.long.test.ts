/**
 * The command lines of the documentation do what they show. Those of a page run in order, in a folder with small sample
 * feeds. A line that needs another host is only compared with the options of its command.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../corpus/reader/reader.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { benchCommand } from '../bench/options.ts'
import { done, endAll, type Program, run, start } from '../cli/command.ts'
import { temporaryFolder } from '../support/dist.ts'
import { ownSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { commandLines, type Page, pages, readPage, root, wordsOf } from './markdown.ts'

const CVES = 60
/** Stands for any record in the documentation. */
const ANY_CVE = 'CVE-2024-3400'
/** Stands for a snapshot of the folder `dist`; so does each value of `--at`. */
const ANY_SNAPSHOT = '169a8f8d39a5'
/** Threads take longer to start than so small a sample. */
const ENV = { VULNSHELF_JOBS: '0' }
/** A line with one of these is not run. */
const ELSEWHERE = /\bexample\.com\b|\bs3:\/\//
const PAGES: Record<Program, string[]> = {
  vulnshelf: ['builder/README.md'],
  'vulnshelf-gateway': ['gateway/README.md', 'gateway/mirror/README.md'],
}

const folder = temporaryFolder('docs')
const documented = pages().filter((page) => commandLines(page).length > 0)

/** A command as its `--help` shows it. */
interface CommandTable {
  /** What each option takes, ` <file>`; empty for a switch. */
  options: Map<string, string>
  least: number
  most: number
}

const tables: Record<Program, Map<string, CommandTable>> = {
  vulnshelf: new Map(),
  'vulnshelf-gateway': new Map(),
}

/** The sample, and one of its records. */
let feeds = ''
let anyCve = ''

test.before(async () => {
  const sample = await ownSample('small', folder.path)
  feeds = sample.feeds
  const reader = await openReader(sample.dist)
  anyCve = (await reader.list({ limit: 1 })).data[0]!.cve_id
  await reader.close()
  for (const program of Object.keys(tables) as Program[]) {
    const names = Array.from(done(await run(program, ['--help'])).matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name!)
    for (const name of names.filter((one) => one !== 'help')) tables[program].set(name, await tableOf(program, name))
  }
})

async function tableOf(program: Program, name: string): Promise<CommandTable> {
  const help = done(await run(program, [name, '--help']))
  const usage = /^Usage: .*/.exec(help)![0]
  const options = help.matchAll(/^ {2}--([a-z-]+)( <[^>]+>)?/gm)
  const required = usage.match(/<\w+>/g)?.length ?? 0
  return {
    options: new Map(Array.from(options, ([, option, value = '']) => [option!, value])),
    least: required,
    // `[files...]` takes any number.
    most: /\[\w+\.\.\.\]/.test(usage)
      ? Number.POSITIVE_INFINITY
      : required + (usage.match(/\[(?!options)\w+\]/g)?.length ?? 0),
  }
}

/** Compares the words of a command with its table; their values are not looked at. */
function assertKnown(program: Program, [name = '', ...words]: readonly string[], line: string): void {
  const table = tables[program].get(name)
  assert.ok(table, `${line}: there is no command ${name}`)
  let operands = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (!word.startsWith('--')) operands++
    else {
      const value = table.options.get(word.slice(2))
      assert.is.not(value, undefined, `${line}: ${name} has no option ${word}`)
      if (value !== '') i++
    }
  }
  assert.ok(operands >= table.least && operands <= table.most, `${line}: ${operands} operands`)
}

/** Runs a command as the page shows it; one that goes on is ended once it has said that it works. */
async function runLine(program: Program, words: readonly string[], cwd: string, line: string): Promise<void> {
  const [name] = words
  const env = program === 'vulnshelf' ? ENV : {}
  // A free port, a sample that is made in no time, and no download.
  const quick: Record<string, string[]> = {
    serve: ['--port', '0'],
    sample: ['--cves', String(CVES)],
    nightly: ['--skip-fetch'],
  }
  const more = quick[name!] ?? []
  const filledIn = (word: string, i: number) => {
    if (word === ANY_SNAPSHOT || words[i - 1] === '--at') return readCurrent(join(cwd, 'dist')).pointer.snapshot
    return word.replaceAll(ANY_CVE, anyCve)
  }
  const args = [...words.map(filledIn), ...more]
  if (name !== 'serve' && !words.includes('--interval')) {
    const { code, err } = await run(program, args, { cwd, env })
    return assert.is(code, 0, `${line}: ${err.join('\n')}`)
  }
  const child = start(program, args, { cwd, env })
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const works = name === 'serve' ? /listening on http/ : /snapshot [0-9a-f]{64}/
  await until(
    () => works.test(said) || child.exitCode !== null,
    () => `${line}: ${said}`,
  )
  child.kill('SIGTERM')
  assert.is(await ended, 0, `${line}: ${said}`)
}

const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

/** What is no command of ours: scripts and programs of the repository must exist, options of the bench too. */
async function assertOther(words: readonly string[], line: string): Promise<void> {
  const [program, verb = '', ...rest] = words
  // cli/package.long.test.ts installs the package.
  if (program === 'curl' || line === 'npm ci' || line === 'npm install --global vulnshelf') return
  if (program === 'npx' && verb === 'tsx') {
    const file = rest.find((word) => !word.startsWith('--')) ?? ''
    return assert.ok(existsSync(join(root, file)), `${line}: no such file`)
  }
  assert.is(program, 'npm', `${line}: this test does not know ${program}`)
  const script = verb === 'run' ? rest.shift()! : verb
  assert.ok(Object.hasOwn(scripts, script), `${line}: package.json has no script ${script}`)
  if (script !== 'bench') return
  const command = benchCommand({ bench: async () => {}, soak: async () => {} })
  for (const one of [command, ...command.commands]) one.exitOverride().configureOutput({ outputError: () => {} })
  await command.parseAsync(rest.slice(1), { from: 'user' })
}

for (const page of documented) {
  test(`the commands of ${page.path} work in their order`, () => runPage(page))
}

const CSAF = JSON.stringify({
  document: { category: 'csaf_vex', csaf_version: '2.0' },
  vulnerabilities: [{ cve: 'CVE-2024-0001', product_status: { known_not_affected: ['P-1'] } }],
})

async function runPage(page: Page): Promise<void> {
  const cwd = join(folder.path, page.path.replaceAll('/', '-'))
  mkdirSync(cwd)
  cpSync(feeds, join(cwd, 'feeds'), { recursive: true })
  // No advisory of the sample affects its packages.
  cpSync(join(root, 'test/corpus/inventory/lock-files/npm3/package-lock.json'), join(cwd, 'package-lock.json'))
  writeFileSync(join(cwd, 'vendor.csaf.json'), CSAF)
  // `a && b` are two commands in their order.
  for (const line of commandLines(page).flatMap((one) => one.split(' && '))) {
    const words = wordsOf(line.replace('"Authorization: Bearer $TOKEN"', 'Authorization'))
    const program = words[0] === 'npx' ? words[1]! : words[0]!
    if (!Object.hasOwn(tables, program)) {
      await assertOther(words, line)
      continue
    }
    const ours = program as Program
    const args = words.slice(words.indexOf(program) + 1)
    assertKnown(ours, args, line)
    if (!ELSEWHERE.test(line) && args[0] !== 'fetch') await runLine(ours, args, cwd, line)
  }
}

for (const program of Object.keys(PAGES) as Program[]) {
  test(`the pages of ${program} show every option of every command as its help does, and no other`, () => {
    const spans = PAGES[program].flatMap((path) => Array.from(readPage(path).prose.matchAll(/`(--[^`\n]+)`/g)))
    const shown = new Set(spans.map(([, span]) => span!))
    const options = [...tables[program].values()].flatMap((table) => [...table.options])
    const flags = new Set(options.map(([option, value]) => `--${option}${value}`))
    assert.equal([...flags].filter((one) => !shown.has(one)).sort(), [], 'not in the pages')
    const known = new Set(options.map(([option]) => `--${option}`))
    assert.equal([...shown].filter((one) => !known.has(one.split(' ')[0]!)).sort(), [], 'not in the help')
  })
}

test('gateway/README.md names every metric of the gateway, and no other', async () => {
  const files = await readdir(join(root, 'gateway'), { recursive: true })
  const sources = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'gateway', name), 'utf8'))
  const names = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name!)
  const metrics = new Set(names(sources.join('\n'), /'(vulnshelf_[a-z_]+)'/g))
  assert.ok(metrics.size > 10, 'the pattern no longer fits the code')
  const shown = new Set(names(readPage('gateway/README.md').prose, /`(vulnshelf_[a-z_]+)`/g))
  assert.equal([...shown].sort(), [...metrics].sort())
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
