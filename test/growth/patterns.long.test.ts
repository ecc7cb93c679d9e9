/**
 * No regular expression of the product takes more time than in proportion to its text: `recheck` searches a text for each
 * on which it would. It counts steps, so that the result does not depend on the machine.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type CallExpression, type Expression, type NewExpression, type Program, parse, type Token } from 'acorn'
import { transformSync } from 'esbuild'
import type { Diagnostics } from 'recheck'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const ROOT = join(import.meta.dirname, '../..')
const FOLDERS = ['builder', 'corpus', 'gateway']

const SETTINGS = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 }
/** Memory in MiB for one pattern. `recheck` needs 220 at most for those that it decides. */
const MAX_MEMORY = 1024

/** The build in JavaScript. The default one starts a native program, if there is one. */
const THREAD = `
  const { parentPort } = require('node:worker_threads')
  const { checkSync } = require(${JSON.stringify(createRequire(import.meta.url).resolve('recheck/lib/browser.js'))})
  parentPort.on('message', ({ pattern, flags }) => {
    const { status, complexity, attack } = checkSync(pattern, flags, ${JSON.stringify(SETTINGS)})
    parentPort.postMessage({ status, type: complexity?.type, attack: attack?.pattern })
  })`

interface Verdict {
  status: Diagnostics['status']
  type?: string
  attack?: string
}

/** Values of the variables from which functions make regular expressions. Others are constants of their file. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  list: 'vulnerabilities',
  catalog: 'cwe',
  lower: 'cwe',
  prefix: '[Cc][Ww][Ee]',
  pattern: ['packages', '([^/]+)', '(.+)'],
  before: '/packages/(?<ecosystem>[^/]+)',
  path: '/packages/:ecosystem/:name',
  start: '/packages/:ecosystem'.length,
}

interface Found {
  file: string
  pattern: string
  flags: string
}

const test = suite('regular expressions')

const sources = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(?:ts|tsx|js)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
  .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
  .sort()

/** Returns the regular expressions of a text, as literals and as arguments of `RegExp`. */
function patternsOf(file: string, source: string): Found[] {
  const { code } = transformSync(source, { loader: file.endsWith('x') ? 'tsx' : 'ts', target: 'esnext' })
  const found: Found[] = []
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken(token) {
      if (token.type.label !== 'regexp') return
      const { pattern, flags } = (token as Token & { value: Omit<Found, 'file'> }).value
      found.push({ file, pattern, flags })
    },
  })
  for (const { arguments: stated } of constructionsOf(program)) {
    const texts = stated.map(({ start, end }) => code.slice(start, end))
    const [pattern, flags = ''] = valuesOf(texts, constantsOf(program, code), file)
    const source = pattern instanceof RegExp ? pattern.source : String(pattern)
    found.push({ file, pattern: source, flags: String(flags) })
  }
  return found
}

type Construction = NewExpression | CallExpression

/** Returns where `RegExp` is called, with or without `new`. */
function constructionsOf(program: Program): Construction[] {
  const found: Construction[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const child of Object.values(node)) visit(child)
    const { type, callee } = node as { type?: string; callee?: { type: string; name?: string } }
    const isCall = type === 'NewExpression' || type === 'CallExpression'
    if (isCall && callee!.type === 'Identifier' && callee!.name === 'RegExp') found.push(node as Construction)
  }
  visit(program)
  return found
}

/** Returns the text of each constant of a module, by its name. */
function constantsOf({ body }: Program, code: string): Map<string, string> {
  const constants = new Map<string, string>()
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declared.declarations) {
      if (id.type === 'Identifier' && init) constants.set(id.name, textOf(init, code))
    }
  }
  return constants
}

const textOf = ({ start, end }: Expression, code: string) => code.slice(start, end)

/** Returns the values of expressions. @throws Error for a variable without an example */
function valuesOf(expressions: readonly string[], constants: ReadonlyMap<string, string>, file: string): unknown[] {
  const values: Record<string, unknown> = new Proxy(EXAMPLES, {
    has: (_, name) => typeof name === 'string' && !(name in globalThis),
    get(_, name) {
      if (typeof name !== 'string') return undefined
      const constant = constants.get(name)
      if (constant !== undefined) return valuesOf([constant], constants, file)[0]
      if (!(name in EXAMPLES)) throw new Error(`${file}: ${name} makes a regular expression; add a value to EXAMPLES`)
      return EXAMPLES[name]
    },
  })
  // A function of this kind is not in strict mode, which forbids `with`.
  return new Function('values', `with (values) { return [${expressions.join(', ')}] }`)(values) as unknown[]
}

let thread: Worker | null = null

/** Returns the fault of a regular expression; null without one. */
async function faultOf(found: Found): Promise<string | null> {
  thread ??= new Worker(THREAD, { eval: true, resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY } })
  thread.postMessage(found)
  const verdict = await once(thread, 'message').then(
    ([answer]) => answer as Verdict,
    (error: NodeJS.ErrnoException) => {
      thread = null
      assert.is(error.code, 'ERR_WORKER_OUT_OF_MEMORY', String(error))
      return null
    },
  )
  if (verdict?.status === 'safe') return null
  const what =
    verdict === null ? `not decided with ${MAX_MEMORY} MiB` : `${verdict.status}, ${verdict.type}: ${verdict.attack}`
  return `${found.file}: ${keyOf(found)}: ${what}`
}

const keyOf = ({ pattern, flags }: Omit<Found, 'file'>) => `/${pattern}/${flags}`

test('the collector finds literals and constructions, and the check finds backtracking', async () => {
  const source = [
    "const WORD = '[a-z]+'; const LIST = '(?:' + WORD + ')+'",
    "export const isList = (text: string) => new RegExp('^' + LIST + '$', 'i').test(text)",
    'export const half = (a: number) => a / 2 / WORD.length',
    "export const plain = RegExp('x')",
    'export const Page = () => <p title="/no/">don\'t {/(b+)+$/.source}</p>',
  ].join('\n')
  const found = patternsOf('made.tsx', source)
  assert.equal(found.map(keyOf).sort(), ['/(b+)+$/', '/^(?:[a-z]+)+$/i', '/x/'])
  const faults = new Map<string, string | null>()
  for (const one of found) faults.set(keyOf(one), await faultOf(one))
  assert.match(faults.get('/(b+)+$/')!, 'made.tsx: /(b+)+$/: vulnerable, exponential: ')
  assert.match(faults.get('/^(?:[a-z]+)+$/i')!, 'vulnerable')
  assert.is(faults.get('/x/'), null)
  assert.throws(() => patternsOf('made.ts', 'export const f = (word: string) => new RegExp(word)'), /add a value/)
})

test('no regular expression backtracks more than in proportion to its text', async () => {
  const found = sources.flatMap((file) => patternsOf(file, readFileSync(join(ROOT, file), 'utf8')))
  const distinct = new Map(found.map((one) => [keyOf(one), one]))
  console.log(`# ${distinct.size} regular expressions in ${sources.length} files`)
  assert.ok(distinct.size > 400, String(distinct.size))
  const faults = []
  for (const one of distinct.values()) faults.push(await faultOf(one))
  assert.equal(
    faults.filter((fault) => fault !== null),
    [],
  )
})

test.after(async () => void (await thread?.terminate()))

test.run()
