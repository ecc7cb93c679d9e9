/** Reading a repository from an OCI registry: login, redirects, digests, bounds, and a tag that moves. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeArtifact } from '../../../corpus/repository/oci-artifact.ts'
import { readFile, readPart } from '../../../corpus/repository/read.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { manifestName, objectName } from '../../../corpus/snapshot/files/layout.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { openTestRegistry, type TestRegistry } from '../../support/test-registry.ts'

const test = suite('an OCI registry as a source')
const folder = temporaryFolder('oci-source')
const at = (name: string) => join(folder.path, name)
const ENV = ['REGISTRY_AUTH_FILE', 'XDG_RUNTIME_DIR', 'DOCKER_CONFIG', 'HOME'] as const
const before = ENV.map((name) => process.env[name])
const PASSWORD = 'a:secret/password'

let registry: TestRegistry
let world: World
test.before.each(async () => {
  registry = await openTestRegistry()
  world = openWorld()
  for (const name of ENV) process.env[name] = at('nobody')
})
test.after.each(async () => {
  await world.close()
  await registry.close()
})
test.after(() => {
  for (const [i, name] of ENV.entries()) {
    if (before[i] === undefined) delete process.env[name]
    else process.env[name] = before[i]
  }
  folder.remove()
})

const stored = (bytes: Buffer) => ({ sha256: sha256(bytes), size: bytes.length })
const OBJECT = Buffer.from(Uint8Array.from({ length: 5000 }, (_, i) => i * i))
const PATH = objectName(sha256(OBJECT))

/** Stores a snapshot with this pointer. Returns the digest of its OCI manifest. */
function push(pointer: string, tag = 'latest'): string {
  const latest = Buffer.from(pointer)
  for (const bytes of [latest, OBJECT]) registry.blobs.set(`sha256:${sha256(bytes)}`, bytes)
  const bytes = encodeArtifact({ snapshot: '0'.repeat(64), created_at: '2026-11-21T00:00:00.000Z' }, [
    { path: PATH, ...stored(OBJECT) },
    { path: 'latest.json', ...stored(latest) },
  ])
  const digest = `sha256:${sha256(bytes)}`
  for (const name of [tag, digest]) registry.manifests.set(name, bytes)
  return digest
}

const reading = (address = registry.address) => ({
  source: openSource(address, world.effects),
  effects: world.effects,
})
const pointerOf = async (read = reading()) => (await readFile('latest.json', 1000, read)).toString()
const pinned = (digest: string) => registry.address.replace(':latest', `@${digest}`)

function writeLogin(path: string, file: object): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), JSON.stringify(file))
}
const auth = (pair = `someone:${PASSWORD}`) => ({ auth: Buffer.from(pair).toString('base64') })
const authorizations = (server: string) =>
  registry.asked.filter((one) => one.server === server).map(({ headers }) => headers.authorization)

test('pointer, objects and ranges; each reading of the pointer resolves the tag again', async () => {
  push('first')
  const read = reading()
  assert.is(await pointerOf(read), 'first')
  assert.ok((await readFile(PATH, OBJECT.length, read)).equals(OBJECT))
  assert.ok((await readPart(PATH, { at: 10, length: 20 }, OBJECT.length, read))?.equals(OBJECT.subarray(10, 30)))
  push('second')
  assert.is(await pointerOf(read), 'second')
  // A reader of the first snapshot still finds its files, although the manifest of the second may not list them.
  assert.ok((await readFile(PATH, OBJECT.length, read)).equals(OBJECT))
  assert.match(await refusal(readFile(objectName('1'.repeat(64)), 10, read)), /^missing: objects\/11\/1+: /)
  assert.match(await refusal(readFile(manifestName('1'.repeat(64)), 10, read)), /^missing: manifests\/1+\.json: /)
  assert.match(
    await refusal(readFile('kev.atom', 10, read)),
    /^missing: kev\.atom: .* has only the files of a snapshot/,
  )
})

test('a pinned digest is read whatever the tag names, and another manifest is refused', async () => {
  const first = push('first')
  const second = push('second')
  assert.is(await pointerOf(reading(pinned(first))), 'first')
  registry.manifests.set(first, registry.manifests.get(second)!)
  assert.match(
    await refusal(pointerOf(reading(pinned(first)))),
    new RegExp(`^digest: .*: the manifest has the digest ${second}; the pinned digest is ${first}$`),
  )
  // The header must agree too.
  registry.instead = ({ path }) =>
    path.includes('/manifests/')
      ? { status: 200, headers: { 'docker-content-digest': first }, body: registry.manifests.get('latest')! }
      : null
  assert.match(await refusal(pointerOf()), /^digest: .*; the digest that the registry announced is sha256:/)
})

test('a pointer with another digest than in the OCI manifest', async () => {
  push('first')
  registry.blobs.set(`sha256:${sha256('first')}`, Buffer.from('First'))
  assert.match(
    await refusal(pointerOf()),
    /^digest: .*latest\.json differs from its digest in the OCI manifest sha256:/,
  )
})

