/** A catalog or a list without entries is a file without bytes. Every source and every target must copy it. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { temporaryFolder as partsOf, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { type MirrorOptions, mirror } from '../../../gateway/mirror/mirror.ts'
import { all } from '../../support/all.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, cnaJson, kevJson, putFeeds } from '../../support/feeds.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { BUCKET, openObjectStore } from '../../support/s3.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { makeSigner, signDist } from './repository.ts'

const folder = temporaryFolder('empty-files')
const test = suite('files without bytes')
const signer = await makeSigner()
const keys = [signer.publicKey]
const at = (name: string) => join(folder.path, name)

/** Each night is built upon the one before. */
const made = { feeds: at('feeds'), corpus: at('corpus.db'), dist: at('dist') }
const nightOf = async (name: string, files: Parameters<typeof putFeeds>[1]) => {
  putFeeds(made.feeds, files)
  await ingestAndBuild(made)
  await signDist(made.dist, signer)
  cpSync(made.dist, at(name), { recursive: true })
  return at(name)
}
const KEV = 'kev/known_exploited_vulnerabilities.json'
const origin = await nightOf('first', {
  'cvelistv5/2024-06-01_all_CVEs_at_midnight.zip': baselineZip([{ id: 'CVE-2024-0001' }, { id: 'CVE-2024-0002' }]),
  [KEV]: kevJson(['CVE-2024-0001']),
})
const next = await nightOf('second', { 'cna/CNAsList.json': cnaJson(['acme']) })
const EMPTY = sha256(Buffer.alloc(0))

let world: World
let count = 0
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(() => folder.remove())

const newPath = (name: string) => at(`${name}-${count++}`)
const copy = (source: string, dist: string, options: Partial<MirrorOptions> = {}) =>
  mirror(openSource(source, world.effects), { dist, keys, ...options }, world.effects, noProgress)

async function assertSame(dist: string, night: string): Promise<void> {
  assert.equal(filesOf(dist), currentFilesOf(night))
  assert.equal((await verify(dist, { keys })).faults, [])
}

test('a snapshot of public feeds has empty catalogs and empty pages, and verify accepts them', async () => {
  const empty = readCurrent(origin).manifest.files.filter(({ size }) => size === 0)
  assert.equal([...new Set(empty.map(({ role }) => role))], ['catalog', 'pages'])
  for (const { sha256 } of empty) assert.is(sha256, EMPTY)
  assert.equal((await verify(origin, { keys })).faults, [])
})

test('empty files are mirrored from a folder and from a bundle', async () => {
  const [dist, bundle] = [newPath('mirror'), newPath('bundle')]
  await copy(origin, dist, { bundle })
  await assertSame(dist, origin)
  const carried = newPath('carried')
  await copy(bundle, carried)
  await assertSame(carried, origin)
})

test('empty files are mirrored from a web server, also when an empty part is left from a run that was killed', async () => {
  const repository = await serveFolder(origin)
  try {
    const dist = newPath('mirror')
    mkdirSync(partsOf(dist), { recursive: true })
    writeFileSync(join(partsOf(dist), `${EMPTY}.part`), '')
    await copy(repository.url, dist)
    await assertSame(dist, origin)
  } finally {
    await repository.close()
  }
})

test('a bundle carries the night that adds the first entry to a catalog; empty pages can be derived', async () => {
  const [dist, bundle] = [newPath('mirror'), newPath('bundle')]
  await copy(origin, dist)
  const there = newPath('there')
  cpSync(dist, there, { recursive: true })
  await copy(next, dist, { bundle })
  await copy(bundle, there)
  assert.equal((await verify(there, { keys })).faults, [])
  const derived = newPath('derived')
  await copy(origin, derived, { derive: 0 })
  await assertSame(derived, origin)
})

test('empty files are published to a folder and to an object store, and mirrored from there', async () => {
  const store = await openObjectStore(newPath('store'))
  try {
    Object.assign(process.env, store.env)
    for (const to of [newPath('published'), `s3://${BUCKET}/x`]) {
      await publish({ dist: origin, to }, world.effects, noProgress)
      const again = await publish({ dist: origin, to }, world.effects, noProgress)
      assert.is(again.uploaded.files, 0, 'an empty file that is there is not uploaded again')
      const dist = newPath('mirror')
      await copy(to, dist)
      await assertSame(dist, origin)
    }
  } finally {
    await store.close()
  }
})

test('a reader opens a snapshot with empty files, from a folder and over HTTP, with keys and without', async () => {
  const web = await serveFolder(origin)
  try {
    for (const address of [origin, web.url]) {
      for (const options of [{}, { keys }]) {
        const reader = await openReader(address, { ...options, effects: world.effects })
        assert.equal(
          (await all(reader.walk({ kev: true }))).map(({ cve_id }) => cve_id),
          ['CVE-2024-0001'],
        )
        await reader.close()
      }
    }
  } finally {
    await web.close()
  }
})

test.run()
