/** Commands on a full or read-only disk: one line with the path and the remedy, and no lost data. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { currentFilesOf } from '../support/repository-files.ts'
import { ownSample } from '../support/samples.ts'
import { type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { serveFolder } from '../support/web-folder.ts'
import { done, failed, gateway, type Outcome, vulnshelf } from './command.ts'

needs('leave to mount')

const folder = temporaryFolder('full-disk')
const at = (name: string) => join(folder.path, name)
const { feeds, corpus, dist, nights } = await ownSample('small', folder.path)
const later = at('later')
cpSync(dist, later, { recursive: true })
await ingestAndBuild({ feeds, corpus, dist: later, asOf: nights[1]! })
/** A corpus that is not the one of `later`: a build of an unchanged corpus writes nothing. */
const changed = at('changed.db')
cpSync(corpus, changed)
const database = new Database(changed)
database.prepare('UPDATE epss SET score = 0.5').run()
database.close()
const key = at('key.json')
done(await vulnshelf(['key', key]))
const web = await serveFolder(feeds)
web.fault = ({ path }) => (path.endsWith('/') ? { kind: 'status', code: 404 } : null)
const fetchFeeds = (to: string) =>
  vulnshelf(['fetch', to, '--base-url', web.url, '--only', 'kev'], { env: { no_proxy: '127.0.0.1' } })
const disks: SmallDisk[] = []

function disk(options: string): SmallDisk {
  const made = smallDisk(at(`disk-${disks.length}`), options)
  disks.push(made)
  return made
}

/** Commands that write to a path on a small disk. */
const WRITERS: [name: string, write: (path: string) => Promise<Outcome>][] = [
  ['build', (path) => vulnshelf(['build', '--corpus', corpus, '--out', path])],
  ['ingest', (path) => vulnshelf(['ingest', feeds, '--corpus', path])],
  ['sample', (path) => vulnshelf(['sample', path, '--cves', '100'])],
  ['publish', (path) => vulnshelf(['publish', dist, path])],
  ['key', (path) => vulnshelf(['key', path])],
  ['token', (path) => gateway(['token', '--keys', path])],
  ['mirror', (path) => gateway(['mirror', dist, path])],
]

const FULL = 'cannot be written to: its disk is full; free some space, or use another disk'
const READ_ONLY = 'cannot be written to: its file system is read-only; mount it read-write, or use another one'

test('a full disk', async () => {
  const { path, fill, empty } = disk('size=20m')
  cpSync(later, join(path, 'dist'), { recursive: true })
  cpSync(corpus, join(path, 'corpus.db'))
  fill()
  const before = currentFilesOf(join(path, 'dist'))
  for (const [name, write] of WRITERS) {
    const target = join(path, name)
    const line = failed(await write(target))
    if (name === 'mirror') assert.match(line, new RegExp(`^not enough disk space for ${target}: \\d+ bytes are needed`))
    else assert.is(line, `${target} ${FULL}`)
  }
  const [full, known] = [join(path, 'dist'), join(path, 'corpus.db')]
  assert.is(failed(await vulnshelf(['build', '--corpus', changed, '--out', full])), `${full} ${FULL}`)
  assert.is(failed(await vulnshelf(['sign', full, '--sign-key', key])), `${full} ${FULL}`)
  assert.is(failed(await vulnshelf(['ingest', feeds, '--corpus', known])), `${known} ${FULL}`)
  const bundle = join(path, 'night.tar')
  assert.is(failed(await gateway(['mirror', dist, at('carrier'), '--bundle', bundle])), `${bundle} ${FULL}`)
  const fetched = join(path, 'feeds')
  const { code, err } = await fetchFeeds(fetched)
  assert.is(code, 1)
  assert.match(err.at(-1)!, `${fetched} ${FULL}`)
  assert.equal(currentFilesOf(full), before)
  done(await vulnshelf(['prune', full, '--keep-last', '1']))
  empty()
  done(await vulnshelf(['verify', full]))
  done(await vulnshelf(['ingest', feeds, '--corpus', known]))
})

test('a disk that has bytes and takes no more files', async () => {
  const { path } = disk('size=20m,nr_inodes=2')
  for (const [name, write] of WRITERS) {
    const target = join(path, 'new', name)
    if (name !== 'key') assert.is(failed(await write(target)), `${target} ${FULL}`)
  }
})

test('a read-only disk', async () => {
  const { path, lock } = disk('size=40m')
  const [locked, known] = [join(path, 'dist'), join(path, 'corpus.db')]
  cpSync(later, locked, { recursive: true })
  cpSync(corpus, known)
  lock()
  for (const [name, write] of WRITERS) {
    const target = join(path, name)
    assert.is(failed(await write(target)), `${target} ${READ_ONLY}`)
  }
  for (const words of [
    ['build', '--corpus', changed, '--out', locked],
    ['sign', locked, '--sign-key', key],
    ['prune', locked, '--keep-last', '1'],
    ['publish', dist, locked],
  ]) {
    assert.is(failed(await vulnshelf(words)), `${locked} ${READ_ONLY}`, words[0])
  }
  assert.is(failed(await gateway(['mirror', later, locked])), `${locked} ${READ_ONLY}`)
  assert.is(failed(await vulnshelf(['ingest', feeds, '--corpus', known])), `${known} ${READ_ONLY}`)
  const [bundle, fetched] = [join(path, 'night.tar'), join(path, 'feeds')]
  assert.is(failed(await gateway(['mirror', dist, at('carrier'), '--bundle', bundle])), `${bundle} ${READ_ONLY}`)
  assert.is(failed(await fetchFeeds(fetched)), `${fetched} ${READ_ONLY}`)
  done(await vulnshelf(['verify', locked]))
})

test.after(async () => {
  await web.close()
  for (const { remove } of disks) remove()
  folder.remove()
})
test.run()
