/** `serve --follow` as an operator runs it: from an empty folder to the newest snapshot, a night, and its end. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lockFile } from '../../corpus/command/lock.ts'
import { objectPath, pointerPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { listening } from '../support/listening.ts'
import { ownSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { serveFolder } from '../support/web-folder.ts'
import { done, endAll, failed, gateway, start, vulnshelf } from './command.ts'

const folder = temporaryFolder('follow')
const at = (name: string) => join(folder.path, name)
const { feeds, corpus, dist: origin, nights } = await ownSample('small', folder.path)
const [key, keys] = [at('key.json'), at('keys.json')]
done(await vulnshelf(['key', key, '--public', keys]))
done(await vulnshelf(['sign', origin, '--sign-key', key]))
done(await gateway(['token', '--keys', at('token-keys')]))

const serve = (dist: string, ...words: string[]) => {
  const jwks = join(at('token-keys'), 'jwks.json')
  return ['serve', dist, '--port', '0', '--jwks', jwks, ...words]
}

/** Starts a gateway with `--follow`. Returns its URL and output. */
async function following(dist: string, words: readonly string[], env: Record<string, string> = {}) {
  const child = start('vulnshelf-gateway', serve(dist, '--poll-seconds', '1', ...words), { env })
  const said = { out: '', err: '' }
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const tell = () => `${said.err}${said.out}`
  const happens = (test: () => boolean | Promise<boolean>) =>
    until(() => {
      if (child.exitCode !== null) throw new Error(`it ended: ${tell()}`)
      return test()
    }, tell)
  await happens(() => /listening on (\S+)/.test(said.err))
  const url = /listening on (\S+)/.exec(said.err)![1]!
  const served = async () => (JSON.parse(await (await fetch(`${url}/readyz`)).text()) as { snapshot: string }).snapshot
  return { child, said, until: happens, served }
}

test('keys that no token can be verified with are refused before anything is mirrored', async () => {
  for (const words of [[], ['--issuer', 'not a url'], ['--jwks', at('nowhere')]]) {
    const line = failed(await gateway(['serve', at('unkeyed'), '--port', '0', '--follow', origin, ...words]), 2)
    assert.match(line, /^keys that verify tokens are not configured|^cannot discover keys|^cannot read the key set/)
    assert.not.ok(existsSync(at('unkeyed')))
  }
})

test('it starts with the first snapshot, serves each new one, and ends its mirror process', async () => {
  const dist = at('served')
  const words = ['--follow', origin, '--keys', keys, '--interval', '1s', '--keep', '1', '--derive']
  const { child, said, until, served } = await following(dist, words)
  assert.is(await served(), readCurrent(origin).manifest.snapshot)
  await ingestAndBuild({ feeds, corpus, dist: origin, asOf: nights[1]! })
  done(await vulnshelf(['sign', origin, '--sign-key', key]))
  const { snapshot } = readCurrent(origin).manifest
  await until(async () => (await served()) === snapshot)
  assert.equal(readFileSync(pointerPath(dist)), readFileSync(pointerPath(origin)))
  // Only one snapshot is kept.
  await until(() => readdirSync(join(dist, 'manifests')).length === 1)
  await until(() => /mirror report/.test(said.out))

  const pointer = readFileSync(pointerPath(origin))
  writeFileSync(pointerPath(origin), 'not now')
  await until(() => /latest\.json is not JSON: .*; the local snapshot is unchanged/.test(said.out))
  assert.is(await served(), snapshot)
  writeFileSync(pointerPath(origin), pointer)

  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
  const unlock = lockFile(join(dist, 'lock'))
  assert.ok(unlock, 'the mirror still holds the folder')
  unlock?.()
})

test('a gateway that is killed takes its mirror with it', async () => {
  const dist = at('killed')
  const { child, until } = await following(dist, ['--follow', origin, '--interval', '1s'])
  const mirrors = () =>
    execFileSync('ps', ['-ax', '-o', 'args'], { encoding: 'utf8' }).includes(`mirror ${origin} ${dist}`)
  await until(mirrors)
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
  for (let times = 0; times < 100 && mirrors(); times++) await sleep(100)
  assert.not.ok(mirrors())
})

test('a password of the source is in no list of processes', async () => {
  const web = await serveFolder(origin)
  try {
    const dist = at('by-password')
    const source = web.url.replace('//', '//carol:s3cret@')
    const { child, said, until } = await following(dist, ['--interval', '1s'], { VULNSHELF_FOLLOW: source })
    const processes = () => execFileSync('ps', ['-ax', '-o', 'args'], { encoding: 'utf8' })
    await until(() => processes().includes(`mirror ${web.url} ${dist}`))
    assert.not.match(processes() + said.out + said.err, 's3cret')
    assert.ok(web.asked.every(({ authorization }) => authorization === `Basic ${btoa('carol:s3cret')}`))
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  } finally {
    await web.close()
  }
})

