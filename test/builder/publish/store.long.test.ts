/** Publishing to an object store, and mirroring from it: a real store on this machine, with and without faults. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { manifestName, objectName, objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../../corpus/snapshot/files/pointer.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { mirror } from '../../../gateway/mirror/mirror.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { BUCKET, type ObjectStore, openObjectStore, type StoreAsked, type StoreFault } from '../../support/s3.ts'
import { ownSample } from '../../support/samples.ts'

const folder = temporaryFolder('publish-store')
const test = suite('publish to an object store')
const { dist: first, feeds, corpus, nights } = await ownSample('small', folder.path)
const second = join(folder.path, 'second')
cpSync(first, second, { recursive: true })
await ingestAndBuild({ feeds, corpus, dist: second, asOf: nights[1]! })

const PREFIX = 'mirrors/vulns'
const ADDRESS = `s3://${BUCKET}/${PREFIX}`
let store: ObjectStore
let world: World
let count = 0
test.before.each(async () => {
  store = await openObjectStore(join(folder.path, `store-${count++}`))
  Object.assign(process.env, store.env)
  world = openWorld()
})
test.after.each(async () => {
  await world.close()
  await store.close()
})
test.after(() => folder.remove())

const run = (dist: string, to = ADDRESS) => publish({ dist, to }, world.effects, noProgress)
const newFolder = () => join(folder.path, `mirror-${count++}`)
const mirrored = (dist: string, from = ADDRESS) =>
  mirror(openSource(from, world.effects), { dist, keys: null }, world.effects, noProgress)
const puts = () => store.asked.filter(({ method }) => method === 'PUT')
const keyOf = (path: string) => `${PREFIX}/${path}`
const isPut = ({ method, key }: StoreAsked, beginning = '') => method === 'PUT' && key.startsWith(keyOf(beginning))

/** The objects that the second night adds, the largest first. */
const isHere = new Set(readCurrent(first).manifest.files.map(({ sha256 }) => sha256))
const fresh = [...new Map(readCurrent(second).manifest.files.map((file) => [file.sha256, file])).values()]
  .filter(({ sha256 }) => !isHere.has(sha256))
  .sort((a, b) => b.size - a.size) as [FileEntry, ...FileEntry[]]

/** Ensures that the store has the complete first night. */
async function hasFirstNight(): Promise<void> {
  store.fault = () => null
  const dist = newFolder()
  await mirrored(dist)
  assert.equal(filesOf(dist), currentFilesOf(first))
}

test('a mirror of what was published is the repository, byte for byte; the next night goes as what is new', async () => {
  const report = await run(first)
  assert.equal([report.changed, report.reused.files, report.target], [true, 0, `${ADDRESS}/`])
  assert.is(puts().length, report.uploaded.files + 1)
  assert.is(puts().at(-1)!.key, keyOf('latest.json'))
  const dist = newFolder()
  await mirrored(dist)
  assert.equal(filesOf(dist), currentFilesOf(first))

  store.asked.length = 0
  const next = await run(second)
  const { pointer, manifest } = readCurrent(second)
  const expected = [
    ...[...fresh, manifest.delta!].map(({ sha256 }) => objectName(sha256)),
    manifestName(pointer.manifest.sha256),
    'latest.json',
  ]
  const paths = puts().map(({ key }) => key.slice(PREFIX.length + 1))
  assert.equal(paths.toSorted(), expected.toSorted())
  assert.equal(
    paths.slice(-2).map((path) => path.split('/')[0]),
    ['manifests', 'latest.json'],
  )
  assert.is(next.uploaded.files, expected.length - 1)
  const { made } = await mirrored(dist)
  assert.ok(made.files > 0)
  assert.equal(currentFilesOf(dist), currentFilesOf(second))
  assert.equal((await verify(dist)).faults, [])

  store.asked.length = 0
  const again = await run(second)
  assert.equal([again.changed, again.uploaded.files, puts().length], [false, 0, 0])
})

