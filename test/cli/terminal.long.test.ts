/** The commands on a terminal: colored help, a progress bar, and an intact line after an error or Ctrl-C. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { objectPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { temporaryFolder } from '../support/dist.ts'
import { flipBit } from '../support/flip-bit.ts'
import { listeningWith } from '../support/listening.ts'
import { needs } from '../support/needs.ts'
import { sharedSample } from '../support/samples.ts'
import { screenOf } from '../support/screen.ts'
import { until } from '../support/until.ts'
import { done, vulnshelf } from './command.ts'

needs('script')

const folder = temporaryFolder('terminal')
const { corpus, dist } = await sharedSample('small')
const root = join(import.meta.dirname, '../..')

interface Terminal {
  child: ChildProcess
  output(): string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

/** Runs the builder on a terminal of 100 columns, which receives what is written to standard input. */
function onTerminal(args: readonly string[], env: Record<string, string> = {}): Terminal {
  const words = [process.execPath, join(root, 'builder/bin.js'), ...args]
  const command = `stty cols 100; exec ${words.map((word) => `'${word}'`).join(' ')}`
  // Nothing else is inherited: `CI`, `COLORTERM` and others decide whether Node sees colors.
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME }
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: root,
    env: { ...inherited, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return { child, output: () => output, ended: new Promise((resolve) => child.on('close', resolve)) }
}

/** Runs a command to its end. Returns its output. */
async function outputOf(args: readonly string[], env?: Record<string, string>, code = 0): Promise<string> {
  const { output, ended } = onTerminal(args, env)
  assert.is(await ended, code, output())
  return output()
}

test('help is colored, and plain with NO_COLOR', async () => {
  const colored = await outputOf(['prune', '--help'])
  const plain = await outputOf(['prune', '--help'], { NO_COLOR: '1' })
  assert.is.not(colored, plain)
  assert.is(stripVTControlCharacters(colored), plain)
  assert.is(plain, stripVTControlCharacters(plain))
  assert.match(done(await vulnshelf(['prune', '--help'], { env: { FORCE_COLOR: '1' } })), '\x1b[1mUsage:')
})

test('a build leaves its report alone on the screen', async () => {
  for (const env of [undefined, { NO_COLOR: '1' }]) {
    const out = join(folder.path, env ? 'without-color' : 'with-color')
    const output = await outputOf(['build', '--corpus', corpus, '--out', out, '--jobs', '0'], env)
    assert.match(output, /\[[=-]{20}\] +\d+ % {2}[\w ]+: \d+ of \d+/, output)
    // Throws for a hidden cursor, colors and anything else that would have to be undone.
    const screen = screenOf(output)
    assert.match(screen[0]!, /^snapshot [0-9a-f]{12}/, screen.join('\n'))
    assert.not.match(screen.join('\n'), /\[[=-]{20}\]/)
  }
})

/** Starts a download that stalls after its first half, and waits for its bar. */
async function stalled(): Promise<Terminal & { close(): Promise<void> }> {
  const { origin, close } = await listeningWith(({ url }, response) => {
    if (!url!.endsWith('/known_exploited_vulnerabilities.json')) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': 4_000_000, 'content-type': 'application/json' })
    response.write(Buffer.alloc(2_000_000, '['))
  })
  const feeds = join(folder.path, 'feeds')
  const terminal = onTerminal(['fetch', feeds, '--only', 'kev', '--base-url', `kev=${origin}`])
  const isStalled = () => / fetched: \d+\.\d MB of 4\.0 MB/.test(terminal.output())
  await until(() => isStalled() || terminal.child.exitCode !== null, terminal.output)
  return { ...terminal, close }
}

test('Ctrl-C ends a download at once, and leaves the cursor on a line of its own', async () => {
  const { child, output, ended, close } = await stalled()
  child.stdin!.write('\x03')
  assert.is(await ended, 130, output())
  const screen = screenOf(output())
  assert.match(screen.at(-2)!, /^\[[=-]{20}\] +\d+ % .* fetched: /, screen.join('\n'))
  assert.match(screen.at(-1)!, /^(?:\^C)?$/)
  await close()
})

test('an error replaces the bar', async () => {
  const damaged = join(folder.path, 'damaged')
  cpSync(dist, damaged, { recursive: true })
  const { manifest } = readCurrent(damaged)
  const smallest = manifest.files.toSorted((a, b) => a.size - b.size)[0]!
  flipBit(objectPath(damaged, smallest.sha256))
  const output = await outputOf(['publish', damaged, join(folder.path, 'published')], {}, 1)
  assert.match(output, /\[[=-]{20}\] +\d+ % .* of /)
  const screen = screenOf(output)
  assert.is(screen.length, 2, output)
  assert.match(screen[0]!, /^vulnshelf: .* is damaged/)
})

test.after(() => folder.remove())

test.run()
