/** Publishing to an OCI registry: what is uploaded, what sets the tag, and what is refused. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bytesContent } from '../../../builder/publish/content.ts'
import { readEdition } from '../../../builder/publish/edition.ts'
import { type PublishOptions, publish } from '../../../builder/publish/publish.ts'
import { publishToRegistry } from '../../../builder/publish/registry.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { ARTIFACT_TYPE, encodeArtifact } from '../../../corpus/repository/oci-artifact.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { objectName, objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { encodePointer } from '../../../corpus/snapshot/files/pointer.ts'
import { parseAddress, type RegistryLocation } from '../../../corpus/transfer/address.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { currentFilesOf } from '../../support/repository-files.ts'
import { sharedSample } from '../../support/samples.ts'
import { openTestRegistry, type TestRegistry } from '../../support/test-registry.ts'

const test = suite('publish to an OCI registry')
const folder = temporaryFolder('publish-registry')
const { dist } = await sharedSample('small')
const { pointer, manifest } = readCurrent(dist)
let registry: TestRegistry
let world: World
test.before.each(async () => {
  registry = await openTestRegistry()
  world = openWorld()
})
test.after.each(async () => {
  await world.close()
  await registry.close()
})
test.after(() => folder.remove())

const run = (options: Partial<PublishOptions> = {}) =>
  publish({ dist, to: registry.address, ...options }, world.effects, noProgress)
const uploads = () => registry.asked.filter(({ method, path }) => method === 'PUT' && path.includes('/blobs/uploads/'))
const tagged = () => registry.manifests.get('latest')

/** Sets the tag to a snapshot with this pointer. */
function setTag(latest: Buffer): Buffer {
  registry.blobs.set(`sha256:${sha256(latest)}`, latest)
  const file = { path: 'latest.json', sha256: sha256(latest), size: latest.length }
  const bytes = encodeArtifact(manifest, [file])
  registry.manifests.set('latest', bytes)
  return bytes
}

test('one blob per file with its path as title; the manifest is the last request; then nothing is uploaded again', async () => {
  const report = await run()
  const files = currentFilesOf(dist)
  const bytes = tagged()!
  assert.equal([report.changed, report.digest, report.records], [true, `sha256:${sha256(bytes)}`, null])
  const artifact = JSON.parse(bytes.toString()) as {
    artifactType: string
    config: object
    layers: { digest: string; size: number; annotations: Record<string, string> }[]
    annotations: Record<string, string>
  }
  assert.is(artifact.artifactType, ARTIFACT_TYPE)
  assert.equal(artifact.annotations, {
    'org.opencontainers.image.created': pointer.created_at,
    'vnd.vulnshelf.snapshot': pointer.snapshot,
  })
  const titles = artifact.layers.map(({ annotations }) => annotations['org.opencontainers.image.title']!)
  assert.equal([...titles].sort(), Object.keys(files).sort())
  assert.is(report.uploaded.files, titles.length)
  for (const { digest, size } of artifact.layers) assert.is(registry.blobs.get(digest)?.length, size)
  // The config `{}`, too.
  assert.is(uploads().length, titles.length + 1)
  const last = registry.asked.at(-1)!
  assert.equal([last.method, last.path], ['PUT', '/v2/team/shelf/manifests/latest'])

  registry.asked.length = 0
  const again = await run()
  assert.equal([again.changed, again.uploaded, again.digest], [false, { files: 0, bytes: 0 }, report.digest])
  assert.not.ok(registry.asked.some(({ method }) => method === 'PUT' || method === 'POST'))

  const { digest, size } = artifact.layers.find(({ size }) => size > 0)!
  registry.blobs.delete(digest)
  assert.equal((await run()).uploaded, { files: 1, bytes: size })
})

test('a token that expires during the upload is renewed, and a damaged upload is repeated', async () => {
  registry.auth = 'token'
  const done = new Set<string>()
  const once = (name: string) => !done.has(name) && done.add(name)
  registry.instead = ({ method, path, server }) => {
    if (server !== 'registry' || method !== 'PUT' || !path.includes('/uploads/')) return null
    const challenge = { 'www-authenticate': registry.challenge() }
    if (path.includes('/uploads/3?') && once('expired')) return { status: 401, headers: challenge }
    const body = JSON.stringify({ errors: [{ code: 'DIGEST_INVALID' }] })
    return path.includes('/uploads/5?') && once('damaged') ? { status: 400, body } : null
  }
  await run({ parallel: 1 })
  assert.is(done.size, 2)
  assert.is(world.log.length, 1)
  assert.match(world.log[0]!, /^objects\/\S+: \S+ answers 400 DIGEST_INVALID; retrying in \d s$/)
  const scopes = registry.asked
    .filter(({ server }) => server === 'tokens')
    .map(({ path }) => new URL(path, registry.tokens).searchParams.get('scope'))
  assert.equal(scopes, Array(2).fill('repository:team/shelf:pull,push'))
})

