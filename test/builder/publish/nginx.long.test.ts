/** The nginx configuration of the README, unchanged: mirrors read the published files through it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { manifestName, objectName, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { mirror } from '../../../gateway/mirror/mirror.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { needs } from '../../support/needs.ts'
import { type Nginx, startNginx } from '../../support/nginx.ts'
import { openWorld } from '../../support/publisher.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { ownSample } from '../../support/samples.ts'

needs('nginx')

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../../gateway/deploy/nginx-mirror.conf'), 'utf8')
const folder = temporaryFolder('publish-nginx')
const test = suite('a published folder behind nginx')
const root = join(folder.path, 'published')
const world = openWorld()
test.after(async () => {
  await world.close()
  folder.remove()
})

/** Returns the example with another port and folder only. */
function exampleAt(port: number): string {
  const changed = EXAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`).replace(
    'root /srv/vulnshelf;',
    `root ${root};`,
  )
  assert.ok(changed.includes(root) && changed.includes(`:${port};`))
  return `access_log ${join(folder.path, 'access.log')};\n${changed}`
}

async function withNginx(work: (nginx: Nginx & { url: string }) => Promise<void>): Promise<void> {
  const nginx = await startNginx(join(folder.path, 'nginx'), exampleAt)
  try {
    await work({ ...nginx, url: `http://127.0.0.1:${nginx.port}/` })
  } finally {
    await nginx.stop()
  }
}

const { dist, feeds, corpus, nights } = await ownSample('small', folder.path)
const largestOf = (of: string) => readCurrent(of).manifest.files.toSorted((a, b) => b.size - a.size)[0] as FileEntry

test('mirrors are copies of what was published, night after night, and go on where they were ended', () =>
  withNginx(async ({ url }) => {
    await publish({ dist, to: root }, world.effects, noProgress)
    const copy = join(folder.path, 'copy')
    const ended = new AbortController()
    const run = (options = {}) =>
      mirror(openSource(url, world.effects), { dist: copy, keys: null, ...options }, world.effects, noProgress)
    // Stops in the middle of the first and largest file.
    const slow = { ...world.effects, sleep: async () => ended.abort(new Error('ended')) }
    const broken = await mirror(
      openSource(url, slow),
      { dist: copy, keys: null, parallel: 1, maxRate: 1, signal: ended.signal },
      slow,
      noProgress,
    ).catch((reason: unknown) => reason)
    assert.is((broken as Error).message, 'ended')
    const report = await run()
    assert.equal(filesOf(copy), currentFilesOf(dist))
    assert.ok(report.received < report.fetched.bytes, 'what had come was not fetched again')

    await ingestAndBuild({ feeds, corpus, dist, asOf: nights[1]! })
    await publish({ dist, to: root }, world.effects, noProgress)
    const next = await run()
    assert.ok(next.made.files > 0)
    assert.equal(currentFilesOf(copy), currentFilesOf(dist))
    assert.equal((await verify(copy)).faults, [])
  }))

test('it says what caches may do, gives ranges, compresses for browsers, and hands out nothing else', () =>
  withNginx(async ({ url }) => {
    await publish({ dist, to: root, site: new URL(url) }, world.effects, noProgress)
    const { pointer } = readCurrent(root)
    const { sha256, size } = largestOf(root)
    const immutable = 'public, max-age=31536000, immutable'
    for (const [path, type, caching, encoding] of [
      ['latest.json', 'application/json', 'no-cache', null],
      [manifestName(pointer.manifest.sha256), 'application/json', immutable, 'gzip'],
      [objectName(sha256), 'application/octet-stream', immutable, 'gzip'],
      ['kev.atom', 'application/atom+xml', 'no-cache', null],
      ['changes.atom', 'application/atom+xml', 'no-cache', null],
    ] as const) {
      const { status, headers } = await fetch(url + path, { headers: { 'accept-encoding': 'gzip' } })
      assert.equal(
        [status, ...['content-type', 'cache-control', 'content-encoding'].map((name) => headers.get(name))],
        [200, type, caching, encoding],
      )
    }
    const part = await fetch(url + objectName(sha256), {
      headers: { range: 'bytes=10-', 'accept-encoding': 'identity' },
    })
    assert.equal([part.status, part.headers.get('content-range')], [206, `bytes 10-${size - 1}/${size}`])
    await publish({ dist, to: root, site: new URL(url), records: true }, world.effects, noProgress)
    const name = readdirSync(join(root, 'cves')).find((one) => one.startsWith('CVE-'))!
    const stored = readFileSync(join(root, 'cves', name))
    for (const accepted of ['gzip', 'identity']) {
      const answer = await request(`${url}cves/${name.replace('.gz', '')}`, {
        headers: { 'accept-encoding': accepted },
      })
      const body = Buffer.from(await answer.body.arrayBuffer())
      assert.equal(
        [answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']],
        [200, 'application/json', 'no-cache'],
      )
      assert.is(answer.headers['content-encoding'], accepted === 'gzip' ? 'gzip' : undefined)
      assert.equal(body, accepted === 'gzip' ? stored : gunzipSync(stored))
    }
    assert.is((await fetch(`${url}cves/CVE-1999-99999.json`)).status, 404)
    for (const path of ['lock', 'cves/', 'tmp/x', '', 'objects/../lock'])
      assert.is((await fetch(url + path)).status, 404)
  }))

test.run()