test('each upload states Cache-Control and its digest', async () => {
  await run(first)
  const { pointer, manifest } = readCurrent(first)
  const immutable = 'public, max-age=31536000, immutable'
  for (const [path, type, caching] of [
    ['latest.json', 'application/json', 'no-cache'],
    [manifestName(pointer.manifest.sha256), 'application/json', immutable],
    [objectName(manifest.files[0]!.sha256), 'application/octet-stream', immutable],
  ] as const) {
    const { headers } = await fetch(`${store.url}/${BUCKET}/${keyOf(path)}`)
    assert.equal(
      ['content-type', 'cache-control', 'content-encoding'].map((name) => headers.get(name)),
      [type, caching, null],
      path,
    )
  }
  for (const { key, headers } of puts()) {
    const sha256 = headers['x-amz-content-sha256'] as string
    if (!key.endsWith('latest.json')) assert.is(key.split('/').at(-1)!.replace('.json', ''), sha256)
    assert.is(headers['x-amz-checksum-sha256'], Buffer.from(sha256, 'hex').toString('base64'))
  }
})

test('record files are sent as JSON that is stored as gzip; those of CVEs that are gone are removed', async () => {
  const records = (dist: string) => publish({ dist, to: ADDRESS, records: true }, world.effects, noProgress)
  await records(first)
  const paths = puts()
    .map(({ key }) => key)
    .filter((key) => key.startsWith(keyOf('cves/CVE-')))
  assert.ok(paths.length > 30)
  const answer = await fetch(`${store.url}/${BUCKET}/${paths[0]}`)
  assert.equal(
    ['content-type', 'cache-control', 'content-encoding'].map((name) => answer.headers.get(name)),
    ['application/json', 'no-cache', 'gzip'],
  )
  assert.is(((await answer.json()) as { cve_id: string }).cve_id, paths[0]!.split('/').at(-1)!.replace('.json', ''))
  store.asked.length = 0
  const next = await records(second)
  const written = puts().filter(({ key }) => key.startsWith(keyOf('cves/')))
  assert.is(written.length, next.records!.written.files)
  assert.ok(written.length < paths.length)
  const old = keyOf('cves/CVE-1999-99999.json')
  assert.is((await fetch(`${store.url}/${BUCKET}/${old}`, { method: 'PUT', body: 'x' })).status, 200)
  store.keep(keyOf('records.json'), Buffer.from('{}'))
  assert.is((await run(second)).records!.removed, 1)
  assert.is((await fetch(`${store.url}/${BUCKET}/${old}`)).status, 404)
})

test('a bucket without a prefix', async () => {
  await run(first, `s3://${BUCKET}`)
  assert.ok(puts().some(({ key }) => key === 'latest.json'))
  const dist = newFolder()
  await mirrored(dist, `s3://${BUCKET}/`)
  assert.equal(filesOf(dist), currentFilesOf(first))
})

test('what is busy, breaks off or arrives damaged is put again', async () => {
  const faults: StoreFault[] = [
    { kind: 'error', status: 500, code: 'InternalError' },
    { kind: 'error', status: 503, code: 'SlowDown', headers: { 'retry-after': '7' } },
    { kind: 'error', status: 400, code: 'BadDigest' },
    { kind: 'error', status: 400, code: 'IncompleteBody' },
    { kind: 'cut-upload', after: 100 },
  ]
  let puts = 0
  store.fault = (asked) => (asked.before === 0 && isPut(asked) ? faults[puts++ % faults.length]! : null)
  await run(first)
  assert.ok(puts > faults.length)
  assert.ok(world.slept.includes(7000))
  for (const words of [
    /^objects\/\S+: s3:\/\/shelf answers 503 SlowDown; retrying in 7 s$/,
    /^objects\/\S+: s3:\/\/shelf answers 500 InternalError; retrying in 1 s$/,
  ]) {
    assert.ok(
      world.log.some((line) => words.test(line)),
      `${words}: ${world.log.join('\n')}`,
    )
  }
  await hasFirstNight()
})

test('listing and pointer are asked for again as well', async () => {
  store.fault = ({ method, before }) =>
    method === 'GET' && before === 0 ? { kind: 'error', status: 503, code: 'ServiceUnavailable' } : null
  await run(first)
  await hasFirstNight()
})

test('without write permission the message states what to set; nothing is retried, and the previous snapshot stays', async () => {
  await run(first)
  store.asked.length = 0
  store.fault = (asked) => (isPut(asked) ? { kind: 'error', status: 403, code: 'AccessDenied' } : null)
  const why = await refusal(run(second))
  assert.match(
    why,
    /^refused: objects\/\S+: s3:\/\/shelf answers 403 AccessDenied; the account of AWS_ACCESS_KEY_ID and /,
  )
  assert.not.match(why, 'S3RVER')
  assert.equal(world.slept, [])
  assert.ok(puts().length <= 6, 'the first refusal lets no other upload begin')
  await hasFirstNight()
})