test('a stop signal during the first download ends it at once, without an error', async () => {
  const server = createServer((_request, response) => void response.writeHead(503, { 'retry-after': '120' }).end())
  const { origin: url, close } = await listening(server)
  try {
    const child = start('vulnshelf-gateway', serve(at('early'), '--follow', `${url}/`))
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text))
    await until(
      () => /retrying in 120 s/.test(said),
      () => said,
    )
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    assert.equal(await ended, [0, null])
    assert.not.match(said, /listening|nothing to be served/)
  } finally {
    await close()
  }
})

test('options of the mirror require --follow; environment variables are ignored without it', async () => {
  for (const words of [['--derive'], ['--keys', keys], ['--keep', '2'], ['--interval', '1m']]) {
    const line = failed(await gateway(serve(origin, ...words)), 2)
    assert.is(line, `option '${words[0]}' requires --follow <source> (see --help)`)
  }
  const child = start('vulnshelf-gateway', serve(origin), { env: { VULNSHELF_KEYS: keys } })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(
    () => said.includes('\n'),
    () => said,
  )
  assert.match(said, /^listening on /)
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})

test('a damaged snapshot is mirrored again before it is served', async () => {
  const dist = at('rotten')
  cpSync(origin, dist, { recursive: true })
  const { manifest } = readCurrent(origin)
  const path = objectPath(dist, manifest.files.find(({ role }) => role === 'index')!.sha256)
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  rmSync(path)
  writeFileSync(path, bytes)
  const { child, said, until, served } = await following(dist, ['--follow', origin, '--interval', '1s'])
  assert.is(await served(), manifest.snapshot)
  await until(() => /local snapshot unusable, mirroring it again/.test(said.out))
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})

test('a source that can be none ends it, also where a snapshot is here', async () => {
  const words = (dist: string) => serve(dist, '--follow', 'ftp://example.com/dist')
  const told = /^cannot read a repository at /
  assert.match(failed(await gateway(words(at('nowhere'))), 2), told)
  const ended = await gateway(words(origin))
  assert.is(ended.code, 2)
  assert.match(ended.err.at(-1)!.replace('vulnshelf-gateway: ', ''), told)
})

test('without a first snapshot it does not start, and says why', async () => {
  mkdirSync(at('nothing'))
  assert.match(
    failed(await gateway(serve(at('never'), '--follow', at('nothing')))),
    /^no snapshot to serve: \S+nothing has no snapshot: latest\.json: .* is missing; use /,
  )
  done(await vulnshelf(['key', at('other.json'), '--public', at('others.json')]))
  const words = serve(at('never'), '--follow', origin, '--keys', at('others.json'))
  assert.match(failed(await gateway(words)), /^no snapshot to serve: no trusted key has signed/)
  assert.not.ok(existsSync(pointerPath(at('never'))))
})

test('options in the environment configure the gateway: its mirror starts once and prints no JSON', async () => {
  const env = {
    VULNSHELF_FOLLOW: origin,
    VULNSHELF_SERVE_INTERVAL: '1s',
    VULNSHELF_MIRROR_INTERVAL: '1s',
    VULNSHELF_JOBS: '0',
    VULNSHELF_JSON: 'true',
    VULNSHELF_BUNDLE: at('b.tar'),
  }
  const { child, served } = await following(at('by-environment'), [], env)
  assert.is(await served(), readCurrent(origin).manifest.snapshot)
  assert.not.ok(existsSync(at('b.tar')))
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})

test('a gateway ends though its mirror waits for a busy server', async () => {
  const dist = at('waiting')
  cpSync(origin, dist, { recursive: true })
  const server = createServer((_request, response) => void response.writeHead(503, { 'retry-after': '120' }).end())
  const { origin: url, close } = await listening(server)
  try {
    const { child, said, until } = await following(dist, ['--follow', `${url}/`, '--interval', '1s'])
    await until(() => /retrying in 120 s/.test(said.out))
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    assert.equal((await ended)[0], 0)
  } finally {
    await close()
  }
})

test('a snapshot that is here is served while the repository is away', async () => {
  const dist = at('away')
  cpSync(origin, dist, { recursive: true })
  const { child, said, until, served } = await following(dist, ['--follow', at('gone'), '--interval', '1s'])
  await until(() =>
    /\S+ has no snapshot: latest\.json: .* is missing; use .*; the local snapshot is unchanged/.test(said.out),
  )
  assert.is(await served(), readCurrent(dist).manifest.snapshot)
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  assert.equal((await ended)[0], 0)
})

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
