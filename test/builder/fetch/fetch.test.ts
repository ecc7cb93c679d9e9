/** Feeds from publishers and copies: the requests, the file paths, and that one failure stops no other feed. */
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addBaseUrl, noBaseUrls } from '../../../builder/fetch/bases.ts'
import { partialName } from '../../../builder/fetch/download.ts'
import { type FetchOptions, fetchFeeds } from '../../../builder/fetch/fetch.ts'
import { PUBLISHERS } from '../../../builder/fetch/publishers.ts'
import { failures, formatFetchReport } from '../../../builder/fetch/report.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { temporaryFolder } from '../../support/dist.ts'
import {
  cutAfter,
  openPublisher,
  openWorld,
  type Publisher,
  plain,
  redirect,
  serve,
  status,
  type World,
} from '../../support/publisher.ts'
import { gzipped, zipOf } from './downloading.ts'

const folder = temporaryFolder('fetch')
const test = suite('fetch')
const NAMES = PUBLISHERS.map(({ feed }) => feed)
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

/** Redirects requests for `https://host/path` to `/host/path` of the local publisher. */
const rerouted = (): NetworkEffects => ({
  ...world.effects,
  request: (url, headers) =>
    world.effects.request(new URL(`/${url.host}${url.pathname}${url.search}`, publisher.url), headers),
})
const toPublishers = (options: FetchOptions) => fetchFeeds(options, rerouted())
const fromCopy = (options: FetchOptions) =>
  fetchFeeds({ ...options, bases: addBaseUrl(`${publisher.url}/copy`, NAMES, noBaseUrls) }, world.effects)

/** Returns every file below a folder, except the lock. */
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'fetch.lock')
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort()

const KEV = Buffer.from('{"catalogVersion":"2026.11.20","vulnerabilities":[]}')
const EPSS = gzipped(
  '#model_version:v2026.06.15,score_date:2026-11-20T12:00:00Z\ncve,epss,percentile\nCVE-2024-1,0.1,0.5\n',
)
const CVE_ZIP = zipOf('cves/2024/1xxx/CVE-2024-1000.json', '{}')
const KEV_AT = '/www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json'
const EPSS_AT = '/epss.empiricalsecurity.com/epss_scores-current.csv.gz'
const RELEASES_AT = '/api.github.com/repos/CVEProject/cvelistV5/releases?per_page=5'

test('EPSS goes under the day that its first line states, wherever it was redirected to', async () => {
  publisher.on(EPSS_AT, redirect('https://epss.empiricalsecurity.com/epss_scores-2026-11-21.csv.gz'))
  publisher.on('/epss.empiricalsecurity.com/epss_scores-2026-11-21.csv.gz', serve(EPSS, { etag: '"1"' }))
  // The local publisher uses http, so the redirect takes the same route.
  const effects: NetworkEffects = {
    ...world.effects,
    request: (url, headers) =>
      world.effects.request(
        new URL(url.host === new URL(publisher.url).host ? url.pathname : `/${url.host}${url.pathname}`, publisher.url),
        headers,
      ),
  }
  const feeds = fresh()
  const report = await fetchFeeds({ feeds, only: ['epss'] }, effects)
  assert.is(report.feeds[0]!.status, 'fetched')
  assert.is(report.feeds[0]!.files[0]!.path, 'epss/epss_scores-2026-11-20.csv.gz')
  const current = 'current/epss_scores-current.csv.gz'
  assert.equal(filesIn(feeds), [current, 'epss/epss_scores-2026-11-20.csv.gz', 'fetch.json'])
  assert.equal(readFileSync(join(feeds, current)), EPSS)
  const again = await fetchFeeds({ feeds, only: ['epss'] }, effects)
  assert.is(again.feeds[0]!.status, 'unchanged')
  assert.is(again.received, 0)
})

test('the undated copy of EPSS is the newest edition in the folder', async () => {
  const feeds = fresh()
  mkdirSync(join(feeds, 'epss'), { recursive: true })
  for (const day of ['2026-11-22', '2026-11-19']) writeFileSync(join(feeds, `epss/epss_scores-${day}.csv.gz`), day)
  publisher.on(EPSS_AT, serve(EPSS))
  await toPublishers({ feeds, only: ['epss'] })
  assert.is(readFileSync(join(feeds, 'current/epss_scores-current.csv.gz'), 'utf8'), '2026-11-22')
})