test('what is no snapshot, or too large, is refused', async () => {
  assert.match(await refusal(pointerOf()), /^missing: latest\.json: .*shelf:latest answers 404 MANIFEST_UNKNOWN$/)
  const layer = (digest: string) => ({
    digest,
    size: 1,
    annotations: { 'org.opencontainers.image.title': 'latest.json' },
  })
  const good = `sha256:${'0'.repeat(64)}`
  for (const manifest of [
    null,
    { manifests: [] },
    { layers: [null, { digest: good, size: 1 }] },
    { layers: [layer('sha256:../../x')] },
    { layers: [layer(good), layer(good)] },
    { layers: [{ ...layer(good), size: -1 }] },
  ]) {
    registry.manifests.set('latest', Buffer.from(JSON.stringify(manifest)))
    assert.match(await refusal(pointerOf()), /^unusable: .* is not a snapshot: its manifest has no file latest\.json; /)
  }
  registry.manifests.set('latest', Buffer.alloc((4 << 20) + 1, ' '))
  assert.match(await refusal(pointerOf()), /^too_large: .*more than 4194304 bytes$/)
  registry.instead = ({ path }) => (path.includes('/blobs/') ? { status: 200, body: Buffer.alloc(1 << 20) } : null)
  push('first')
  assert.match(await refusal(pointerOf()), /^too_large: /)
})

test('a token: requested once, only for this repository, with the account from the file', async () => {
  push('first')
  registry.auth = 'token'
  const read = reading()
  assert.is(await pointerOf(read), 'first')
  await readFile(PATH, OBJECT.length, read)
  const [token, ...others] = registry.asked.filter(({ server }) => server === 'tokens')
  assert.is(others.length, 0)
  const { searchParams } = new URL(token!.path, registry.tokens)
  assert.equal(Object.fromEntries(searchParams), { scope: 'repository:team/shelf:pull', service: 'a registry' })
  assert.is(token!.headers.authorization, undefined)

  registry.account = `someone:${PASSWORD}`
  assert.match(
    await refusal(pointerOf()),
    /^refused: latest\.json: the token server http:\S+ of \S+: the server answers 401; log in with skopeo login 127\.0\.0\.1:\d+/,
  )
  writeLogin('auth.json', { auths: { [registry.host]: auth() } })
  process.env.REGISTRY_AUTH_FILE = at('auth.json')
  assert.is(await pointerOf(), 'first')
  assert.ok(!authorizations('registry').some((value) => value?.startsWith('Basic')))
})

test('an identity token goes to the token server as a refresh token', async () => {
  push('first')
  registry.auth = 'token'
  writeLogin('identity.json', { auths: { [registry.host]: { auth: '', identitytoken: 'an-identity' } } })
  process.env.REGISTRY_AUTH_FILE = at('identity.json')
  assert.is(await pointerOf(), 'first')
  const { method, body } = registry.asked.find(({ server }) => server === 'tokens')!
  assert.is(method, 'POST')
  assert.equal(Object.fromEntries(new URLSearchParams(body)), {
    scope: 'repository:team/shelf:pull',
    service: 'a registry',
    grant_type: 'refresh_token',
    client_id: 'vulnshelf',
    refresh_token: 'an-identity',
  })
})

test('the files of the login commands, in their order, the most specific key first', async () => {
  push('first')
  registry.auth = 'basic'
  registry.account = `someone:${PASSWORD}`
  assert.match(await refusal(pointerOf()), /^refused: .* needs credentials; log in with skopeo login 127/)
  const bad = auth('somebody:else')
  const cases: [path: string, env: (typeof ENV)[number], file: object][] = [
    ['home/.docker/config.json', 'HOME', { auths: { [`http://${registry.host}/v2/`]: auth() } }],
    [
      'docker/config.json',
      'DOCKER_CONFIG',
      { auths: { [`${registry.host}/team/shelf`]: auth(), [registry.host]: bad } },
    ],
    [
      'run/containers/auth.json',
      'XDG_RUNTIME_DIR',
      { auths: { [`${registry.host}/team`]: auth(), [registry.host]: bad } },
    ],
    ['given.json', 'REGISTRY_AUTH_FILE', { auths: { [registry.host]: auth() }, credsStore: 'unused' }],
  ]
  for (const name of ENV) delete process.env[name]
  process.env.HOME = at('nobody')
  for (const [path, env, file] of cases) {
    writeLogin(path, file)
    process.env[env] = env === 'REGISTRY_AUTH_FILE' ? at(path) : at(path.split('/')[0]!)
    assert.is(await pointerOf(), 'first', path)
  }
})

