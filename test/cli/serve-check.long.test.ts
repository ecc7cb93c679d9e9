/** `serve --check`, the configuration file, and the log options, as an operator uses them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { objectPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { makeToken } from '../../gateway/auth/token.ts'
import { temporaryFolder } from '../support/dist.ts'
import { freePort, listeningWith } from '../support/listening.ts'
import { suiteNeeding } from '../support/needs.ts'
import { testRedis } from '../support/redis.ts'
import { sharedSample } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { done, endAll, failed, gateway, type RunOptions, start, stateOf } from './command.ts'

const folder = temporaryFolder('serve-check')
const at = (name: string) => join(folder.path, name)
const { dist } = await sharedSample('small')
const { jwksFile, token } = await makeToken({ dir: at('keys') })
const policy = at('policy.json')
writeFileSync(policy, '{"rules": [{"state": "RESERVED", "tier": 1}]}')

function config(name: string, options: object): string {
  writeFileSync(at(name), JSON.stringify(options))
  return at(name)
}

/** Returns the exit code and the lines of a check, after asserting that nothing was written. */
async function check(words: readonly string[], options: RunOptions = {}) {
  const before = stateOf(folder.path)
  const { code, out, err } = await gateway(['serve', ...words, '--check'], options)
  assert.equal(stateOf(folder.path), before)
  assert.equal(err, [])
  return { code, lines: out.trimEnd().split('\n') }
}

const withRedis = suiteNeeding('check with Redis', 'Redis')

withRedis('a Redis that answers is ok', async () => {
  const redis = await testRedis(folder.path)
  await redis.start()
  const { code, out } = await gateway(['serve', dist, '--jwks', jwksFile, '--redis-url', redis.url, '--check'])
  await redis.stop()
  assert.match(out, new RegExp(`^ok {4}Redis: 127\\.0\\.0\\.1:${redis.port}$`, 'm'))
  assert.is(code, 0)
})

withRedis.run()

test('a configuration without faults is 0, with a line for each checked thing', async () => {
  // A check does not need the port.
  const busy = await listeningWith(() => {})
  const file = config('good.json', {
    jwks: jwksFile,
    origins: ['https://a.example', 'https://b.example'],
    'trusted-proxies': '10.0.0.0/8',
    'access-policy': policy,
    algorithms: ['ES256'],
    port: busy.port,
    compat: 'npm',
    'npm-upstream': 'https://registry.npmjs.org',
  })
  const { code, lines } = await check([dist, '--config', file])
  await busy.close()
  assert.is(code, 0)
  assert.equal(
    lines.map((line) => line.replace(/[0-9a-f]{12}, \d+ CVEs$/, '…')),
    [
      `ok    configuration: ${file}`,
      'ok    tokens: issuer https://vulnshelf.local, audience vulnshelf',
      'ok    algorithms: ES256',
      `ok    keys: 1 key of ${jwksFile}`,
      'ok    origins: https://a.example',
      'ok    origins: https://b.example',
      'ok    trusted proxies: 10.0.0.0/8',
      `ok    access policy: ${policy}`,
      'ok    other tools: npm',
      'ok    snapshot: …',
    ],
  )
})