const asset = (name: string, more: object = {}) => ({
  name,
  browser_download_url: `https://github.com/CVEProject/cvelistV5/releases/download/x/${name}`,
  state: 'uploaded',
  ...more,
})
const DAY = '2026-11-21_all_CVEs_at_midnight.zip.zip'
const DELTA = '2026-11-21_delta_CVEs_at_0600Z.zip'

test('of the CVE list the newest baseline is taken, and the newest delta since', async () => {
  const releases = [
    { draft: false, assets: [asset('2026-11-21_delta_CVEs_at_0700Z.zip', { state: 'starter' })] },
    { draft: false, assets: [asset(DAY, { size: CVE_ZIP.length }), asset(DELTA), asset('../../escaped_all_CVEs.zip')] },
    { draft: false, assets: [asset(DAY), asset('2026-11-21_delta_CVEs_at_0500Z.zip')] },
    { draft: false, assets: [asset('2026-11-20_all_CVEs_at_midnight.zip.zip')] },
    { draft: true, assets: [asset('2026-11-22_all_CVEs_at_midnight.zip.zip')] },
  ]
  publisher.on(RELEASES_AT, plain(Buffer.from(JSON.stringify(releases))))
  for (const name of [DAY, DELTA])
    publisher.on(`/github.com/CVEProject/cvelistV5/releases/download/x/${name}`, serve(CVE_ZIP))
  const feeds = fresh()
  const report = await toPublishers({ feeds, only: ['cvelist'] })
  assert.is(report.failed, 0)
  assert.equal(filesIn(feeds), [`cvelistv5/${DAY}`, `cvelistv5/${DELTA}`, 'fetch.json'])
})

test('a release with a known digest is not downloaded; another digest is', async () => {
  const sha256 = (await import('node:crypto')).hash('sha256', CVE_ZIP)
  publisher.on(
    RELEASES_AT,
    plain(Buffer.from(JSON.stringify([{ assets: [asset(DAY, { digest: `sha256:${sha256}` })] }]))),
  )
  const at = `/github.com/CVEProject/cvelistV5/releases/download/x/${DAY}`
  publisher.on(at, serve(CVE_ZIP))
  const feeds = fresh()
  await toPublishers({ feeds, only: ['cvelist'] })
  const again = await toPublishers({ feeds, only: ['cvelist'] })
  assert.is(again.feeds[0]!.status, 'unchanged')
  assert.is(publisher.asked.filter(({ path }) => path === at).length, 1)
  publisher.on(
    RELEASES_AT,
    plain(Buffer.from(JSON.stringify([{ assets: [asset(DAY, { digest: `sha256:${'0'.repeat(64)}` })] }]))),
  )
  assert.is((await toPublishers({ feeds, only: ['cvelist'] })).failed, 1)
  assert.ok(existsSync(join(feeds, 'cvelistv5', DAY)), 'what was there stays')
})

test('the token goes to the list of releases and nowhere else', async () => {
  publisher.on(RELEASES_AT, plain(Buffer.from(JSON.stringify([{ assets: [asset(DAY)] }]))))
  publisher.on(`/github.com/CVEProject/cvelistV5/releases/download/x/${DAY}`, serve(CVE_ZIP))
  publisher.on(KEV_AT, serve(KEV))
  await toPublishers({ feeds: fresh(), only: ['cvelist', 'kev'], githubToken: 'secret' })
  const given = publisher.asked.map(({ path, headers }) => [path, headers.authorization])
  assert.equal(
    given.filter(([, authorization]) => authorization !== undefined),
    [[RELEASES_AT, 'Bearer secret']],
  )
  assert.is(given.length, 3)
})

