/**
 * nginx-feeds.conf with a real nginx, and a folder that `fetch` filled: the requests that DependencyCheck,
 * Dependency-Track, OpenCTI and osv-scanner make, according to their sources.
 */
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fetchFeeds } from '../../builder/fetch/fetch.ts'
import { gzipped, zipOf } from '../builder/fetch/downloading.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { type Nginx, startNginx } from '../support/nginx.ts'
import { openPublisher, openWorld, serve } from '../support/publisher.ts'

needs('nginx')

const EXAMPLE = readFileSync(join(import.meta.dirname, '../examples/nginx-feeds.conf'), 'utf8')
const folder = temporaryFolder('serve-feeds')
const test = suite('the feeds folder behind nginx')
const feeds = join(folder.path, 'feeds')
const publisher = await openPublisher()
const world = openWorld()

const YEARS = Array.from({ length: 25 }, (_, i) => String(2002 + i))
const MODIFIED = '2026-11-21T03:00:00-05:00'
const textOf = (name: string) => JSON.stringify({ format: 'NVD_CVE', part: name, vulnerabilities: [] })
for (const name of [...YEARS, 'modified']) {
  const text = textOf(name)
  const gz = gzipped(text)
  const meta = [
    `lastModifiedDate:${MODIFIED}`,
    `size:${text.length}`,
    `gzSize:${gz.length}`,
    `sha256:${hash('sha256', text).toUpperCase()}`,
    '',
  ].join('\r\n')
  const at = `/nvd.nist.gov/feeds/json/cve/2.0/nvdcve-2.0-${name}`
  publisher.on(`${at}.json.gz`, serve(gz, { etag: '"1"' }))
  publisher.on(`${at}.meta`, serve(Buffer.from(meta)))
}
const OSV = '/osv-vulnerabilities.storage.googleapis.com'
const ECOSYSTEMS = ['npm', 'GitHub Actions']
const IDS = '2026-11-21T10:00:00.123456Z,GHSA-1\n2026-11-20T10:00:00Z,GHSA-0\n'
const ZIP = zipOf('GHSA-1.json', '{"id":"GHSA-1"}')
publisher.on(`${OSV}/ecosystems.txt`, serve(Buffer.from(`${ECOSYSTEMS.join('\n')}\n`)))
for (const name of ECOSYSTEMS.map(encodeURIComponent)) {
  publisher.on(`${OSV}/${name}/modified_id.csv`, serve(Buffer.from(IDS)))
  publisher.on(`${OSV}/${name}/all.zip`, serve(ZIP))
}
const KEV = Buffer.from('{"catalogVersion":"2026.11.20","vulnerabilities":[]}')
const EUVD = Buffer.from('[{"euvdId":"EUVD-2026-1"}]')
const DAY = '2026-11-21'
const SCORES = gzipped(
  `#model_version:v2026.06.15,score_date:${DAY}T12:00:00Z\ncve,epss,percentile\nCVE-2024-1,0.1,0.5\n`,
)
publisher.on('/www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json', serve(KEV))
publisher.on('/euvdservices.enisa.europa.eu/api/kev/dump', serve(EUVD))
publisher.on('/epss.empiricalsecurity.com/epss_scores-current.csv.gz', serve(SCORES))
const effects: typeof world.effects = {
  ...world.effects,
  request: (url, headers) => world.effects.request(new URL(`/${url.host}${url.pathname}`, publisher.url), headers),
}
const report = await fetchFeeds({ feeds, only: ['nvd', 'osv', 'kev', 'euvd', 'epss'], ecosystems: ECOSYSTEMS }, effects)
assert.is(report.failed, 0)
mkdirSync(join(feeds, 'first-party'))
writeFileSync(join(feeds, 'first-party/reports.ndjson'), '{}\n')
writeFileSync(join(feeds, 'nvd/.nvdcve-2.0-2024.json.gz.partial'), 'half')