test('credential helpers and malformed files are named, without their content', async () => {
  push('first')
  registry.auth = 'basic'
  registry.account = `someone:${PASSWORD}`
  process.env.REGISTRY_AUTH_FILE = at('odd.json')
  const { host } = registry
  for (const [file, line] of [
    [{ credHelpers: { [host]: 'keychain' } }, /in the credential helper 'keychain', .*; set REGISTRY_AUTH_FILE /],
    [{ auths: { [host]: {} }, credsStore: 'desktop' }, /in the credential helper 'desktop', /],
    [{ auths: { [host]: { auth: 7 } } }, /odd\.json has malformed credentials of 127/],
    [{ auths: { [host]: { auth: Buffer.from(PASSWORD.slice(2)).toString('base64') } } }, /has malformed credentials/],
    [[PASSWORD], /the credentials file \S+odd\.json is not a JSON object/],
  ] as const) {
    writeLogin('odd.json', file)
    const message = await refusal(pointerOf())
    assert.match(message, line)
    assert.not.match(message, 'secret')
  }
  writeFileSync(at('odd.json'), PASSWORD)
  assert.match(await refusal(pointerOf()), /^usage: .*is not a JSON object/)
  process.env.REGISTRY_AUTH_FILE = folder.path
  assert.match(await refusal(pointerOf()), /^usage: .*cannot read the credentials in /)
  // A helper of another registry, or a store without this one, does not matter.
  registry.auth = 'token'
  registry.account = null
  process.env.REGISTRY_AUTH_FILE = at('odd.json')
  writeLogin('odd.json', { auths: { 'example.com': {} }, credHelpers: { 'example.com': 'x' }, credsStore: 'y' })
  assert.is(await pointerOf(), 'first')
})

test('credentials go to no other origin: not with a redirect, and not to a token server that it names', async () => {
  push('first')
  registry.auth = 'basic'
  registry.account = `someone:${PASSWORD}`
  registry.redirects = true
  writeLogin('auth.json', { auths: { [registry.host]: auth() } })
  process.env.REGISTRY_AUTH_FILE = at('auth.json')
  const read = reading()
  assert.is(await pointerOf(read), 'first')
  assert.ok((await readPart(PATH, { at: 10, length: 20 }, OBJECT.length, read))?.equals(OBJECT.subarray(10, 30)))
  assert.equal(authorizations('store'), [undefined, undefined])
  registry.instead = ({ server }) =>
    server === 'store'
      ? { status: 401, headers: { 'www-authenticate': `Bearer realm="${registry.tokens}/token"` } }
      : null
  assert.match(await refusal(readFile(PATH, OBJECT.length, read)), /^refused: .*: the server answers 401$/)
  assert.equal(authorizations('tokens'), [])
})

test('a registry that asks for no known credentials, or never accepts them', async () => {
  push('first')
  registry.auth = 'token'
  for (const challenge of ['', 'Negotiate', 'Digest realm="x"']) {
    registry.challenge = () => challenge
    assert.match(await refusal(pointerOf()), /^refused: .* supports neither Basic nor Bearer credentials$/)
  }
  for (const realm of ['', 'ftp://example.com/', 'nonsense']) {
    registry.challenge = () => `Bearer realm="${realm}"`
    assert.match(await refusal(pointerOf()), /^refused: .* names a token server without https, /)
  }
  registry.challenge = () => `Bearer realm="${registry.tokens}/token"`
  registry.instead = ({ server }) => (server === 'tokens' ? { status: 200, body: '{"token":"another"}' } : null)
  assert.match(
    await refusal(pointerOf()),
    /^refused: .* answers 401 UNAUTHORIZED; log in with skopeo login \S+, as an account that may pull from it$/,
  )
  registry.instead = ({ server }) => (server === 'tokens' ? { status: 200, body: '{"token":"a\\nb"}' } : null)
  assert.match(await refusal(pointerOf()), /^wrong_body: .* sent no token$/)
  const body = ' '.repeat((1 << 20) + 1)
  registry.instead = ({ server }) => (server === 'tokens' ? { status: 200, body } : null)
  assert.match(await refusal(pointerOf()), /^too_large: .*the token server \S+ of \S+: more than 1048576 bytes$/)
  const headers = { location: '/token' }
  registry.instead = ({ server }) => (server === 'tokens' ? { status: 302, headers } : null)
  assert.match(await refusal(pointerOf()), /^redirect: .*the token server \S+ of \S+: more than 5 redirects$/)
  assert.equal(
    world.log.filter((line) => line.includes('the-token')),
    [],
  )
})

test('an https registry names no token server without https', async () => {
  push('first')
  registry.auth = 'token'
  const https = {
    ...world.effects,
    request: (url: URL, headers: Record<string, string>) => {
      const plain = new URL(url)
      plain.protocol = 'http:'
      return world.effects.request(plain, headers)
    },
  }
  const source = openSource(registry.address.replace('oci+http', 'oci'), https)
  assert.match(
    await refusal(readFile('latest.json', 1000, { source, effects: https })),
    /^refused: .* names a token server without https, which gets no credentials$/,
  )
})

test('a busy registry is asked again after the time that it states', async () => {
  push('first')
  let refusals = 0
  registry.instead = ({ path }) =>
    path.includes('/manifests/') && refusals++ === 0 ? { status: 429, headers: { 'retry-after': '7' } } : null
  assert.is(await pointerOf(), 'first')
  assert.equal(world.slept, [7000])
})

test('a registry without TLS: the message names oci+http', async () => {
  const message = await refusal(pointerOf(reading(registry.address.replace('oci+http', 'oci'))))
  assert.match(message, /^refused: .* does not use TLS; for plain http, write oci\+http:\/\/$/)
})

test.run()
