/** The bundle of the explorer: the same at each time and in each folder, small at the start, and complete in itself. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleExplorer } from '../../../corpus/explorer/bundle.ts'
import { isCompressible, typeOf } from '../../../corpus/explorer/explorer.ts'
import { temporaryFolder } from '../../support/dist.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The budget of the initial JavaScript, compressed. */
const MOST_INITIAL_BYTES = 100_000

const folder = temporaryFolder('explorer')
const { files, page } = await bundleExplorer()
const html = page('gateway').toString()
const test = suite('explorer bundle')

/** The scripts that a script imports before it runs, itself included. */
function initial(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = files.get(path)!.toString()
  for (const [, name] of text.matchAll(/(?:import|from)\s*"\.\/([^"]+)"/g)) initial(`assets/${name}`, seen)
  return seen
}

test('the command writes the same files, wherever it runs', () => {
  const out = join(folder.path, 'built')
  execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), 'corpus/explorer/bundle.ts', out], {
    cwd: ROOT,
  })
  const again = join(folder.path, 'again')
  const program = join(ROOT, 'corpus/explorer/bundle.ts')
  execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), program, again], { cwd: folder.path })
  for (const at of [out, again]) {
    const written = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = written.map(({ parentPath, name }) => relative(at, join(parentPath, name)))
    assert.equal(paths.sort(), [...files.keys(), 'gateway.html', 'static.html'].sort())
    for (const [path, content] of files) assert.equal(readFileSync(join(at, path)), content, path)
    for (const mode of ['gateway', 'static'] as const) {
      assert.equal(readFileSync(join(at, `${mode}.html`)), page(mode))
    }
  }
})

test('the page names its mode, its style sheet and its script; the static one has its policy', () => {
  for (const mode of ['gateway', 'static'] as const) {
    const text = page(mode).toString()
    assert.match(text, `<meta name="vulnshelf-mode" content="${mode}" />`)
    const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    assert.ok(named.length >= 3)
    for (const path of named) assert.ok(files.has(path), path)
    assert.not.match(text, /<script(?! type="module" src=)|<style| style=| on\w+=/)
  }
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page('static').toString())![1]!
  assert.match(policy, "script-src 'self'")
  assert.match(policy, "script-src 'self' 'wasm-unsafe-eval';")
  assert.not.match(policy.replace("'wasm-unsafe-eval'", ''), /unsafe|frame-ancestors/)
  assert.not.match(html, 'http-equiv')
})

test('the initial scripts are within their budget', () => {
  const [, script] = /<script type="module" src="([^"]+)">/.exec(html)!
  const scripts = [...initial(script!)]
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(files.get(path)!, { level: 9 }).length, 0)
  assert.ok(bytes < MOST_INITIAL_BYTES, `${bytes} bytes in ${scripts.length} files`)
  assert.ok([...files.keys()].filter((path) => path.endsWith('.js')).length > scripts.length, 'pages are loaded later')
})

test('every import is in the bundle, and every file has a type', () => {
  for (const [path, content] of files) {
    assert.type(typeOf(path), 'string')
    assert.type(isCompressible(path), 'boolean')
    if (!path.endsWith('.js')) continue
    for (const [, name] of content.toString().matchAll(/(?:import|from)\s*\(?\s*"\.\/([^"]+)"/g)) {
      assert.ok(files.has(`assets/${name}`), `${path}: ${name}`)
    }
  }
  assert.throws(() => typeOf('assets/main.map'), 'the explorer has no files such as assets/main.map')
})

test('the icon of old browsers has two images', () => {
  const icon = files.get('favicon.ico')!
  assert.equal([icon.readUInt16LE(2), icon.readUInt16LE(4)], [1, 2])
  for (const [i, size] of [16, 32].entries()) {
    const entry = 6 + 16 * i
    const at = icon.readUInt32LE(entry + 12)
    assert.equal([icon[entry], icon.toString('latin1', at + 1, at + 4)], [size, 'PNG'])
    assert.ok(at + icon.readUInt32LE(entry + 8) <= icon.length)
  }
})

test('the licences of the packages in it are in one file', () => {
  const text = files.get('LICENSES.txt')!.toString()
  for (const name of ['preact']) assert.match(text, new RegExp(`^${name}$`, 'm'))
  assert.not.match(text, /^esbuild$/m)
})

test.after(() => folder.remove())
test.run()