test('a later version is not replaced, also one that another publisher sets during the upload', async () => {
  const later = encodePointer({ ...pointer, version: pointer.version + 1, created_at: '2100-01-01T00:00:00.000Z' })
  let other: Buffer | undefined
  registry.instead = ({ method, path }) => {
    if (method === 'PUT' && path.includes('/uploads/')) other ??= setTag(later)
    return null
  }
  assert.match(
    await refusal(run()),
    /^rollback: cannot replace version 2 at oci\+http:\S+:latest with the older version 1/,
  )
  assert.is(tagged(), other)
  registry.asked.length = 0
  assert.match(await refusal(run()), /^rollback: /)
  assert.is(uploads().length, 0)
})

test('a tag of something else stays as it is', async () => {
  const image = Buffer.from('{"schemaVersion":2,"layers":[]}')
  registry.manifests.set('latest', image)
  assert.match(await refusal(run()), /^unusable: oci\+http:\S+ is not a snapshot: .*; use .* a new tag to publish to$/)
  assert.is(tagged(), image)
  assert.is(uploads().length, 0)
})

test('a damaged local file is named, and its blob is not stored', async () => {
  const own = join(folder.path, 'damaged')
  cpSync(dist, own, { recursive: true })
  const file = [...manifest.files].sort((a, b) => b.size - a.size)[0]!
  writeFileSync(objectPath(own, file.sha256), Buffer.alloc(file.size))
  assert.match(await refusal(run({ dist: own })), /^digest: .* is damaged: its digest differs from its name/)
  assert.not.ok(registry.blobs.has(`sha256:${file.sha256}`))
  assert.is(tagged(), undefined)
})

test('an account that may not push', async () => {
  const denied = JSON.stringify({ errors: [{ code: 'DENIED' }] })
  registry.instead = ({ method }) => (method === 'POST' ? { status: 403, body: denied } : null)
  assert.match(
    await refusal(run()),
    /^refused: \S+: \S+ answers 403 DENIED; log in with skopeo login \S+, as an account that may pull from and push to it$/,
  )
})

test('an upload address without https after https, or without an address', async () => {
  for (const headers of [{}, { location: 'ftp://example.com/' }] as Record<string, string>[]) {
    registry.instead = ({ method }) => (method === 'POST' ? { status: 202, headers } : null)
    assert.match(await refusal(run()), /^redirect: /)
  }
})

test('an upload address of another origin gets no credentials', async () => {
  registry.auth = 'token'
  const other = await openTestRegistry()
  registry.instead = ({ method }) =>
    method === 'POST' ? { status: 202, headers: { location: `http://${other.host}/elsewhere` } } : null
  other.instead = () => ({ status: 201 })
  await run()
  assert.ok(other.asked.length > 1)
  assert.ok(other.asked.every(({ headers, path }) => !headers.authorization && path.startsWith('/elsewhere?digest=')))
  await other.close()
})

test('more files than an OCI manifest can list are refused before any request', async () => {
  const objects = Array.from({ length: 20_000 }, (_, i) =>
    bytesContent(objectName(sha256(`${i}`)), Buffer.from(`${i}`)),
  )
  const edition = { ...readEdition(dist, { site: null }, world.effects), objects }
  const { kind, ...address } = parseAddress(registry.address)
  assert.is(kind, 'oci')
  const { location } = address as { location: RegistryLocation }
  const options = { dist, parallel: 1, unsigned: false }
  assert.match(
    await refusal(publishToRegistry(location, edition, options, world.effects, noProgress)),
    /^too_large: the OCI manifest of 20002 files has \d+ bytes, and registries accept 4194304, so nothing was uploaded /,
  )
  assert.is(registry.asked.length, 0)
})

test('options and addresses that a registry does not support', async () => {
  const never = 'oci://registry.invalid/x:latest'
  const site = new URL('https://vulns.example.com/')
  assert.match(await refusal(run({ to: never, site })), /^usage: --site-url writes files for web clients, /)
  assert.match(await refusal(run({ to: never, records: true })), /^usage: --records writes files for web clients, /)
  assert.match(
    await refusal(run({ to: `oci://registry.invalid/x@sha256:${'0'.repeat(64)}` })),
    /^usage: cannot publish to the digest oci:\S+; use a tag/,
  )
})

test.run()
