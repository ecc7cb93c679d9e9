/** `vulnshelf nightly` as an operator runs it: exit codes, output, environment, and killed at moments of its whole run. */
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dayOf } from '../../corpus/model/values/date.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { temporaryFolder } from '../support/dist.ts'
import { currentFilesOf } from '../support/repository-files.ts'
import { ownSample } from '../support/samples.ts'
import { serveFolder } from '../support/web-folder.ts'
import { done, endAll, failed, start, vulnshelf } from './command.ts'

/** `test/builder/nightly.test.ts` ends a night around each step that changes a pointer. */
const KILLS = 4
const folder = temporaryFolder('nightly-command')
const at = (name: string) => join(folder.path, name)
/** Yesterday is ingested and built. The feeds have the files of today too. */
const yesterday = await ownSample('small', folder.path)
const KEV = 'kev/known_exploited_vulnerabilities.json'
const web = await serveFolder(at('feeds'))
web.fault = ({ path }) => (path.endsWith('/') || path === 'fetch.json' ? { kind: 'status', code: 404 } : null)
const ENV = { no_proxy: '127.0.0.1', VULNSHELF_JOBS: '1' }

/** Returns a copy of yesterday, whose KEV must be fetched, and the arguments of its night. */
function copy(name: string) {
  const to = (part: string) => at(`${name}-${part}`)
  const paths = { feeds: to('feeds'), corpus: to('corpus.db'), dist: to('dist') }
  for (const part of ['feeds', 'corpus', 'dist'] as const) cpSync(yesterday[part], paths[part], { recursive: true })
  rmSync(join(paths.feeds, KEV))
  const [target, report] = [to('target'), to('report.json')]
  const own = ['--corpus', paths.corpus, '--out', paths.dist, '--publish', target, '--report', report]
  const args = ['nightly', paths.feeds, ...own, '--base-url', web.url, '--only', 'kev']
  return { ...paths, target, report, args }
}

const idOf = (dist: string) => readCurrent(dist).pointer.snapshot

test('a night in words and as JSON; the second one has nothing to do', async () => {
  const { args, report, dist, target } = copy('whole')
  const words = done(await vulnshelf(args, { env: ENV }))
  assert.match(words, /^(?:warning: .*\n)*fetch {4}done /)
  assert.match(words, /^warning: KEV: [\d,]+ days old, the newest edition is of /, 'the feeds are of an earlier day')
  assert.match(words, /\nprune {4}done .* kept 2 snapshots/)
  assert.match(words, /\nnight of \S+ done in [\d.]+ s; snapshot [0-9a-f]{12} is current\n$/)
  assert.is(idOf(target), idOf(dist))
  const json = JSON.parse(done(await vulnshelf([...args, '--json'], { env: ENV })))
  assert.equal(json, JSON.parse(readFileSync(report, 'utf8')))
  assert.equal([json.state, json.after], ['done', json.before])
  const one = done(await vulnshelf([...args, '--skip-fetch'], { env: { ...ENV, VULNSHELF_NIGHTLY_KEEP_LAST: '1' } }))
  assert.match(one, /^fetch {4}skipped .*\n(?:.*\n)*prune {4}done .* kept 1 snapshot;/m)
  const daily = copy('daily')
  const kept = done(await vulnshelf([...daily.args, '--keep-daily', '7', '--keep-yearly', 'unlimited'], { env: ENV }))
  // The tests can run across midnight.
  const [before, after] = [yesterday.dist, daily.dist].map((dist) => dayOf(readCurrent(dist).pointer.created_at))
  const prune = before === after ? 'kept 1 snapshot; removed 1 snapshot ' : 'kept 2 snapshots'
  assert.match(kept, new RegExp(`\\nprune {4}done .* ${prune}`), `built ${before} and ${after}`)
})

test('a fault gives exit code 1, a report and one line; wrong usage gives exit code 2 and no report', async () => {
  const { args, report, dist, feeds } = copy('fault')
  const before = currentFilesOf(dist)
  const floored = await vulnshelf([...args, '--floor', 'kev=1000000'], { env: ENV })
  assert.is(floored.code, 1)
  assert.match(floored.err.at(-1)!, /^vulnshelf: KEV: .* its floor is 1000000; --floor kev=<n> changes the floor$/)
  assert.match(floored.out, /\ningest {3}failed .*\nbuild {4}skipped .*\n/)
  assert.is(JSON.parse(readFileSync(report, 'utf8')).failed, 'ingest')
  assert.equal(currentFilesOf(dist), before)
  rmSync(report)
  const wrong = async (...words: string[]) => failed(await vulnshelf([...args, ...words], { env: ENV }), 2)
  assert.match(await wrong('--publish', 'ftp://example.com'), /^cannot publish to ftp:/)
  assert.match(await wrong('--expires', 'soon'), /^invalid --expires 'soon'/)
  assert.match(await wrong('--ping', 'monitor'), /It must be an http or https URL/)
  assert.match(await wrong('--keep-weekly', '0'), /It must be a whole number from 1 on, or 'unlimited'/)
  assert.match(await wrong('--floor', 'kev'), /^invalid --floor 'kev'/)
  assert.match(failed(await vulnshelf(['nightly', feeds]), 2), /^required option '--corpus <file>' not specified/)
  assert.not.ok(existsSync(report))
})

test('a failed ping is a warning, and exit code 0', async () => {
  const { args } = copy('ping')
  const { code, out } = await vulnshelf([...args, '--ping', `${web.url}missing/secret`], { env: ENV })
  assert.is(code, 0)
  assert.ok(out.includes(`\nwarning: cannot ping ${new URL(web.url).origin}: the server answers 404\n`), out)
})

test(`killed at ${KILLS} moments of its run, it leaves yesterday or today whole, and the next run completes`, async () => {
  const whole = copy('undisturbed')
  const began = performance.now()
  done(await vulnshelf(whole.args, { env: ENV }))
  const wholeMs = performance.now() - began
  const ids = [idOf(yesterday.dist), idOf(whole.dist)]
  assert.is.not(ids[0], ids[1])
  let kills = 0
  for (let i = 0; i < KILLS; i++) {
    const { args, dist, target } = copy(`killed-${i}`)
    const child = start('vulnshelf', args, { env: ENV })
    const ended = once(child, 'close')
    await Promise.race([sleep(((i + 0.5) / KILLS) * wholeMs), ended])
    child.kill('SIGKILL')
    const [, signal] = await ended
    // On a busy machine, a run may end before its moment.
    if (signal === 'SIGKILL') kills++
    const what = `killed at ${i + 0.5} of ${KILLS}`
    for (const folder of [dist, target]) {
      if (!existsSync(join(folder, 'latest.json'))) continue
      assert.equal((await verify(folder)).faults, [], what)
      assert.ok(ids.includes(idOf(folder)), what)
    }
    assert.ok(existsSync(join(dist, 'latest.json')), what)
    done(await vulnshelf(args, { env: ENV }))
    for (const folder of [dist, target]) {
      assert.equal((await verify(folder)).faults, [], what)
      assert.is(idOf(folder), ids[1], what)
    }
    assert.not.ok(existsSync(join(dist, 'verified.json')), what)
  }
  assert.ok(kills > 0, 'no run was killed')
})

test.after(async () => {
  endAll()
  await web.close()
  folder.remove()
})
test.run()
