/** What the compiler does not see: who may import whom, and that every test file runs. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { VERSION } from '../corpus/command/version.ts'

const root = join(import.meta.dirname, '..')

/** Every folder may import this one. */
const ERRORS = 'corpus/errors'

/** What each folder may import from outside itself. The longest folder that fits a file counts. */
const MAY_IMPORT: Record<string, string[]> = {
  [ERRORS]: [],
  'corpus/command': ['corpus/runtime'],
  'corpus/model': [],
  'corpus/inventory': ['corpus/command', 'corpus/model'],
  'corpus/mcp': ['corpus/command', 'corpus/inventory', 'corpus/model', 'corpus/snapshot/index.ts'],
  'corpus/feeds': ['corpus/model', 'corpus/runtime'],
  'corpus/store': ['corpus/model'],
  'corpus/runtime': [],
  'corpus/snapshot': ['corpus/model', 'corpus/runtime'],
  'corpus/snapshot/memory': ['corpus/model', 'corpus/runtime', 'corpus/snapshot/index.ts'],
  'corpus/snapshot/ranges': ['corpus/model', 'corpus/runtime', 'corpus/snapshot/index.ts'],
  'corpus/answers': ['corpus/command', 'corpus/model', 'corpus/runtime', 'corpus/snapshot/index.ts'],
  'corpus/sample': ['corpus/model'],
  'corpus/reader': [
    'corpus/answers',
    'corpus/model',
    'corpus/repository',
    'corpus/runtime',
    'corpus/snapshot/index.ts',
    'corpus/snapshot/ranges',
    'corpus/transfer',
  ],
  'corpus/transfer': ['corpus/command'],
  'corpus/repository': [
    'corpus/command',
    'corpus/model',
    'corpus/runtime',
    'corpus/snapshot/derived.ts',
    'corpus/snapshot/index.ts',
    'corpus/transfer',
  ],
  'corpus/explorer': [
    'corpus/answers',
    'corpus/inventory',
    'corpus/model',
    'corpus/reader',
    'corpus/repository',
    'corpus/runtime',
    'corpus/snapshot/index.ts',
    'corpus/transfer',
  ],
  builder: [
    'corpus/command',
    'corpus/errors',
    'corpus/explorer/explorer.ts',
    'corpus/feeds',
    'corpus/inventory',
    'corpus/mcp',
    'corpus/model',
    'corpus/reader',
    'corpus/repository',
    'corpus/runtime',
    'corpus/sample',
    'corpus/snapshot/derived.ts',
    'corpus/snapshot/index.ts',
    'corpus/store',
    'corpus/transfer',
  ],
  gateway: [
    'corpus/answers',
    'corpus/command',
    'corpus/explorer/explorer.ts',
    'corpus/mcp',
    'corpus/model',
    'corpus/runtime',
    'corpus/snapshot/derived.ts',
    'corpus/snapshot/index.ts',
    'corpus/snapshot/memory',
  ],
  'gateway/earlier': [
    'corpus/answers',
    'corpus/model',
    'corpus/reader',
    'corpus/repository',
    'corpus/runtime',
    'corpus/snapshot/derived.ts',
    'corpus/snapshot/index.ts',
    'corpus/snapshot/ranges',
    'gateway',
  ],
  'gateway/mirror': [
    'corpus/command',
    'corpus/model',
    'corpus/repository',
    'corpus/runtime',
    'corpus/snapshot/derived.ts',
    'corpus/snapshot/index.ts',
    'corpus/transfer',
  ],
}

const TOP_LEVEL = [
  'LICENSE',
  'README.md',
  'biome.json',
  'builder',
  'corpus',
  'gateway',
  'package-lock.json',
  'package.json',
  'test',
  'tsconfig.json',
]

const inFolder = (path: string, folder: string) => path.startsWith(`${folder}/`)

/** The TypeScript files of a folder, with `/`, relative to the root. */
function sourcesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.split(sep).join('/')}`)
}

/** Files that a file imports by a relative path, types and lazy imports included; and workers it starts. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found].map(([, path]) =>
    relative(root, resolve(root, dirname(file), path!))
      .split(sep)
      .join('/'),
  )
}

test('every import follows the import table', () => {
  const against: string[] = []
  let seen = 0
  for (const file of ['corpus', 'builder', 'gateway'].flatMap(sourcesOf)) {
    const folders = Object.keys(MAY_IMPORT).filter((folder) => inFolder(file, folder))
    const folder = folders.sort((a, b) => b.length - a.length)[0]
    assert.ok(folder, `${file} is in no folder of the table`)
    for (const imported of importsOf(file)) {
      seen++
      const allowed = [folder, ERRORS, ...MAY_IMPORT[folder]!].some(
        (one) => imported === one || inFolder(imported, one),
      )
      if (!allowed) against.push(`${file} imports ${imported}`)
    }
  }
  assert.ok(seen > 100, `only ${seen} imports found: the pattern no longer fits the code`)
  assert.equal(against, [])
})

/** Read other files: those of the package, of the process, and those that the command itself writes. */
const MAY_READ = [
  'corpus/command/npm-exit.ts',
  'corpus/explorer/bundle.ts',
  'corpus/explorer/explorer.ts',
  'corpus/reader/browser/bundle.ts',
  'corpus/reader/browser/direct-imports.ts',
  'corpus/runtime/regular-file.ts',
]

test('every path is read by regular-file.ts, which waits for nothing and has a bound', () => {
  const reading = /import \{[^}]*\b(?:readFile|readFileSync|createReadStream)\b[^}]*\} from 'node:fs/
  const files = ['corpus', 'builder', 'gateway'].flatMap(sourcesOf)
  assert.equal(files.filter((file) => reading.test(readFileSync(join(root, file), 'utf8'))).sort(), MAY_READ)
})

/** The cells of a table under a heading of corpus/README.md, row by row. */
function tableUnder(heading: string): string[][] {
  const text = readFileSync(join(root, 'corpus/README.md'), 'utf8')
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))
  assert.ok(section, `corpus/README.md has no section ${heading}`)
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => row.split('|').slice(1, -1))
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const namesIn = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!)

test('corpus/README.md shows the import table', () => {
  const shown = tableUnder('Imports').map(([folder, allowed]) => [namesIn(folder!)[0]!, namesIn(allowed!)])
  assert.equal(shown, Object.entries(MAY_IMPORT))
})

test('corpus/README.md names every package of package.json and its purpose', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest
  const shown = tableUnder('Dependencies').map(([name, purpose]) => [namesIn(name!)[0]!, purpose!.trim()])
  assert.equal(
    shown.filter(([, purpose]) => purpose === ''),
    [],
  )
  assert.equal(
    shown.map(([name]) => name).sort(),
    Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).sort(),
  )
})

test('the programs report the version of package.json', () => {
  assert.is(VERSION, manifest.version)
})

test('every test file runs its tests', () => {
  const silent = sourcesOf('test').filter(
    (file) => file.endsWith('.test.ts') && !/^(?:\w+\.)?run\(\)$/m.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.equal(silent, [])
})

test('the top level is as it was laid out', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const top = new Set(tracked.map((file) => file.split('/')[0]!).filter((name) => !name.startsWith('.')))
  assert.equal([...top].sort(), TOP_LEVEL)
})

test('the product reads nothing outside its checkout', () => {
  const outside = ['corpus', 'builder', 'gateway'].flatMap(sourcesOf).filter((file) => {
    return readFileSync(join(root, file), 'utf8').includes('../shared')
  })
  assert.equal(outside, [])
})

test.run()