test('a redirect takes the token to no other origin, and never from https to http', async () => {
  publisher.on(RELEASES_AT, redirect('https://elsewhere.example/releases'))
  publisher.on('/elsewhere.example/releases', plain(Buffer.from('[]')))
  publisher.on(KEV_AT, redirect('http://www.cisa.gov/kev.json'))
  const report = await toPublishers({ feeds: fresh(), only: ['cvelist', 'kev'], githubToken: 'secret' })
  const elsewhere = publisher.asked.filter(({ path }) => path === '/elsewhere.example/releases')
  assert.equal(
    elsewhere.map(({ headers }) => headers.authorization),
    [undefined],
  )
  assert.equal(failures(report), [
    'kev/known_exploited_vulnerabilities.json: redirected from https to http://www.cisa.gov',
    'CVE list: no release has a file *_all_CVEs_at_midnight.zip',
  ])
})

test('NVD: each year and what changed lately, held against its .meta; this year may not be there yet', async () => {
  const text = '{"format":"NVD_CVE","vulnerabilities":[]}'
  const gz = gzipped(text)
  const sha256 = (await import('node:crypto')).hash('sha256', text).toUpperCase()
  const at = '/nvd.nist.gov/feeds/json/cve/2.0/nvdcve-2.0-'
  const meta = (digest: string) =>
    plain(Buffer.from(`size:${text.length}\r\ngzSize:${gz.length}\r\nsha256:${digest}\r\n`))
  for (let year = 2002; year <= 2025; year++) publisher.on(`${at}${year}.json.gz`, serve(gz))
  publisher.on(`${at}modified.json.gz`, serve(gz))
  publisher.on(`${at}2002.meta`, meta(sha256))
  publisher.on(`${at}2003.meta`, meta('F'.repeat(64)))
  const feeds = fresh()
  const report = await toPublishers({ feeds, only: ['nvd'] })
  const outcome = (name: string) =>
    report.feeds[0]!.files.find(({ path }) => path === `nvd/nvdcve-2.0-${name}.json.gz`)!
  assert.is(report.feeds[0]!.files.length, 26)
  assert.is(outcome('2002').status, 'fetched')
  assert.is(outcome('2003').status, 'failed')
  assert.match(
    outcome('2003').error!.message,
    /^the SHA-256 of its text is [0-9a-f]{64}, but its \.meta file states f{64}$/,
  )
  assert.is(outcome('2004').status, 'fetched')
  assert.is(outcome('2026').status, 'missing')
  assert.is(outcome('modified').status, 'fetched')
  assert.is(report.feeds[0]!.status, 'partial')
  assert.equal(failures(report), [`nvd/nvdcve-2.0-2003.json.gz: ${outcome('2003').error!.message} (3 attempts)`])
})

test('a host that cannot be reached costs the retries of one file', async () => {
  const asked: string[] = []
  let isBack = false
  const effects: NetworkEffects = {
    ...world.effects,
    request: async (url, headers) => {
      asked.push(url.pathname.split('/').at(-1)!)
      if (!isBack) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return world.effects.request(new URL('/nothing', publisher.url), headers)
    },
  }
  const report = await fetchFeeds({ feeds: fresh(), only: ['nvd'] }, effects)
  const attempts = report.feeds[0]!.files.map((file) => file.attempts)
  assert.ok(attempts.length > 20)
  assert.equal(attempts, [6, ...attempts.slice(1).map(() => 1)])
  assert.is(asked.length, attempts.length + 5)

  // An answer, even a bad one, ends this.
  asked.length = 0
  const flaky: NetworkEffects = {
    ...effects,
    request: (url, headers) => {
      isBack = url.pathname.includes('2003')
      return effects.request(url, headers)
    },
  }
  const second = await fetchFeeds({ feeds: fresh(), only: ['nvd'] }, flaky)
  assert.equal(
    second.feeds[0]!.files.slice(0, 4).map((file) => file.attempts),
    [6, 1, 6, 1],
  )
})

test('OSV: the ecosystems that were chosen, or all that it lists, parts of one apart', async () => {
  const at = '/osv-vulnerabilities.storage.googleapis.com'
  publisher.on(`${at}/ecosystems.txt`, plain(Buffer.from('Debian\nDebian:12\nGitHub Actions\n../evil\n[EMPTY]\n')))
  const zip = zipOf('GO-1.json', '{}')
  for (const name of ['Debian', 'GitHub%20Actions', 'Go']) publisher.on(`${at}/${name}/all.zip`, serve(zip))
  const chosen = fresh()
  assert.is((await toPublishers({ feeds: chosen, only: ['osv'], ecosystems: ['Go'] })).failed, 0)
  assert.equal(filesIn(chosen), ['fetch.json', 'osv/Go/all.zip', 'osv/ecosystems.txt'])
  const all = fresh()
  assert.is((await toPublishers({ feeds: all, only: ['osv'], ecosystems: ['all'] })).failed, 0)
  assert.equal(filesIn(all), ['fetch.json', 'osv/Debian/all.zip', 'osv/GitHub Actions/all.zip', 'osv/ecosystems.txt'])
})

