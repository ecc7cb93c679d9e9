/**
 * Publish to an OCI registry and mirror from it, with a real registry (docker-registry) and another client of it
 * (skopeo): accounts, copies, a second night, damage, and signatures.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PublishReport } from '../../builder/publish/publish.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { encodePointer } from '../../corpus/snapshot/files/pointer.ts'
import type { MirrorReport } from '../../gateway/mirror/mirror.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { changeByte, skopeo, startRegistry } from '../support/docker-registry.ts'
import { needs } from '../support/needs.ts'
import { currentFilesOf, filesOf } from '../support/repository-files.ts'
import { ownSample } from '../support/samples.ts'
import { done, endAll, failed, gateway, vulnshelf } from './command.ts'

needs('docker-registry', 'skopeo')

const PASSWORD = 'a:secret/password'
/** The password with bcrypt. */
const HTPASSWD = 'someone:$2b$05$abcdefghijklmnopqrstuujrlPsKy4H6cFqGIksBBzhg.TNQLCkSq\n'

const folder = temporaryFolder('oci')
const at = (name: string) => join(folder.path, name)
const { feeds, corpus, dist: first, nights } = await ownSample('small', folder.path)
const second = at('second')
cpSync(first, second, { recursive: true })
await ingestAndBuild({ feeds, corpus, dist: second, asOf: nights[1]! })
done(await vulnshelf(['key', at('key.json'), '--public', at('keys.json')]))
done(await vulnshelf(['key', at('other-key.json'), '--public', at('other-keys.json')]))
for (const dist of [first, second]) done(await vulnshelf(['sign', dist, '--sign-key', at('key.json')]))
const unsigned = at('unsigned')
cpSync(second, unsigned, { recursive: true })
const { pointer: last } = readCurrent(second)
writeFileSync(join(unsigned, 'latest.json'), encodePointer({ ...last, version: last.version + 1 }))

writeFileSync(at('htpasswd'), HTPASSWD)
const registry = await startRegistry(at('registry'), { htpasswd: at('htpasswd') })
const authFile = at('auth.json')
skopeo('login', '--tls-verify=false', '--authfile', authFile, '-u', 'someone', '-p', PASSWORD, registry.host)
const env = { REGISTRY_AUTH_FILE: authFile }

const to = `oci+http://${registry.host}/security/vulnshelf:latest`
const copied = `oci+http://${registry.host}/copies/vulnshelf:night`
const publish = (dist: string, ...words: string[]) => vulnshelf(['publish', dist, to, ...words], { env })
const published = async (dist: string, ...words: string[]) =>
  JSON.parse(done(await publish(dist, '--json', ...words))) as PublishReport
const mirror = (from: string, copy: string, keys = 'keys.json') =>
  gateway(['mirror', from, at(copy), '--keys', at(keys), '--json'], { env })
const mirrored = async (from: string, copy: string) => JSON.parse(done(await mirror(from, copy))) as MirrorReport
const pinned = (digest: string) => to.replace(':latest', `@${digest}`)

let night: PublishReport

test('without an account, or with a wrong password, one line names the remedy and no password', async () => {
  const none = { REGISTRY_AUTH_FILE: at('none.json') }
  const line = failed(await vulnshelf(['publish', first, to], { env: none }))
  assert.match(line, /^oci\+http:\S+ needs credentials; log in with skopeo login 127\.0\.0\.1:\d+$/)
  const wrong = Buffer.from('someone:wrong-password').toString('base64')
  writeFileSync(at('wrong.json'), JSON.stringify({ auths: { [registry.host]: { auth: wrong } } }))
  const refused = failed(await vulnshelf(['publish', first, to], { env: { REGISTRY_AUTH_FILE: at('wrong.json') } }))
  assert.match(refused, / answers 401 UNAUTHORIZED; log in with skopeo login /)
  assert.not.match(refused, /wrong-password|c29tZW9uZT/)
})

