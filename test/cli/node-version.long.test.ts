/** An old Node prints the required version before it loads a module that it cannot load. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = join(import.meta.dirname, '../..')
const { bin, engines, version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Runs a program in a Node that reports this version. */
function runAs(version: string, words: readonly string[]) {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(versions)}`, ...words],
    { cwd: root, encoding: 'utf8', timeout: 60_000 },
  )
  return { status, stdout, stderr }
}

const PROGRAMS: string[][] = [
  [bin.vulnshelf, 'explain', 'nowhere.db', 'CVE-2024-3400'],
  [bin['vulnshelf-gateway'], 'serve', 'nowhere'],
  ['--import', 'tsx', 'builder/cli.ts', 'explain', 'nowhere.db', 'CVE-2024-3400'],
  ['--import', 'tsx', 'gateway/process/cli.ts', 'serve', 'nowhere'],
  ['--import', 'tsx', 'builder/start.ts'],
  ['--import', 'tsx', 'test/run.ts', 'node-version'],
  ['--import', 'tsx', 'test/bench/run.ts'],
]

test('every program refuses a Node that is too old: which one it needs, which one runs, how to get one', () => {
  assert.is(engines.node, '>=22.19')
  for (const words of PROGRAMS) {
    for (const version of ['20.20.2', '22.18.0']) {
      const { status, stdout, stderr } = runAs(version, words)
      const name = `${words.join(' ')} in ${version}`
      assert.equal([status, stdout], [1, ''], name)
      assert.match(stderr, `vulnshelf needs Node 22.19 or later; this is Node ${version}. `, name)
      assert.match(stderr, /npx vulnshelf.*install a newer Node from https:\/\/nodejs\.org\.\n$/, name)
      assert.is(stderr.split('\n').length, 2, name)
    }
  }
})

test('the commands that npm installs run in the oldest Node that will do, and in newer ones', () => {
  for (const program of [bin.vulnshelf, bin['vulnshelf-gateway']]) {
    for (const version of ['22.19.0', '24.0.0', process.versions.node]) {
      assert.equal(runAs(version, [program, '--version']), { status: 0, stdout: `${current}\n`, stderr: '' })
    }
  }
})

test('an old Node can read the check itself: what runs before it is plain JavaScript', () => {
  const files = [bin.vulnshelf, bin['vulnshelf-gateway'], 'corpus/command/node-version.js']
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const imports = [...text.matchAll(/^import .*'(.+)'$/gm)].map(([, path]) => path!)
    assert.ok(imports.length > 0, file)
    for (const path of imports) assert.match(path, /^node:(?:fs|module|url)$|\.js$/, `${file} imports ${path}`)
  }
})

test.run()