test('OSV: an ecosystem that is missing does not fail the others, and its last file stays with its age', async () => {
  const at = '/osv-vulnerabilities.storage.googleapis.com'
  const zip = zipOf('GO-1.json', '{}')
  publisher.on(`${at}/ecosystems.txt`, plain(Buffer.from('Go\nJulia\n')))
  publisher.on(`${at}/Go/all.zip`, serve(zip), serve(zipOf('GO-2.json', '{}')))
  publisher.on(`${at}/Julia/all.zip`, serve(zip, { lastModified: 'Tue, 17 Nov 2026 06:30:00 GMT' }), status(404))
  const options = { feeds: fresh(), only: ['osv'] as const, ecosystems: ['Go', 'Hackage', 'Julia'] }
  await toPublishers(options)
  const report = await toPublishers(options)
  assert.equal([report.feeds[0]!.status, report.failed, report.partial], ['partial', 0, 1])
  assert.equal(failures(report), [
    'osv/Hackage/all.zip: the server answers 404',
    'osv/Julia/all.zip: the server answers 404; the file of 2026-11-17 stays, 4 days old',
  ])
  assert.is(
    formatFetchReport(report).split('\n')[0],
    'OSV                2 files fetched (0.0 MB), 3 files not published, 2 files failed',
  )
  publisher.on(`${at}/Go/all.zip`, status(500))
  publisher.on(`${at}/ecosystems.txt`, status(404))
  assert.equal((await toPublishers(options)).failed, 1, 'no file is there')
})

test('the default ecosystems include Julia', async () => {
  const asked = PUBLISHERS.find(({ feed }) => feed === 'osv')!.files({ today: '2026-11-21', ecosystems: null })
  assert.ok(Array.isArray(asked) && asked.some(({ name }) => name === 'Julia/all.zip'))
})

const IDS = Buffer.from('2026-11-21T10:00:00.5Z,GO-1\n2026-11-20T10:00:00Z,GO-0\n')

test('OSV: the list of changes comes before the records; both are conditional, and it resumes', async () => {
  const at = '/osv-vulnerabilities.storage.googleapis.com'
  publisher.on(`${at}/ecosystems.txt`, serve(Buffer.from('Go\n'), { etag: '"e"' }))
  publisher.on(`${at}/Go/modified_id.csv`, cutAfter(30, IDS, { etag: '"c"' }), serve(IDS, { etag: '"c"' }))
  publisher.on(`${at}/Go/all.zip`, serve(zipOf('GO-1.json', '{}'), { etag: '"z"' }))
  const feeds = fresh()
  const report = await toPublishers({ feeds, only: ['osv'], ecosystems: ['Go'] })
  assert.equal(
    [report.failed, report.feeds[0]!.files.map(({ status }) => status)],
    [0, ['fetched', 'fetched', 'fetched']],
  )
  assert.equal(readFileSync(join(feeds, 'osv/Go/modified_id.csv')), IDS)
  const asked = publisher.asked.map(({ path, headers }) => [path.slice(at.length), headers.range ?? null])
  assert.equal(asked, [
    ['/ecosystems.txt', null],
    ['/Go/modified_id.csv', null],
    ['/Go/modified_id.csv', 'bytes=30-'],
    ['/Go/all.zip', null],
  ])
  const again = await toPublishers({ feeds, only: ['osv'], ecosystems: ['Go'] })
  assert.equal([again.feeds[0]!.status, again.received], ['unchanged', 0])
})