test('skopeo sees what was published, and copies it; a mirror of the copy has the same snapshot', async () => {
  const words = done(await publish(first))
  assert.match(
    words,
    /^snapshot [0-9a-f]{64} \(version 2\) is published to oci\+http:\S+latest\n {2}\d+ files uploaded \([\d.]+ MB\), 0 reused \(0\.0 MB\)\n {2}digest sha256:[0-9a-f]{64}\n {2}[\d.]+ s\n$/,
  )
  night = await published(first)
  assert.equal([night.changed, night.uploaded], [false, { files: 0, bytes: 0 }])
  const address = to.replace('oci+http', 'docker')
  const raw = skopeo('inspect', '--raw', '--tls-verify=false', '--authfile', authFile, address)
  assert.is(`sha256:${sha256(raw)}`, night.digest)
  assert.is(words.includes(`digest ${night.digest}\n`), true)

  const options = ['--src-tls-verify=false', '--dest-tls-verify=false', '--authfile', authFile]
  skopeo('copy', ...options, address, copied.replace('oci+http', 'docker'))
  const report = await mirrored(copied, 'from-copy')
  assert.equal([report.snapshot, report.signatures.map(({ status }) => status)], [night.snapshot, ['valid']])
  assert.equal(filesOf(at('from-copy')), currentFilesOf(first))
  done(await vulnshelf(['verify', at('from-copy'), '--keys', at('keys.json')]))

  // An OCI layout on disk, and from it a folder by the titles, as oras writes it.
  skopeo('copy', ...options, address, `oci:${at('layout')}:night`)
  const { layers } = JSON.parse(raw) as { layers: { digest: string; annotations: Record<string, string> }[] }
  for (const { digest, annotations } of layers) {
    const path = join(at('by-titles'), annotations['org.opencontainers.image.title']!)
    mkdirSync(dirname(path), { recursive: true })
    cpSync(join(at('layout/blobs'), digest.replace(':', '/')), path)
  }
  assert.equal(filesOf(at('by-titles')), currentFilesOf(first))
  done(await vulnshelf(['verify', at('by-titles'), '--keys', at('keys.json')]))
})

test('the library answers from the registry', async () => {
  Object.assign(process.env, env)
  const [there, here] = await Promise.all([openReader(to), openReader(first)])
  for (const target of ['/cves?limit=10&sort=-cvss', '/search?q=remote', '/snapshot']) {
    assert.equal(await there.request(target), await here.request(target))
  }
  await Promise.all([there.close(), here.close()])
  delete process.env.REGISTRY_AUTH_FILE
})

test('a second night uploads and downloads only what is new; a pinned digest still has the first', async () => {
  const before = registry.blobs()
  const report = await published(second)
  const added = registry.blobs().filter((one) => !before.includes(one))
  // The OCI manifest is a blob on disk too.
  assert.is(report.uploaded.files, added.length - 1)
  assert.ok(report.reused.files > 0)
  const copy = await mirrored(to, 'from-copy')
  assert.equal([copy.snapshot, copy.version, copy.made.files > 0], [report.snapshot, 3, true])
  assert.equal(currentFilesOf(at('from-copy')), currentFilesOf(second))
  assert.is((await mirrored(pinned(night.digest!), 'pinned')).snapshot, night.snapshot)
  assert.match(
    failed(await mirror(pinned(night.digest!), 'from-copy')),
    /^the source has version 2, older than the local version 3/,
  )
  assert.match(failed(await publish(first)), /^cannot replace version 3 at oci\+http:/)
  assert.match(
    failed(await vulnshelf(['publish', first, pinned(night.digest!)], { env }), 2),
    /^cannot publish to the digest /,
  )
})

test('a byte that changed on the disk of the registry is found, in any kind of file', async () => {
  const { manifest, pointer } = readCurrent(second)
  const latest = sha256(readFileSync(join(second, 'latest.json')))
  const object = manifest.files.find(({ size }) => size > 0)!.sha256
  for (const [digest, message] of [
    [object, /: its digest is [0-9a-f]{64}$/],
    [pointer.manifest.sha256, /manifest differs from the digest or size in latest\.json/],
    [latest, /latest\.json differs from its digest in the OCI manifest/],
  ] as const) {
    const path = registry.blobPath(digest)
    const bytes = readFileSync(path)
    changeByte(path)
    const { code, err } = await mirror(to, `damaged-${digest}`)
    assert.is(code, 1)
    assert.match(err.at(-1)!, message)
    writeFileSync(path, bytes)
  }
})

test('an OCI manifest that changed on the disk of the registry is found', async () => {
  const { digest } = await published(second)
  const path = registry.blobPath(digest!.replace('sha256:', ''))
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.toString().replace('"vnd.vulnshelf.snapshot":"', '"vnd.vulnshelf.snapshot":"0'))
  for (const from of [to, pinned(digest!)]) assert.is((await mirror(from, 'never')).code, 1)
  writeFileSync(path, bytes)
  assert.is((await mirrored(pinned(digest!), 'never')).snapshot, readCurrent(second).pointer.snapshot)
})

test('an unsigned or wrongly signed snapshot is refused', async () => {
  assert.match(failed(await publish(unsigned)), /is signed, so mirrors that trust its key reject an unsigned one/)
  const { code, err } = await mirror(to, 'other', 'other-keys.json')
  assert.equal([code, /no key|signature|signed/.test(err.at(-1)!)], [1, true])
  assert.is((await published(unsigned, '--unsigned')).changed, true)
  assert.match(failed(await mirror(to, 'other')), /sign/)
})

test('options for web servers are refused', async () => {
  for (const words of [['--records'], ['--site-url', 'https://vulns.example.com/']]) {
    assert.match(failed(await publish(second, ...words), 2), new RegExp(`^${words[0]} writes files for web clients`))
  }
})

test.after(async () => {
  endAll()
  await registry.stop()
  folder.remove()
})
test.run()
