/** A catalog or a list without entries is a file without bytes. Every source and every target must copy it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
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

test('empty files are published to a folder and to an object store, and read and mirrored from everywhere', async () => {
  const store = await openObjectStore(newPath('store'))
  const web = await serveFolder(origin)
  try {
    Object.assign(process.env, store.env)
    const [published, bundle, bucket] = [newPath('published'), newPath('bundle'), `s3://${BUCKET}/x`]
    for (const to of [published, bucket]) {
      await publish({ dist: origin, to }, world.effects, noProgress)
      const again = await publish({ dist: origin, to }, world.effects, noProgress)
      assert.is(again.uploaded.files, 0, 'an empty file that is there is not uploaded again')
    }
    await copy(origin, newPath('mirror'), { bundle })
    for (const address of [published, bucket, bundle, web.url]) {
      const dist = newPath('mirror')
      await copy(address, dist)
      await assertSame(dist, origin)
      for (const options of [{}, { keys }]) {
        const reader = await openReader(address, { ...options, effects: world.effects })
        const ids = (await all(reader.walk({ kev: true }))).map(({ cve_id }) => cve_id)
        assert.equal(ids, ['CVE-2024-0001'], address)
        await reader.close()
      }
    }
  } finally {
    await Promise.all([store.close(), web.close()])
  }
})

test.run()