test('OSV: a page that is no list of changes is rejected, and the old list stays', async () => {
  const at = '/osv-vulnerabilities.storage.googleapis.com'
  publisher.on(`${at}/Go/modified_id.csv`, serve(IDS))
  publisher.on(`${at}/Go/all.zip`, serve(zipOf('GO-1.json', '{}')))
  const feeds = fresh()
  await toPublishers({ feeds, only: ['osv'], ecosystems: ['Go'] })
  publisher.on(`${at}/Go/modified_id.csv`, serve(Buffer.from('Service unavailable\n')))
  const report = await toPublishers({ feeds, only: ['osv'], ecosystems: ['Go'] })
  assert.match(failures(report)[0]!, /^osv\/Go\/modified_id\.csv: it does not look like osv\/Go\/modified_id\.csv: /)
  assert.equal(readFileSync(join(feeds, 'osv/Go/modified_id.csv')), IDS)
})

const NVD_AT = '/nvd.nist.gov/feeds/json/cve/2.0/nvdcve-2.0-'
/** The feeds of a year in which NVD had few. */
const NVD_NAMES = ['2002', '2003', 'modified']
const in2003 = (options: FetchOptions) =>
  fetchFeeds(options, { ...rerouted(), now: () => new Date('2003-06-01T00:00:00Z') })

/** Publishes an edition of every NVD feed; returns the `.meta` and the compressed feed. */
function publishNvd(edition: string, metaOf = nvdMeta): { meta: string; gz: Buffer } {
  const text = JSON.stringify({ format: 'NVD_CVE', timestamp: edition, vulnerabilities: [] })
  const gz = gzipped(text)
  const meta = metaOf(text, gz)
  for (const name of NVD_NAMES) {
    publisher.on(`${NVD_AT}${name}.json.gz`, serve(gz, { etag: `"${edition}"` }))
    publisher.on(`${NVD_AT}${name}.meta`, plain(Buffer.from(meta)))
  }
  return { meta, gz }
}

const nvdMeta = (text: string, gz: Buffer) =>
  [
    'lastModifiedDate:2026-11-21T03:00:00-05:00',
    `size:${text.length}`,
    `zipSize:${gz.length + 100}`,
    `gzSize:${gz.length}`,
    `sha256:${hash('sha256', text).toUpperCase()}`,
    '',
  ].join('\r\n')

test('NVD: the .meta that described a feed is kept, byte for byte, and is requested with it only', async () => {
  const feeds = fresh()
  const { meta, gz } = publishNvd('1')
  assert.is((await in2003({ feeds, only: ['nvd'] })).failed, 0)
  const names = NVD_NAMES.flatMap((name) => [`nvd/nvdcve-2.0-${name}.json.gz`, `nvd/nvdcve-2.0-${name}.meta`])
  assert.equal(filesIn(feeds), ['fetch.json', ...names].sort())
  for (const name of names) {
    assert.equal(readFileSync(join(feeds, name)), name.endsWith('.meta') ? Buffer.from(meta) : gz)
  }
  publisher.asked.length = 0
  assert.is((await in2003({ feeds, only: ['nvd'] })).feeds[0]!.status, 'unchanged')
  assert.not.ok(publisher.asked.some(({ path }) => path.endsWith('.meta')))
  const next = publishNvd('2')
  await in2003({ feeds, only: ['nvd'] })
  assert.is(readFileSync(join(feeds, 'nvd/nvdcve-2.0-2003.meta'), 'utf8'), next.meta)
})

test('NVD: a folder without the .meta files gets them, and one that describes a newer feed brings that feed', async () => {
  const feeds = fresh()
  const { meta } = publishNvd('1')
  await in2003({ feeds, only: ['nvd'] })
  const path = join(feeds, 'nvd/nvdcve-2.0-2003.meta')
  rmSync(path)
  publisher.asked.length = 0
  assert.is((await in2003({ feeds, only: ['nvd'] })).feeds[0]!.status, 'unchanged')
  assert.is(readFileSync(path, 'utf8'), meta)
  assert.is(publisher.asked.filter(({ path }) => path.endsWith('.meta')).length, 1)
  // NVD publishes between the two requests: the feed is unchanged, its .meta is new.
  rmSync(path)
  const next = publishNvd('2')
  publisher.on(`${NVD_AT}2003.json.gz`, status(304), serve(next.gz, { etag: '"2"' }))
  assert.is((await in2003({ feeds, only: ['nvd'] })).failed, 0)
  assert.equal(readFileSync(join(feeds, 'nvd/nvdcve-2.0-2003.json.gz')), next.gz)
  assert.is(readFileSync(path, 'utf8'), next.meta)
})

