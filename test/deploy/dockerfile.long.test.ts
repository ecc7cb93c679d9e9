/**
 * The Dockerfile without a container engine: its COPY and RUN steps in a folder, then the commands and the health check
 * of the image.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join, matchesGlob } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeToken } from '../../gateway/auth/token.ts'
import { root } from '../docs/markdown.ts'
import { temporaryFolder } from '../support/dist.ts'
import { freePort } from '../support/listening.ts'
import { needs } from '../support/needs.ts'
import { sharedSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { read } from './files.ts'

needs('the npm registry')

const folder = temporaryFolder('dockerfile')

interface Step {
  instruction: string
  words: string
}

/** The steps of each stage, comments left out and continued lines joined. */
const stages = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split(/^FROM /m)
  .slice(1)
  .map((stage) => {
    const [first = '', ...lines] = stage.split('\n').filter(Boolean)
    const steps = lines.map((line): Step => {
      const [, instruction = '', words = ''] = /^(\w+) +(.*)$/.exec(line)!
      return { instruction, words }
    })
    return { name: / AS (\w+)$/.exec(first)?.[1] ?? 'image', steps }
  })

/** The value of an instruction of the image in exec form. */
const execForm = (instruction: string): string[] =>
  JSON.parse(/\[.*\]/.exec(stages.at(-1)!.steps.find((step) => step.instruction === instruction)!.words)![0])

/** Copies the files that git tracks or would track, without those that .dockerignore excludes. */
function buildContext(): string {
  const context = join(folder.path, 'context')
  const ignored = execFileSync('git', ['show', ':.dockerignore'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of new Set(files)) {
    const isIgnored = ignored.some((pattern) => matchesGlob(file, pattern) || file.startsWith(`${pattern}/`))
    if (isIgnored || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(context, file)), { recursive: true })
    cpSync(join(root, file), join(context, file))
  }
  return context
}

/** For a step, in ms. */
const TIMEOUT_MS = 240_000

/** Node of the tests comes first, as in the image. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VULNSHELF_)/i.test(name)))

/** Runs the COPY and RUN steps of a stage below a folder of its own in place of `/`. Users of the system stay as they are. */
function runStage({ name, steps }: (typeof stages)[number], context: string): string {
  const path = join(folder.path, name)
  const inStage = (file: string) => join(path, file)
  let cwd = path
  mkdirSync(path, { recursive: true })
  for (const { instruction, words } of steps) {
    if (instruction === 'WORKDIR') {
      cwd = inStage(words)
      mkdirSync(cwd, { recursive: true })
    }
    if (instruction === 'COPY') {
      const [, stage, from = '', to = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(words)!
      const source = stage === undefined ? join(context, from) : join(folder.path, stage, from)
      cpSync(source, to.startsWith('/') ? inStage(to) : join(cwd, to), { recursive: true, verbatimSymlinks: true })
    }
    if (instruction === 'RUN' && !words.startsWith('install ')) {
      const here = words.replace(/(?<=[ =])\/(?=[a-z])/g, `${path}/`)
      const { status, stdout, stderr } = spawnSync('sh', ['-c', here], {
        cwd,
        env: { ...clean, PATH },
        encoding: 'utf8',
        timeout: TIMEOUT_MS,
      })
      assert.is(status, 0, `${here}: ${stdout}${stderr}`)
    }
  }
  return path
}

let image = ''
test('every step succeeds', () => {
  const context = buildContext()
  for (const stage of stages) image = runStage(stage, context)
})

const bin = (name: string) => join(image, 'app/node_modules/.bin', name)
const env = () => ({ ...clean, PATH: [join(image, 'app/node_modules/.bin'), PATH].join(delimiter) })

test('the image has both commands, the database driver, and no development dependency', () => {
  for (const name of ['vulnshelf', 'vulnshelf-gateway']) {
    const { status, stdout, stderr } = spawnSync(bin(name), ['--version'], { env: env(), encoding: 'utf8' })
    assert.is(status, 0, stderr)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  }
  const modules = readdirSync(join(image, 'app/node_modules'))
  assert.ok(modules.includes('better-sqlite3'))
  for (const name of ['typescript', 'uvu', 'tsx', '@biomejs']) assert.not.ok(modules.includes(name), name)
  assert.equal(globSync('pack/*', { cwd: image }), [])
})

test('the image serves, and its health check fails before and after', async () => {
  const { dist } = await sharedSample('small')
  const { jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })
  const port = String(await freePort())
  const [program, ...healthWords] = execForm('HEALTHCHECK')
  assert.is(program, 'node')
  const health = () =>
    spawnSync(process.execPath, healthWords, { env: { ...env(), VULNSHELF_PORT: port }, encoding: 'utf8' }).status
  assert.is(health(), 1)
  const [command = ''] = execForm('ENTRYPOINT')
  const words = execForm('CMD').map((word) => word.replace('/var/lib/vulnshelf/dist', dist))
  const child = spawn(bin(command), words, {
    env: { ...env(), VULNSHELF_HOST: '0.0.0.0', VULNSHELF_PORT: port, VULNSHELF_JWKS: jwksFile },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  try {
    await until(
      () => log.includes('listening on') || child.exitCode !== null,
      () => log,
    )
    assert.is(child.exitCode, null, log)
    assert.is(health(), 0)
  } finally {
    child.kill('SIGTERM')
  }
  assert.is(await exit, 0, log)
  assert.is(health(), 1)
})

test.after(() => folder.remove())
test.run()
