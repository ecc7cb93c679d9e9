/** Past editions of EPSS: which days are asked for, and what happens if one is missing, broken or here already. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addBaseUrl, noBaseUrls } from '../../../builder/fetch/bases.ts'
import { type FetchOptions, fetchFeeds } from '../../../builder/fetch/fetch.ts'
import { failures, formatFetchReport } from '../../../builder/fetch/report.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { openPublisher, openWorld, type Publisher, plain, serve, status, type World } from '../../support/publisher.ts'
import { gzipped } from './downloading.ts'

const folder = temporaryFolder('past-editions')
const test = suite('past editions of EPSS')
let publisher: Publisher
let world: World
let count = 0

test.before.each(async () => {
  publisher = await openPublisher()
  world = openWorld()
})
test.after.each(async () => {
  await world.close()
  await publisher.close()
})
test.after(() => folder.remove())

const fresh = () => join(folder.path, `feeds-${++count}`)
const edition = (day: string) =>
  gzipped(`#model_version:v1,score_date:${day}T12:00:00Z\ncve,epss,percentile\nCVE-2024-0001,0.1,0.5\n`)
const nameOf = (day: string) => `epss_scores-${day}.csv.gz`
const HOST = '/epss.empiricalsecurity.com/'

/** As the publishers, on the last of four days. */
function effectsAt(today: string): NetworkEffects {
  return {
    ...world.effects,
    now: () => new Date(`${today}T06:00:00Z`),
    request: (url, headers) =>
      world.effects.request(new URL(`/${url.host}${url.pathname}${url.search}`, publisher.url), headers),
  }
}
const fetchPast = (feeds: string, options: Partial<FetchOptions> = {}) =>
  fetchFeeds({ feeds, only: ['epss'], epssSince: '2026-11-17', ...options }, effectsAt('2026-11-20'))
const askedFor = () => publisher.asked.map(({ path }) => path).filter((path) => !path.includes('current'))

test.before.each(() => {
  publisher.on(`${HOST}epss_scores-current.csv.gz`, serve(edition('2026-11-20'), { etag: '"1"' }))
  for (const day of ['2026-11-17', '2026-11-19']) publisher.on(`${HOST}${nameOf(day)}`, serve(edition(day)))
})

test('each day from the given one up to yesterday is asked for; a missing day is named, and no failure', async () => {
  const feeds = fresh()
  const report = await fetchPast(feeds)
  assert.equal(readdirSync(join(feeds, 'epss')).sort(), ['2026-11-17', '2026-11-19', '2026-11-20'].map(nameOf))
  assert.equal(
    askedFor().sort(),
    ['2026-11-17', '2026-11-18', '2026-11-19'].map((day) => HOST + nameOf(day)),
  )
  const past = report.feeds[1]!
  assert.equal(
    past.files.map(({ path, status }) => `${path} ${status}`),
    [
      'epss/epss_scores-2026-11-17.csv.gz fetched',
      'epss/epss_scores-2026-11-18.csv.gz missing',
      'epss/epss_scores-2026-11-19.csv.gz fetched',
    ],
  )
  assert.equal([report.failed, report.partial, failures(report)], [0, 0, []])
  assert.match(
    formatFetchReport(report),
    'EPSS, past         2 files fetched (0.0 MB), 1 file not published: no edition of 2026-11-18',
  )
})

test('editions that are here are not asked for again', async () => {
  const feeds = fresh()
  await fetchPast(feeds)
  const before = askedFor().length
  const report = await fetchPast(feeds)
  assert.equal(askedFor().slice(before), [`${HOST}${nameOf('2026-11-18')}`])
  assert.is(report.feeds[1]!.status, 'unchanged')
  rmSync(join(feeds, 'epss', nameOf('2026-11-17')))
  await fetchFeeds({ feeds, only: ['epss'], epssSince: '2026-11-17' }, effectsAt('2026-11-18'))
  assert.equal(readFileSync(join(feeds, 'epss', nameOf('2026-11-17'))), edition('2026-11-17'))
})

test('a page in place of an edition is a failure, and the others are fetched', async () => {
  const feeds = fresh()
  publisher.on(`${HOST}${nameOf('2026-11-18')}`, serve(gzipped('<html>')))
  const report = await fetchPast(feeds)
  assert.equal([report.feeds[1]!.status, report.partial], ['partial', 1])
  assert.match(failures(report)[0]!, nameOf('2026-11-18'))
  assert.not.ok(existsSync(join(feeds, 'epss', nameOf('2026-11-18'))))
  assert.ok(existsSync(join(feeds, 'epss', nameOf('2026-11-19'))))
})

test('at most four are downloaded at once', async () => {
  let now = 0
  let most = 0
  const four = Promise.withResolvers<void>()
  for (let day = 1; day <= 19; day++) {
    const date = `2026-11-${String(day).padStart(2, '0')}`
    publisher.on(`${HOST}${nameOf(date)}`, async (asked, res, send) => {
      most = Math.max(most, ++now)
      if (now === 4) four.resolve()
      await four.promise
      // A fifth one would arrive meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 20))
      now--
      await serve(edition(date))(asked, res, send)
    })
  }
  await fetchPast(fresh(), { epssSince: '2026-11-01' })
  assert.is(askedFor().length, 19)
  assert.is(most, 4)
})

test('a copy has them in its folder; the first day is that of the first edition', async () => {
  publisher.on('/copy/epss/epss_scores-2021-04-14.csv.gz', serve(gzipped('cve,epss\nCVE-2020-0001,0.1\n')))
  publisher.on('/copy/epss/', plain(Buffer.alloc(0)))
  publisher.on('/copy/fetch.json', status(404))
  publisher.on('/copy/epss/epss_scores-current.csv.gz', serve(edition('2021-04-16'), { etag: '"1"' }))
  const bases = addBaseUrl(`${publisher.url}/copy`, ['epss'], noBaseUrls)
  const feeds = fresh()
  const effects = { ...world.effects, now: () => new Date('2021-04-16T06:00:00Z') }
  await fetchFeeds({ feeds, only: ['epss'], epssSince: '1999-01-01', bases }, effects)
  assert.equal(readdirSync(join(feeds, 'epss')).sort(), [nameOf('2021-04-14'), nameOf('2021-04-16')])
  assert.ok(publisher.asked.every(({ path }) => !path.includes('2021-04-13')))
})

test.run()