test('NVD: without a .meta, or with another page instead, the old one goes with the old feed', async () => {
  const feeds = fresh()
  publishNvd('1')
  await in2003({ feeds, only: ['nvd'] })
  publishNvd('2', () => '<html>maintenance</html>')
  publisher.on(`${NVD_AT}2002.meta`, status(404))
  assert.is((await in2003({ feeds, only: ['nvd'] })).failed, 0)
  assert.equal(filesIn(feeds), ['fetch.json', ...NVD_NAMES.map((name) => `nvd/nvdcve-2.0-${name}.json.gz`)].sort())
})

test('a feed that fails does not keep the others away, and the report says both', async () => {
  publisher.on(KEV_AT, serve(KEV))
  publisher.on(EPSS_AT, status(500))
  publisher.on(RELEASES_AT, status(404))
  const feeds = fresh()
  const report = await toPublishers({ feeds, only: ['kev', 'epss', 'cvelist'] })
  assert.equal(
    report.feeds.map(({ feed, status }) => [feed, status]),
    [
      ['kev', 'fetched'],
      ['epss', 'failed'],
      ['cvelist', 'failed'],
    ],
  )
  assert.is(report.failed, 2)
  assert.equal(failures(report), [
    'epss/epss_scores-current.csv.gz: the server answers 500 (6 attempts)',
    'CVE list: the server answers 404',
  ])
  assert.is(
    formatFetchReport(report),
    [
      'KEV                1 file fetched (0.0 MB)',
      'EPSS               1 file failed',
      'CVE list           failed',
      '0.0 MB downloaded in 0.0 s',
    ].join('\n'),
  )
})

/** Publishes a folder under `/copy`, as a static host does; folders have no index. */
function activate(feeds: string): void {
  for (const name of filesIn(feeds)) {
    publisher.on(`/copy/${name.split('/').map(encodeURIComponent).join('/')}`, serve(readFileSync(join(feeds, name))))
  }
}

test('a folder that fetch has filled is a copy: its fetch.json names every file, and each is checked', async () => {
  publisher.on(KEV_AT, serve(KEV))
  publisher.on(EPSS_AT, serve(EPSS))
  const origin = fresh()
  await toPublishers({ feeds: origin, only: ['kev', 'epss'] })
  activate(origin)
  const feeds = fresh()
  const report = await fromCopy({ feeds, only: ['kev', 'epss'] })
  assert.is(report.failed, 0)
  assert.equal(filesIn(feeds), filesIn(origin))
  publisher.asked.length = 0
  assert.is((await fromCopy({ feeds, only: ['kev', 'epss'] })).received, 0)
  assert.equal(
    publisher.asked.map(({ path }) => path),
    ['/copy/fetch.json'],
    'digests say that nothing is new',
  )
  // A damaged copy is detected.
  publisher.on(
    '/copy/kev/known_exploited_vulnerabilities.json',
    serve(Buffer.from(KEV.toString().replace('20"', '21"'))),
  )
  const other = await fromCopy({ feeds: fresh(), only: ['kev'] })
  assert.match(
    failures(other)[0]!,
    /^kev\/known_exploited_vulnerabilities\.json: its sha256 is .* but the list states /,
  )
})

test('a copy has the .meta files and the lists of changes too', async () => {
  publishNvd('1')
  const at = '/osv-vulnerabilities.storage.googleapis.com'
  publisher.on(`${at}/ecosystems.txt`, serve(Buffer.from('Go\nnpm\n')))
  publisher.on(`${at}/Go/modified_id.csv`, serve(IDS))
  publisher.on(`${at}/Go/all.zip`, serve(zipOf('GO-1.json', '{}')))
  const [origin, feeds] = [fresh(), fresh()]
  await in2003({ feeds: origin, only: ['nvd', 'osv'], ecosystems: ['Go'] })
  activate(origin)
  const report = await fromCopy({ feeds, only: ['nvd', 'osv'], ecosystems: ['Go'] })
  assert.equal(failures(report), [])
  assert.equal(filesIn(feeds), filesIn(origin))
  for (const name of ['nvd/nvdcve-2.0-2003.meta', 'osv/Go/modified_id.csv', 'osv/ecosystems.txt']) {
    assert.equal(readFileSync(join(feeds, name)), readFileSync(join(origin, name)))
  }
})