const nginx: Nginx & { url: string } = await startNginx(join(folder.path, 'nginx'), (port) => {
  const changed = EXAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`).replaceAll('/srv/feeds', feeds)
  assert.ok(
    changed.includes(`root ${feeds};`) &&
      changed.includes(`alias ${feeds}/nvd/`) &&
      changed.includes(`alias ${feeds}/current/`),
  )
  return `access_log off;\n${changed}`
}).then((started) => ({ ...started, url: `http://127.0.0.1:${started.port}` }))

test.after(async () => {
  await nginx.stop()
  await publisher.close()
  await world.close()
  folder.remove()
})

const ask = (path: string, init: RequestInit = {}) => fetch(`${nginx.url}${path}`, init)
async function bodyOf(path: string): Promise<Buffer> {
  const answer = await ask(path)
  assert.is(answer.status, 200, path)
  assert.is(answer.headers.get('content-encoding'), null, path)
  return Buffer.from(await answer.arrayBuffer())
}
/** The lines of a `.meta` file by their names. */
const fieldsOf = (meta: string) => new Map(meta.split('\r\n').map((line) => line.split(/:(.*)/s) as [string, string]))

test('DependencyCheck: no cache.properties, then every .meta, then the feeds that they describe', async () => {
  assert.is((await ask('/nvd/cache.properties')).status, 404)
  for (const name of ['modified', ...YEARS]) {
    const fields = fieldsOf((await bodyOf(`/nvd/nvdcve-2.0-${name}.meta`)).toString())
    assert.is(fields.get('lastModifiedDate'), MODIFIED)
    const gz = await bodyOf(`/nvd/nvdcve-2.0-${name}.json.gz`)
    assert.is(String(gz.length), fields.get('gzSize'))
    const text = gunzipSync(gz).toString()
    assert.equal([text, hash('sha256', text).toUpperCase()], [textOf(name), fields.get('sha256')])
  }
})

test("Dependency-Track: NVD's own path below the address, and OSV's export", async () => {
  for (const name of ['modified', ...YEARS]) {
    const at = `/feeds/json/cve/2.0/nvdcve-2.0-${name}`
    const fields = fieldsOf((await bodyOf(`${at}.meta`)).toString())
    const gz = await bodyOf(`${at}.json.gz`)
    assert.is(hash('sha256', gunzipSync(gz)).toUpperCase(), fields.get('sha256'))
  }
  for (const name of ECOSYSTEMS.map(encodeURIComponent)) {
    assert.equal(Object.keys(unzipSync(await bodyOf(`/osv/${name}/all.zip`))), ['GHSA-1.json'])
    const rows = (await bodyOf(`/osv/${name}/modified_id.csv`)).toString().trimEnd().split('\n')
    const times = rows.map((row) => Date.parse(row.split(',')[0]!))
    assert.equal(
      times,
      times.toSorted((a, b) => b - a),
    )
    // Incremental mirroring would ask for this file, which fetch does not keep.
    assert.is((await ask(`/osv/${name}/GHSA-1.json`)).status, 404)
  }
})

test("clients of OSV's export: its list, HEAD, conditional requests and ranges", async () => {
  assert.equal((await bodyOf('/osv/ecosystems.txt')).toString().trimEnd().split('\n'), ECOSYSTEMS)
  const head = await ask('/osv/GitHub%20Actions/all.zip', { method: 'HEAD' })
  const [etag, modified] = [head.headers.get('etag')!, head.headers.get('last-modified')!]
  assert.equal(
    [head.status, ...['content-length', 'content-type', 'cache-control'].map((name) => head.headers.get(name))],
    [200, String(ZIP.length), 'application/zip', 'no-cache'],
  )
  for (const headers of [{ 'if-none-match': etag }, { 'if-modified-since': modified }]) {
    assert.is((await ask('/osv/GitHub%20Actions/all.zip', { headers })).status, 304)
  }
  const part = await ask('/osv/npm/all.zip', { headers: { range: 'bytes=10-' } })
  assert.equal([part.status, Buffer.from(await part.arrayBuffer())], [206, ZIP.subarray(10)])
})

test('KEV and EPSS at the addresses of DependencyCheck, Dependency-Track and OpenCTI', async () => {
  const files: [string, Buffer, string][] = [
    ['/kev/known_exploited_vulnerabilities.json', KEV, 'application/json'],
    ['/euvd/euvd_kev.json', EUVD, 'application/json'],
    ['/epss/epss_scores-current.csv.gz', SCORES, 'application/gzip'],
    [`/epss/epss_scores-${DAY}.csv.gz`, SCORES, 'application/gzip'],
  ]
  for (const [path, bytes, type] of files) {
    assert.equal(await bodyOf(path), bytes)
    const { headers } = await ask(path, { method: 'HEAD' })
    assert.equal([headers.get('content-type'), headers.get('cache-control')], [type, 'no-cache'])
  }
  assert.is((await ask('/epss/epss_scores-2026-11-20.csv.gz')).status, 404)
})

test('nothing else is served', async () => {
  for (const path of [
    '/',
    '/fetch.json',
    '/fetch.lock',
    '/first-party/reports.ndjson',
    '/nvd/',
    '/kev/',
    '/epss/',
    '/current/epss_scores-current.csv.gz',
    '/nvd/.nvdcve-2.0-2024.json.gz.partial',
    '/feeds/json/cve/2.0/..%2f..%2ffetch.json',
    '/osv/..%2ffetch.json',
    '/osv/npm/',
  ]) {
    assert.is((await ask(path)).status, 404, path)
  }
})

test('osv-scanner: links below its folder lead to the files at the paths that it reads', () => {
  const database = join(folder.path, 'osv-db')
  mkdirSync(database)
  for (const name of ['osv-scanner', 'osv-scalibr']) {
    symlinkSync(join(feeds, 'osv'), join(database, name))
    for (const ecosystem of ECOSYSTEMS) assert.ok(existsSync(join(database, name, ecosystem, 'all.zip')))
  }
})

test.run()