test('every fault has a line with its remedy, and the exit code is 2', async () => {
  const redis = `redis://me:hunter2@127.0.0.1:${await freePort()}`
  const file = config('bad.json', {
    'rate-limit': '700',
    preview: false,
    keep: 3,
    jwks: at('nowhere.json'),
    'access-policy': at('none.json'),
    origins: ['https://a.example/x', 'https://b.example', 'b'],
    'trusted-proxies': ['proxy.example'],
    algorithms: 'HS256,ES256',
    'redis-url': redis,
    compat: ['npm', 'nmp'],
  })
  const { code, lines } = await check([at('nodist'), '--config', file, '--audience', ''])
  assert.is(code, 2)
  const expected = [
    /^fault configuration: \S+bad\.json: 'rate-limit' has the wrong type\. It must be a whole number$/,
    /^fault configuration: \S+bad\.json: unknown key 'preview'\. Did you mean 'no-preview'\?$/,
    /^fault configuration: option '--keep' requires --follow <source>$/,
    /^fault tokens: --issuer and --audience must not be empty$/,
    /^fault algorithms: .*'HS256' is not supported; use /,
    /^fault algorithms: --issuer and --audience must not be empty$/,
    /^fault keys: cannot read the key set \S+nowhere\.json: the file does not exist\. Correct --jwks$/,
    /^fault origins: invalid origin 'https:\/\/a\.example\/x'; use /,
    /^ok {4}origins: https:\/\/b\.example$/,
    /^fault origins: invalid origin 'b'; use /,
    /^fault trusted proxies: invalid proxy 'proxy\.example'; use /,
    /^fault access policy: cannot read the access policy \S+none\.json: /,
    /^fault other tools: unknown interface 'nmp' in --compat; use (?:[a-z]+, )*npm$/,
    /^fault snapshot: there is no folder \S+nodist; use /,
    /^fault Redis: cannot use 127\.0\.0\.1:\d+: .*ECONNREFUSED.*\. Correct --redis-url \(REDIS_URL\), or start Redis$/,
  ]
  assert.is(lines.length, expected.length, lines.join('\n'))
  for (const [i, line] of expected.entries()) assert.match(lines[i]!, line)
  assert.not.match(lines.join(), /hunter2/)
})