test('a copy without .meta files leaves none of an earlier edition', async () => {
  const feeds = fresh()
  publishNvd('1')
  await in2003({ feeds, only: ['nvd'] })
  const { gz } = publishNvd('2')
  publisher.on('/copy/nvd/', plain(Buffer.from('<a href="nvdcve-2.0-2003.json.gz">x</a>')))
  publisher.on('/copy/nvd/nvdcve-2.0-2003.json.gz', serve(gz))
  assert.equal(failures(await fromCopy({ feeds, only: ['nvd'] })), [])
  assert.not.ok(existsSync(join(feeds, 'nvd/nvdcve-2.0-2003.meta')))
})

test("a copy without fetch.json is read by its host's index pages", async () => {
  publisher.on('/copy/fetch.json', status(403))
  const index = (...names: string[]) =>
    plain(Buffer.from(`<html><a href="../">up</a>${names.map((name) => `<a href='${name}'>x</a>`).join('')}</html>`))
  publisher.on(
    '/copy/cvelistv5/',
    index('2026-11-20_all_CVEs.zip', '2026-11-19_all_CVEs.zip', 'notes.txt', '/etc/passwd'),
  )
  publisher.on('/copy/cvelistv5/2026-11-20_all_CVEs.zip', serve(CVE_ZIP))
  publisher.on('/copy/epss/', index('epss_scores-2026-11-19.csv.gz', 'epss_scores-2026-11-20.csv.gz?C=M&amp;O=A'))
  publisher.on('/copy/epss/epss_scores-2026-11-20.csv.gz', serve(EPSS))
  publisher.on('/copy/osv/', index('Go/', '%2e%2e%2f/', 'all.zip'))
  publisher.on('/copy/osv/Go/all.zip', serve(CVE_ZIP))
  const page = serve(Buffer.from('{"format":"NVD_CVE","vulnerabilities":[]}'))
  publisher.on('/copy/nvd/', index('nvd-api-2.0-page-2023-10-18.json', 'nvdcpe-2.0.json', 'nvdcve-2.0-2023.meta'))
  publisher.on('/copy/nvd/nvd-api-2.0-page-2023-10-18.json', page)
  const feeds = fresh()
  const report = await fromCopy({ feeds, only: ['cvelist', 'epss', 'nvd', 'osv'] })
  assert.equal(failures(report), [])
  assert.equal(filesIn(feeds), [
    'current/epss_scores-current.csv.gz',
    'cvelistv5/2026-11-20_all_CVEs.zip',
    'epss/epss_scores-2026-11-20.csv.gz',
    'fetch.json',
    'nvd/nvd-api-2.0-page-2023-10-18.json',
    'osv/Go/all.zip',
  ])
})

test('a copy that says nothing of itself is asked for the names it must have; dated names are unknown', async () => {
  publisher.on('/copy/kev/known_exploited_vulnerabilities.json', serve(KEV))
  const report = await fromCopy({ feeds: fresh(), only: ['kev', 'cvelist'] })
  assert.is(report.feeds[0]!.status, 'fetched')
  assert.equal(failures(report), [
    `CVE list: cannot list the files of cvelistv5/: ${publisher.url}/copy/ has neither fetch.json nor a folder index`,
  ])
})

test('one feed alone may come from a copy, with a name and password that no report shows', async () => {
  publisher.on(EPSS_AT, serve(EPSS))
  publisher.on('/in-house/kev/known_exploited_vulnerabilities.json', serve(KEV))
  const local = new URL(publisher.url)
  const address = `kev=http://me:p%40ss@${local.host}/in-house`
  const effects: NetworkEffects = {
    ...world.effects,
    request: (url, headers) =>
      url.host === local.host ? world.effects.request(url, headers) : rerouted().request(url, headers),
  }
  const feeds = fresh()
  const report = await fetchFeeds(
    { feeds, only: ['kev', 'epss'], bases: addBaseUrl(address, NAMES, noBaseUrls) },
    effects,
  )
  assert.is(report.failed, 0)
  const authorizations = publisher.asked.map(({ path, headers }) => [path.split('/')[1], headers.authorization])
  const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
  for (const [where, authorization] of authorizations) {
    assert.is(authorization, where === 'in-house' ? basic : undefined)
  }
  assert.not.match(JSON.stringify(report), /p%40ss|p@ss/)
  assert.not.match(readFileSync(join(feeds, 'fetch.json'), 'utf8'), /p%40ss|p@ss/)
})