test('unknown keys, missing keys, a missing bucket and a store that does not answer are reported', async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = store.env
  process.env.AWS_ACCESS_KEY_ID = 'SOMEBODY'
  assert.match(
    await refusal(run(first)),
    /^refused: latest\.json: s3:\/\/shelf answers 403 InvalidAccessKeyId; the account of /,
  )
  Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: 'wrong' })
  const mismatch = await refusal(mirrored(newFolder()))
  assert.match(mismatch, /^refused: latest\.json: s3:\/\/shelf answers 403 SignatureDoesNotMatch; the account of /)
  delete process.env.AWS_ACCESS_KEY_ID
  delete process.env.AWS_SECRET_ACCESS_KEY
  const nobody =
    /^refused: latest\.json: no credentials for s3:\/\/shelf: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or /
  assert.match(await refusal(run(first)), nobody)
  Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })
  assert.match(
    await refusal(run(first, 's3://nowhere/x')),
    /^missing: objects: s3:\/\/nowhere answers 404 NoSuchBucket; the bucket does not exist: create it, or set AWS_ENDPOINT_URL /,
  )
  process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:1'
  assert.match(await refusal(run(first)), /^network: latest\.json: .*ECONNREFUSED/)
})

test('a store that refuses any of the uploads has the last night, and the next run completes', async () => {
  await run(first)
  const refusedPaths = [
    ...[fresh[0], fresh[fresh.length >> 1]!].map(({ sha256 }) => objectName(sha256)),
    manifestName(readCurrent(second).pointer.manifest.sha256),
    'latest.json',
  ]
  for (const path of refusedPaths) {
    store.fault = (asked) => (isPut(asked, path) ? { kind: 'error', status: 403, code: 'AccessDenied' } : null)
    const why = await refusal(publish({ dist: second, to: ADDRESS, parallel: 1 }, world.effects, noProgress))
    assert.ok(why.startsWith(`refused: ${path}: `), why)
    await hasFirstNight()
  }
  await run(second)
  const dist = newFolder()
  await mirrored(dist)
  assert.equal(filesOf(dist), currentFilesOf(second))
})

test('an object that rotted is not put there under its digest, and the last night stays', async () => {
  await run(first)
  const dist = newFolder()
  cpSync(second, dist, { recursive: true })
  const [file] = fresh
  const bytes = readFileSync(objectPath(dist, file.sha256))
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(objectPath(dist, file.sha256), bytes)
  assert.match(await refusal(run(dist)), new RegExp(`^digest: file ${file.role} ${file.name} .* is damaged`))
  // What this store has of it is a beginning, if anything: it puts nothing in place in one step.
  await hasFirstNight()
  await run(second)
  assert.equal(store.kept(keyOf(objectName(file.sha256))), readFileSync(objectPath(second, file.sha256)))
})

test('a step back is refused, also where somebody else publishes meanwhile', async () => {
  await run(second)
  assert.match(await refusal(run(first)), /^rollback: cannot replace version 2 at s3:\/\/shelf\/mirrors\/vulns\//)
  const other = `${ADDRESS}-2`
  await run(first, other)
  const later = encodePointer({ ...readCurrent(second).pointer, version: 7 })
  store.fault = ({ method, key }) => {
    if (method === 'PUT' && key.includes('/manifests/')) store.keep(`${PREFIX}-2/latest.json`, later)
    return null
  }
  assert.match(await refusal(run(second, other)), /^rollback: cannot replace version 7 at /)
})

test('missing and forbidden objects of the store are reported by name', async () => {
  assert.match(
    await refusal(mirrored(newFolder())),
    /^missing: s3:\S+ has no snapshot: latest\.json: s3:\/\/shelf answers 404 NoSuchKey; use /,
  )
  await run(first)
  store.fault = ({ key }) => (key.endsWith('latest.json') ? { kind: 'error', status: 403, code: 'AccessDenied' } : null)
  assert.match(await refusal(mirrored(newFolder())), /^refused: latest\.json: s3:\/\/shelf answers 403 AccessDenied; /)
})

test('an address with a foreign pointer is not written to', async () => {
  await run(first)
  store.keep(keyOf('latest.json'), Buffer.from('<html>'))
  assert.match(
    await refusal(run(second)),
    /^unusable: s3:\/\/shelf\/mirrors\/vulns\/ is damaged: latest\.json is not JSON/,
  )
  assert.equal(store.kept(keyOf('latest.json')), Buffer.from('<html>'))
})

test.run()