test('keys of a URL and of discovery are downloaded', async () => {
  const keys = readFileSync(jwksFile, 'utf8')
  const service = await listeningWith((request, response) => {
    const { host } = request.headers
    if (request.url === '/jwks') response.end(keys)
    else if (request.url === '/empty') response.end('{"keys": []}')
    else if (request.url === '/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer: `http://${host}`, jwks_uri: `http://${host}/jwks` }))
    else response.writeHead(404).end()
  })
  const { origin } = service
  const keyLine = async (...words: string[]) => {
    const { code, lines } = await check([dist, ...words])
    const line = lines.find((one) => /^\w+ +keys: /.test(one))!
    assert.is(code, line.startsWith('ok') ? 0 : 2)
    return line
  }
  assert.is(await keyLine('--jwks', `${origin}/jwks`), `ok    keys: 1 key of ${origin}/jwks`)
  assert.is(await keyLine('--issuer', origin), `ok    keys: 1 key of the issuer ${origin}`)
  assert.match(await keyLine('--jwks', `${origin}/none`), /^fault keys: .* returned status 404\. Correct --jwks or /)
  assert.match(await keyLine('--jwks', `${origin}/empty`), /^fault keys: .* has no public key, .* Add a key$/)
  await service.close()
  assert.match(await keyLine('--issuer', origin), /^fault keys: cannot load .*ECONNREFUSED.*\. Correct --jwks or /)
})

test('damage is found in each file of the snapshot, also in those that a start checks in the background', async () => {
  for (const role of ['cve', 'index', 'query']) {
    const damaged = at(`damaged-${role}`)
    cpSync(dist, damaged, { recursive: true })
    const { manifest } = readCurrent(damaged)
    const path = objectPath(damaged, manifest.files.find((file) => file.role === role)!.sha256)
    const bytes = readFileSync(path)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(path, bytes)
    const { code, lines } = await check([damaged, '--jwks', jwksFile])
    assert.is(code, 2, role)
    assert.match(lines.at(-1)!, /^fault snapshot: .*damaged.*\. `vulnshelf verify \S+` lists all damage$/, role)
  }
})

test('with --follow, the repository is asked for its pointer; an empty folder is no fault', async () => {
  const { code, lines } = await check([at('copy'), '--jwks', jwksFile, '--follow', dist])
  assert.equal(lines.slice(-2), [
    `ok    repository: version 1 of ${dist}, signature not checked`,
    `ok    snapshot: none in ${at('copy')}; a start mirrors one first`,
  ])
  assert.is(code, 0)
  for (const words of [
    ['--follow', at('nowhere')],
    ['--follow', dist, '--keys', at('no-keys.json')],
  ]) {
    const bad = await check([dist, '--jwks', jwksFile, ...words])
    assert.is(bad.code, 2)
    const line = bad.lines.find((one) => one.startsWith('fault'))!
    assert.match(line, /^fault repository: .*\. Correct --follow or --keys, or restore the repository$/)
  }
})

test('a bad configuration stops serve and mirror, with every fault in one line', async () => {
  const file = config('stop.json', { 'rate-limit': 0, prot: 80, keep: 0 })
  const line = failed(await gateway(['serve', dist, '--config', file]), 2)
  assert.match(
    line,
    /'rate-limit' is invalid\..* 1 to 1000000000; .*'prot'\. Did you mean 'port'\?; .*'keep' is invalid/,
  )
  assert.match(failed(await gateway(['mirror', dist, at('copy'), '--config', file]), 2), /unknown key 'rate-limit'/)
  const good = config('mirror.json', { keep: 2, json: true, parallel: 2 })
  assert.is(JSON.parse(done(await gateway(['mirror', dist, at('copy'), '--config', good]))).changed, true)
})

test('options of --compat without it are wrong usage, and so is an unknown interface', async () => {
  const refused = async (...words: string[]) => failed(await gateway(['serve', dist, '--jwks', jwksFile, ...words]), 2)
  assert.match(await refused('--compat-auth', 'none'), "option '--compat-auth' requires --compat <list>")
  assert.match(await refused('--compat', 'npm', '--compat-auth', 'basic'), 'Allowed choices are bearer, none')
  assert.match(await refused('--compat', 'nmp'), /unknown interface 'nmp' in --compat; use (?:[a-z]+, )*npm\b/)
  assert.match(await refused('--compat', 'npm', '--npm-upstream', 'registry'), '--npm-upstream must be')
})

test('REDIS_URL overrides the file, and its value is in no help', async () => {
  const env = { REDIS_URL: 'http://me:hunter2@variable' }
  const file = config('redis.json', { jwks: jwksFile, 'redis-url': 'redis://file' })
  const { lines } = await check([dist, '--config', file], { env })
  assert.match(lines.at(-1)!, /^fault Redis: invalid --redis-url \(REDIS_URL\)/)
  const help = done(await gateway(['serve', '--help'], { env }))
  assert.not.match(help + done(await gateway(['schema', 'serve'], { env })), /hunter2/)
})

test('schema prints a JSON schema of serve and of mirror', async () => {
  for (const [name, key] of [
    ['serve', 'rate-limit'],
    ['mirror', 'max-rate'],
  ] as const) {
    const { properties } = JSON.parse(done(await gateway(['schema', name]))) as { properties: object }
    assert.ok(key in properties)
    for (const other of ['config', 'check', 'help']) assert.not.ok(other in properties)
  }
  assert.match(failed(await gateway(['schema', 'token']), 2), /^command 'token' has no .*; use serve or mirror/)
})

/** Starts a gateway, sends it one request with an id, and returns its log. */
async function logOf(...words: string[]): Promise<string> {
  const child = start('vulnshelf-gateway', ['serve', dist, '--jwks', jwksFile, '--port', '0', ...words])
  let [out, err] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise((resolve) => child.on('close', resolve))
  await until(
    () => /listening on \S+\n/.test(err) || child.exitCode !== null,
    () => err,
  )
  const url = /listening on (\S+)/.exec(err)![1]
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'mine' }
  assert.is((await fetch(`${url}/api/v1/snapshot`, { headers })).headers.get('x-request-id'), 'mine')
  child.kill('SIGTERM')
  assert.is(await ended, 0)
  return out
}

for (const workers of ['1', '2']) {
  test(`the log options apply to ${workers} process(es)`, async () => {
    const json = await logOf('--workers', workers)
    const line = json.split('\n').find((one) => one.includes('"msg":"request"'))!
    assert.is(JSON.parse(line).id, 'mine')
    assert.not.match(json, /"level":20/)
    const text = await logOf('--workers', workers, '--log-format', 'text', '--log-level', 'debug')
    assert.match(text, /^\d{4}-\S+Z INFO {2}request id=mine method=GET path=\/api\/v1\/snapshot query="" status=200 /m)
    assert.match(text, /^\S+ DEBUG key set loaded path=/m)
    assert.not.match(text, /^\{/m)
    assert.is(await logOf('--workers', workers, '--log-level', 'error'), '')
  })
}

test.after(() => {
  endAll()
  folder.remove()
})
test.run()