test('invalid addresses and unknown feeds are reported', () => {
  const wrong = (text: string, message: RegExp) =>
    assert.throws(
      () => addBaseUrl(text, NAMES, noBaseUrls),
      (error: unknown) => error instanceof TypeError && message.test(error.message),
    )
  wrong('ftp://host/feeds', /invalid address 'ftp:\/\/host\/feeds'; use an http or https URL/)
  wrong('kev', /invalid address 'kev'; use an http or https URL/)
  wrong('kve=https://host', /unknown feed 'kve'; use one of kev, /)
  assert.is(addBaseUrl('https://host/feeds?x=1', NAMES, noBaseUrls).all!.href, 'https://host/feeds/')
})

test('what the last run left half-way of a name that is gone is cleared away', async () => {
  const feeds = fresh()
  const gone = 'cvelistv5/2026-11-20_all_CVEs_at_midnight.zip.zip'
  mkdirSync(join(feeds, 'cvelistv5'), { recursive: true })
  writeFileSync(join(feeds, partialName(gone)), 'half')
  const partials = { [gone]: { url: 'https://github.com/x', etag: '"1"', lastModified: null } }
  writeFileSync(join(feeds, 'fetch.json'), JSON.stringify({ version: 1, files: {}, partials }))
  publisher.on(RELEASES_AT, plain(Buffer.from(JSON.stringify([{ assets: [asset(DAY)] }]))))
  publisher.on(`/github.com/CVEProject/cvelistV5/releases/download/x/${DAY}`, serve(CVE_ZIP))
  await toPublishers({ feeds, only: ['cvelist'] })
  assert.equal(filesIn(feeds), [`cvelistv5/${DAY}`, 'fetch.json'])
  assert.equal(JSON.parse(readFileSync(join(feeds, 'fetch.json'), 'utf8')).partials, {})
})

test('a damaged fetch.json costs a download, no more', async () => {
  publisher.on(KEV_AT, serve(KEV))
  const feeds = fresh()
  mkdirSync(feeds)
  writeFileSync(join(feeds, 'fetch.json'), '{"version":1,"files":')
  assert.is((await toPublishers({ feeds, only: ['kev'] })).failed, 0)
  assert.ok(world.log.includes('fetch.json is damaged or has another format; downloading all files again'))
  assert.is((await toPublishers({ feeds, only: ['kev'] })).failed, 0)
})

test('two fetches do not write to one folder', async () => {
  const feeds = fresh()
  publisher.on(KEV_AT, async (_asked, res, send) => {
    const second = await toPublishers({ feeds, only: ['kev'] }).catch((error: Error) => error)
    assert.instance(second, Error)
    assert.match((second as Error).message, /^another fetch is writing to /)
    res.writeHead(200)
    await send(KEV)
    res.end()
  })
  assert.is((await toPublishers({ feeds, only: ['kev'] })).failed, 0)
})

test('every published feed has an adapter, which finds its file and not the half of one', async () => {
  for (const { feed, folder, files } of PUBLISHERS) {
    const adapter = FEEDS.find(({ name }) => name === feed)
    assert.ok(adapter, `${feed} has no adapter`)
    const own = files({ today: '2026-11-21', ecosystems: null })
    const names = Array.isArray(own) ? own.map(({ name }) => name) : [DAY, DELTA]
    const feeds = fresh()
    for (const name of names) {
      const half = join(feeds, partialName(`${folder}/${name}`))
      mkdirSync(dirname(half), { recursive: true })
      writeFileSync(half, 'half of it')
    }
    assert.equal(await adapter.find(feeds), [], `${feed} takes a half for a file`)
  }
})

test.run()
