/** A night in one command: each fault stops it, the report names it, and the snapshot before it stays the current one. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addBaseUrl, noBaseUrls } from '../../builder/fetch/bases.ts'
import { makeKey, readSigning } from '../../builder/keys.ts'
import { type NightlyOptions, nightly } from '../../builder/nightly/nightly.ts'
import { failureUrl } from '../../builder/nightly/ping.ts'
import { formatNightlyReport, type NightlyReport, STEPS, type StepName } from '../../builder/nightly/report.ts'
import { sign } from '../../builder/sign.ts'
import { lockDist, lockNight } from '../../builder/snapshot/lock.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { PruneReport } from '../../corpus/repository/prune.ts'
import { objectPath, pointerPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { readAtom } from '../support/atom.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { baselineZip, cnaJson, kevJson, putFeeds, zipOf } from '../support/feeds.ts'
import { Killed, killedEffects } from '../support/killed-effects.ts'
import { type Listening, listeningWith } from '../support/listening.ts'
import { openWorld, type World } from '../support/publisher.ts'
import { refusal } from '../support/refusal.ts'
import { filesOf } from '../support/repository-files.ts'
import { distOf, type SampleDist } from '../support/samples.ts'
import { serveFolder, type WebFolder } from '../support/web-folder.ts'

const test = suite('nightly')
const folder = temporaryFolder('nightly')
const at = (name: string) => join(folder.path, name)
const KEV = 'kev/known_exploited_vulnerabilities.json'
const CNA = 'cna/CNAsList.json'
const records = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `CVE-2024-${1000 + i}` as CveId }))
/** Yesterday is ingested and built. */
const yesterday = await distOf(folder.path, {
  'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip(records(20)),
  [KEV]: kevJson(['CVE-2024-1000']),
  [CNA]: cnaJson(['acme']),
})
putFeeds(yesterday.feeds, { 'cvelistv5/2024-06-02_all_CVEs.zip': baselineZip(records(21)) })

interface Ping {
  path: string
  method: string
  headers: IncomingMessage['headers']
  body: string
}

let world: World
let web: WebFolder
let monitor: Listening
let answer: (res: ServerResponse) => void
const pings: Ping[] = []
let count = 0

test.before(async () => {
  web = await serveFolder(yesterday.feeds)
  monitor = await listeningWith((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      pings.push({ path: req.url!, method: req.method!, headers: req.headers, body })
      answer(res)
    })
  })
})
test.before.each(() => {
  world = openWorld()
  web.fault = ({ path }) => (path.endsWith('/') || path === 'fetch.json' ? { kind: 'status', code: 404 } : null)
  answer = (res) => void res.writeHead(200).end('OK')
  pings.length = 0
})
test.after.each(() => world.close())
test.after(async () => {
  await web.close()
  await monitor.close()
  folder.remove()
})

/** Returns a copy of yesterday. */
function copy(): SampleDist & { target: string; report: string } {
  const to = (part: string) => at(`${count}-${part}`)
  count++
  const paths = { feeds: to('feeds'), corpus: to('corpus.db'), dist: to('dist') }
  for (const part of ['feeds', 'corpus', 'dist'] as const) cpSync(yesterday[part], paths[part], { recursive: true })
  return { ...paths, nights: yesterday.nights, target: to('target'), report: to('report.json') }
}
type Copy = ReturnType<typeof copy>

const optionsOf = ({ feeds, corpus, dist, target, report }: Copy, more: Partial<NightlyOptions> = {}) => ({
  fetch: null,
  ingest: { feeds, corpus },
  dist,
  sign: { expires: '14d' },
  publish: target,
  keep: { last: 7 },
  jobs: 0,
  report,
  ping: { success: null, failure: null },
  ...more,
})
const run = (night: Copy, more?: Partial<NightlyOptions>, effects: NetworkEffects = world.effects) =>
  nightly(optionsOf(night, more), effects, noProgress)

/** The feeds of these tests are of 2024, the clock is of 2026. */
const OLD = [
  'KEV: 903 days old, the newest edition is of 2024-06-01',
  'CVE list: 902 days old, the newest edition is of 2024-06-02',
]
const news = ({ warnings }: NightlyReport) => warnings.filter((warning) => !OLD.includes(warning))

const pointerOf = (dist: string) => readFileSync(pointerPath(dist))
const idOf = (dist: string) => readCurrent(dist).pointer.snapshot
const intact = async (dist: string) => assert.equal((await verify(dist)).faults, [])

/** Asserts that `step` failed: those before it are done or not requested, those after it are skipped. */
function assertFailedAt(step: StepName, { report, error }: Awaited<ReturnType<typeof nightly>>, message: RegExp): void {
  assert.is(report.state, 'failed')
  assert.is(report.failed, step)
  assert.equal(
    report.steps.map(({ name }) => name),
    STEPS,
  )
  const index = STEPS.indexOf(step)
  const states = report.steps.map(({ state }) => state)
  assert.is(states[index], 'failed')
  assert.not.ok(states.slice(0, index).includes('failed'))
  assert.ok(states.slice(index + 1).every((state) => state === 'skipped'))
  assert.match(report.steps[index]!.error!.message, message)
  assert.match((error as Error).message, message)
}

/** Runs a night that fails before or during verification. The folder must serve yesterday afterwards. */
async function failsAt(
  step: StepName,
  night: Copy,
  message: RegExp,
  more?: Partial<NightlyOptions>,
  effects?: NetworkEffects,
): Promise<void> {
  const before = pointerOf(night.dist)
  const ended = await run(night, more, effects)
  assertFailedAt(step, ended, message)
  assert.equal(pointerOf(night.dist), before)
  await intact(night.dist)
  assert.equal(ended.report.after, ended.report.before)
  assert.not.ok(existsSync(night.target), 'nothing was published')
  assert.equal(JSON.parse(readFileSync(night.report, 'utf8')), ended.report)
}

/** Effects that damage an object of the new snapshot in the last step of its build. */
function damaging({ dist }: Copy): NetworkEffects {
  const old = new Set(existsSync(dist) ? readCurrent(yesterday.dist).manifest.files.map(({ sha256 }) => sha256) : [])
  return {
    ...world.effects,
    async remove(path) {
      await world.effects.remove(path)
      if (path !== join(dist, 'tmp') || !existsSync(pointerPath(dist))) return
      const file = readCurrent(dist).manifest.files.find(({ sha256 }) => !old.has(sha256))
      if (file) writeFileSync(objectPath(dist, file.sha256), Buffer.alloc(file.size))
    },
  }
}

test('a whole night: fetched, built, verified, published and pruned, and the report has every step', async () => {
  const night = copy()
  rmSync(join(night.feeds, KEV))
  const bases = addBaseUrl(web.url, ['kev'], noBaseUrls)
  const site = new URL('https://vulns.example.com/')
  const ended = await run(night, { fetch: { feeds: night.feeds, only: ['kev'], bases }, site, keep: { last: 1 } })
  const { report } = ended
  assert.is(ended.error, null)
  assert.equal([report.state, report.failed, news(report)], ['done', null, []])
  assert.equal(report.warnings, OLD)
  assert.equal(
    report.steps.map(({ name, state }) => [name, state]),
    STEPS.map((name) => [name, 'done']),
  )
  const snapshot = idOf(night.dist)
  assert.is(report.before!.snapshot, idOf(yesterday.dist))
  assert.equal(report.after, { snapshot, version: 2 })
  assert.is(idOf(night.target), snapshot)
  await intact(night.dist)
  await intact(night.target)
  assert.is(readAtom(readFileSync(join(night.target, 'changes.atom'))).entries.length, 1)
  assert.equal(readdirSync(night.dist).sort(), ['latest.json', 'lock', 'manifests', 'nightly.lock', 'objects'])
  assert.is(readdirSync(join(night.dist, 'manifests')).length, 1)
  const saved = JSON.parse(readFileSync(night.report, 'utf8')) as typeof report
  assert.equal(saved, JSON.parse(JSON.stringify(report)))
  assert.ok(saved.startedAt <= saved.endedAt)
  assert.equal(
    saved.steps.map((step) => Object.keys(step.report!).length > 0),
    STEPS.map(() => true),
  )
  const text = formatNightlyReport(report)
  assert.equal(
    text.split('\n').slice(0, 2),
    OLD.map((warning) => `warning: ${warning}`),
  )
  assert.equal(
    report.feeds.map(({ name, ageDays, isOld }) => [name, ageDays, isOld]),
    [
      ['kev', 903, true],
      ['cna', null, false],
      ['cvelist', 902, true],
    ],
  )
  assert.match(text, /^fetch {4}done +[\d.]+ s {2}1 feed, 0 failed, [\d.]+ MB downloaded$/m)
  assert.match(text, new RegExp(`^build +done .* snapshot ${snapshot.slice(0, 12)} activated as version 2$`, 'm'))
  assert.match(
    text,
    new RegExp(`^night of \\S+Z done in [\\d.]+ s; snapshot ${snapshot.slice(0, 12)} is current$`, 'm'),
  )
})

test('a second night without news is done too, and publishes nothing without a target', async () => {
  const night = copy()
  await run(night)
  const { report } = await run(night, { publish: null })
  assert.equal(
    report.steps.map(({ state }) => state),
    ['skipped', 'done', 'done', 'done', 'skipped', 'done'],
  )
  assert.equal(report.after, report.before)
})

test('a feed that cannot be fetched stops the night; --allow-stale continues with the files of yesterday', async () => {
  const night = copy()
  const usual = web.fault
  web.fault = (asked) => (asked.path === CNA ? { kind: 'status', code: 403 } : usual(asked))
  const bases = addBaseUrl(web.url, ['kev'], noBaseUrls)
  const fetch = { feeds: night.feeds, only: ['kev', 'cna'] as const, bases }
  const cna = readFileSync(join(night.feeds, CNA))
  await failsAt('fetch', night, /^1 feed failed: cna\/CNAsList\.json: the server answers 403; .*--allow-stale/, {
    fetch,
  })
  const failed = JSON.parse(readFileSync(night.report, 'utf8'))
  assert.is(failed.steps[0].report.failed, 1, 'the report of the fetch is there as well')
  const { report } = await run(night, { fetch, allowStale: true })
  assert.is(report.state, 'done')
  assert.equal(news(report), ['cna/CNAsList.json: the server answers 403; --allow-stale uses the previous files'])
  assert.equal(readFileSync(join(night.feeds, CNA)), cna)
})

test('without a network, the error names --skip-fetch', async () => {
  const night = copy()
  const offline: NetworkEffects = {
    ...world.effects,
    request: async () => {
      throw new Error('getaddrinfo ENOTFOUND www.cisa.gov')
    },
  }
  const fetch = { feeds: night.feeds, only: ['kev', 'cna'] as const, bases: noBaseUrls }
  const message = /^2 feeds failed: .*ENOTFOUND.*; check the network and the proxy variables; --skip-fetch /
  await failsAt('fetch', night, message, { fetch }, offline)
})

test('a file of a feed whose files stand alone, and an older copy, are warnings of the night', async () => {
  const night = copy()
  const zip = baselineZip([])
  putFeeds(night.feeds, { 'osv/Go/all.zip': zip, [KEV]: kevJson(['CVE-2024-1000'], '2024-06-05T10:00:00.000Z') })
  const usual = web.fault
  web.fault = (asked) => (asked.path.startsWith('osv/') ? { kind: 'status', code: 404 } : usual(asked))
  const bases = addBaseUrl(web.url, ['kev', 'osv'], noBaseUrls)
  const fetch = { feeds: night.feeds, only: ['kev', 'osv'] as const, bases, ecosystems: ['Go'] }
  await failsAt('fetch', night, /^1 feed failed: osv\/Go\/all\.zip: the server answers 404; /, { fetch })
  putFeeds(yesterday.feeds, { 'osv/PyPI/all.zip': zipOf({ 'PYSEC-1.json': '{"id":"PYSEC-1"}' }) })
  web.fault = (asked) => (asked.path.startsWith('osv/Go') ? { kind: 'status', code: 404 } : usual(asked))
  const { report } = await run(night, {
    fetch: { ...fetch, ecosystems: ['Go', 'PyPI'] },
    ingest: { ...optionsOf(night).ingest, acceptShrink: true },
  })
  putFeeds(yesterday.feeds, { 'osv/PyPI/all.zip': null })
  assert.equal(news(report).slice(0, 2), [
    'kev/known_exploited_vulnerabilities.json: it is of 2024-06-01T10:00:00.000Z, older than the file here, which is of 2024-06-05T10:00:00.000Z and stays',
    'osv/Go/all.zip: the server answers 404',
  ])
})

test('a damaged feed stops the night at ingest', async () => {
  const night = copy()
  writeFileSync(join(night.feeds, KEV), '{"vulnerabilities":')
  await failsAt('ingest', night, /KEV/)
})

test('a build that cannot write stops the night, and the next one completes it', async () => {
  const night = copy()
  const full = (path: string) => path.startsWith(join(night.dist, 'tmp')) && !path.endsWith('put-up')
  const effects: NetworkEffects = {
    ...world.effects,
    async write(path, bytes) {
      if (full(path)) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      await world.effects.write(path, bytes)
    },
  }
  await failsAt('build', night, /cannot be written to: its disk is full/, {}, effects)
  assert.not.ok(existsSync(join(night.dist, 'verified.json')))
  assert.is((await run(night)).report.state, 'done')
})

test('what a build needs is checked before the first step', async () => {
  const night = copy()
  const fetch = { feeds: night.feeds }
  await failsAt('build', night, /cannot read \S+missing\.json/, {
    fetch,
    sign: { signKey: [at('missing.json')], expires: '14d' },
  })
  const foreign = at('foreign')
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'mine.txt'), '')
  const ended = await run(night, { fetch, dist: foreign })
  assertFailedAt('build', ended, /has other files \(mine\.txt\)/)
  assert.equal(readdirSync(foreign), ['mine.txt'])
})

test('a new snapshot with faults: the pointer is yesterday’s again, byte for byte, and a later night heals it', async () => {
  const night = copy()
  const key = at('key.json')
  await makeKey(key, { alg: 'EdDSA' }, quietEffects())
  await sign(night.dist, await readSigning([key], '14d'), quietEffects())
  const signed = { sign: { signKey: [key], expires: '36h' } }
  await failsAt('verify', night, /^snapshot [0-9a-f]{64} has \d+ faults?: .*damaged/, signed, damaging(night))
  const failed = JSON.parse(readFileSync(night.report, 'utf8'))
  assert.ok(failed.steps[3].report.faults.length > 0)
  assert.is(failed.steps[2].report.version, 3)
  assert.not.ok(existsSync(join(night.dist, 'verified.json')))
  assert.is((await run(night, signed)).report.state, 'done')
  assert.is.not(idOf(night.dist), idOf(yesterday.dist))
  await intact(night.dist)
})

test('a night verifies its own signature: a pointer that its key has not signed is withdrawn', async () => {
  const night = copy()
  const key = at('own.json')
  await makeKey(key, { alg: 'EdDSA' }, quietEffects())
  const signed = { sign: { signKey: [key], expires: '36h' } }
  assert.is((await run(night, signed)).report.state, 'done')
  putFeeds(night.feeds, { 'cvelistv5/2024-06-03_all_CVEs.zip': baselineZip(records(22)) })
  const tampered: NetworkEffects = {
    ...world.effects,
    async rename(from, to) {
      await world.effects.rename(from, to)
      if (to !== pointerPath(night.dist) || from.endsWith('verified.json')) return
      const pointer = JSON.parse(readFileSync(to, 'utf8'))
      pointer.signatures[0].signature = pointer.signatures[0].signature.replace(/^./, (one: string) =>
        one === 'A' ? 'B' : 'A',
      )
      writeFileSync(to, JSON.stringify(pointer))
    },
  }
  const before = pointerOf(night.dist)
  const ended = await run(night, signed, tampered)
  assertFailedAt('verify', ended, /no trusted key has signed latest\.json: .*; the signature of key \S+ is rejected: /)
  assert.equal(pointerOf(night.dist), before)
  assert.is((await run(night, signed)).report.state, 'done')
})

test('a report has at most 200 KB: long lists are cut, and their lengths stay', async () => {
  const night = copy()
  putFeeds(night.feeds, { 'cvelistv5/2024-06-03_all_CVEs.zip': baselineZip(records(9000)) })
  const { report } = await run(night)
  assert.is(report.state, 'done')
  const bytes = readFileSync(night.report)
  assert.ok(bytes.length <= 200_000 && bytes.length > 10_000, String(bytes.length))
  const { changes, records: counts } = JSON.parse(bytes.toString()).steps[1].report
  assert.is(counts.added, 8980)
  assert.ok(changes.added.length < 8980)
  assert.equal(report.shortened[0], { path: 'ingest.changes.added', items: 8980 })
})

test('a manifest that is gone when it is verified is a fault as well', async () => {
  const night = copy()
  const effects: NetworkEffects = {
    ...world.effects,
    async rename(from, to) {
      await world.effects.rename(from, to)
      if (to !== pointerPath(night.dist) || from.endsWith('verified.json')) return
      const { sha256 } = readCurrent(night.dist).pointer.manifest
      rmSync(join(night.dist, 'manifests', `${sha256}.json`))
    },
  }
  await failsAt('verify', night, /^manifest [0-9a-f]{64} is missing$/, {}, effects)
})

test('a first snapshot with faults leaves no snapshot', async () => {
  const night = copy()
  rmSync(night.dist, { recursive: true })
  const ended = await run(night, {}, damaging(night))
  assertFailedAt('verify', ended, /damaged/)
  assert.equal([ended.report.before, ended.report.after], [null, null])
  assert.equal(readdirSync(night.dist).sort(), ['lock', 'manifests', 'nightly.lock', 'objects'])
  assert.is((await run(night)).report.state, 'done')
  await intact(night.dist)
})

test('killed between build and verify, the next night still knows yesterday’s pointer', async () => {
  const night = copy()
  const before = pointerOf(night.dist)
  const damage = damaging(night)
  const killed: NetworkEffects = {
    ...damage,
    async remove(path) {
      await damage.remove(path)
      if (idOf(night.dist) !== idOf(yesterday.dist)) throw new Killed('killed in the last step of the build')
    },
  }
  await run(night, {}, killed)
  assert.is.not(idOf(night.dist), idOf(yesterday.dist))
  assert.equal(readFileSync(join(night.dist, 'verified.json')), before)
  const ended = await run(night, {}, damaging(night))
  assertFailedAt('verify', ended, /damaged/)
  assert.equal(pointerOf(night.dist), before)
  await intact(night.dist)
})

test('a pointer that another program has activated since is not replaced', async () => {
  const night = copy()
  const other = readFileSync(pointerPath(yesterday.dist))
  const effects = damaging(night)
  const ended = await run(
    night,
    {},
    {
      ...effects,
      async remove(path) {
        await effects.remove(path)
        // The last act of the build.
        const { dist } = night
        if (path === join(dist, 'tmp') && idOf(dist) !== idOf(yesterday.dist)) writeFileSync(pointerPath(dist), other)
      },
    },
  )
  assert.is(ended.report.state, 'done')
  assert.equal(pointerOf(night.dist), other)
})

test('a snapshot that another program activates during the verification is not published', async () => {
  const night = copy()
  const other = readFileSync(pointerPath(yesterday.dist))
  const replacing = (step: string) => {
    if (step === 'files') writeFileSync(pointerPath(night.dist), other)
  }
  const ended = await nightly(optionsOf(night), world.effects, replacing)
  assertFailedAt('verify', ended, /^another program activated a snapshot in \S+dist while [0-9a-f]{64} was verified; /)
  assert.equal(pointerOf(night.dist), other)
  assert.not.ok(existsSync(night.target))
  assert.not.ok(existsSync(join(night.dist, 'verified.json')))
})

test('a target that refuses stops the night; the folder keeps the verified snapshot of today', async () => {
  const night = copy()
  mkdirSync(night.target)
  writeFileSync(join(night.target, 'mine.txt'), '')
  const ended = await run(night)
  assertFailedAt('publish', ended, /has other files \(mine\.txt\)/)
  assert.is.not(idOf(night.dist), idOf(yesterday.dist))
  await intact(night.dist)
  assert.equal(readdirSync(night.target), ['mine.txt'])
})

test('a night keeps the snapshots that its rules keep', async () => {
  // Both nights were built today.
  const both = await run(copy(), { keep: { last: 2 } })
  const one = await run(copy(), { keep: { daily: 5, weekly: 5 } })
  const kept = ({ report }: typeof both) => (report.steps.at(-1)!.report as PruneReport).kept.length
  assert.equal([kept(both), kept(one)], [2, 1])
})

test('a prune that fails is a fault of the night', async () => {
  const night = copy()
  const effects: NetworkEffects = {
    ...world.effects,
    async remove(path) {
      if (path.startsWith(join(night.dist, 'manifests')))
        throw Object.assign(new Error('EACCES: no'), { code: 'EACCES' })
      await world.effects.remove(path)
    },
  }
  const ended = await run(night, { keep: { last: 1 } }, effects)
  assertFailedAt('prune', ended, /EACCES/)
  assert.is(idOf(night.target), idOf(night.dist))
  await intact(night.dist)
})

test('two nights at once: one dist, one corpus, one feeds folder', async () => {
  const night = copy()
  const unlockNight = lockNight(night.dist)
  await failsAt('build', night, /^another nightly run is using \S+dist; wait until it ends$/)
  unlockNight()
  const unlockDist = lockDist(night.dist)
  await failsAt('build', night, /^another build or prune is writing to \S+dist; wait until it ends$/)
  unlockDist()
  const unlockFetch = lockFile(join(night.feeds, 'fetch.lock'))!
  await failsAt('fetch', night, /^another fetch is writing to \S+feeds; /, { fetch: { feeds: night.feeds } })
  unlockFetch()
  const first = run(night)
  const second = await run({ ...copy(), corpus: night.corpus })
  const firstEnded = await first
  const failed = [firstEnded, second].filter(({ report }) => report.state === 'failed')
  assert.is(failed.length, 1)
  assertFailedAt('ingest', failed[0]!, /^another ingest is writing to \S+corpus\.db; wait until it ends$/)
})

test('wrong usage throws before anything is done', async () => {
  const night = copy()
  const before = filesOf(night.dist)
  const wrong = (more: Partial<NightlyOptions>) => refusal(run(night, more))
  assert.match(await wrong({ publish: 'ftp://example.com/x' }), /^usage: cannot publish to ftp:/)
  assert.match(await wrong({ sign: { expires: 'soon' } }), /^usage: invalid --expires/)
  assert.match(await wrong({ sign: { signKey: ['k'], expires: '1d', unsigned: true } }), /^usage: --unsigned and/)
  assert.equal(filesOf(night.dist), before)
  assert.not.ok(existsSync(night.report))
})

test('killed around the steps that change a pointer, yesterday or today is served, and the next night completes', async () => {
  const whole = copy()
  const { effects: counting, steps } = killedEffects()
  const moments: number[] = []
  const noted = (act: 'rename' | 'remove') => async (from: string, to?: string) => {
    if (/(?:latest|verified)\.json$/.test(to ?? from)) moments.push(steps.length, steps.length + 1)
    await (counting[act] as (...paths: unknown[]) => Promise<void>)(from, to)
  }
  const noting = { ...world.effects, ...counting, rename: noted('rename'), remove: noted('remove') }
  await run(whole, { publish: null }, noting)
  const today = idOf(whole.dist)
  assert.is(moments.length, 6, 'the copy, the pointer, the end of the copy')
  for (const moment of moments.slice(1, 4)) {
    const night = copy()
    await run(night, {}, { ...world.effects, ...killedEffects(moment).effects })
    const what = `killed before step ${moment}, ${steps[moment]}`
    assert.ok([idOf(yesterday.dist), today].includes(idOf(night.dist)), what)
    assert.equal((await verify(night.dist)).faults, [], what)
    assert.is((await run(night, { publish: null })).report.state, 'done', what)
    assert.is(idOf(night.dist), today, what)
    assert.not.ok(existsSync(join(night.dist, 'verified.json')), what)
  }
})

const toMonitor = (limitMs?: number): Pick<NightlyOptions, 'ping'> => ({
  ping: {
    success: new URL(`${monitor.origin}/check?token=1`),
    failure: null,
    ...(limitMs === undefined ? {} : { limitMs }),
  },
})

test('a ping after success has the report without the long lists', async () => {
  const url = new URL(`${monitor.origin}/check`)
  url.username = 'me'
  url.password = 'secret'
  const { report } = await run(copy(), { ping: { success: url, failure: null } })
  assert.equal(news(report), [])
  assert.equal(
    pings.map(({ path, method }) => [method, path]),
    [['POST', '/check']],
  )
  const { headers, body } = pings[0]!
  assert.is(headers['content-type'], 'application/json')
  assert.is(headers.authorization, `Basic ${Buffer.from('me:secret').toString('base64')}`)
  const sent = JSON.parse(body)
  assert.equal([sent.state, sent.after], ['done', report.after])
  assert.ok(sent.steps.every((step: object) => !('report' in step)))
  assert.is(sent.steps.length, STEPS.length)
})

test('a ping after a fault goes to /fail, or to the address of --ping-failure', async () => {
  const night = copy()
  rmSync(night.feeds, { recursive: true })
  await run(night, toMonitor())
  await run(night, { ping: { ...toMonitor().ping, failure: new URL(`${monitor.origin}/alarm`) } })
  await run(night, { ping: { success: null, failure: new URL(`${monitor.origin}/only`) } })
  assert.equal(
    pings.map(({ path }) => path),
    ['/check/fail?token=1', '/alarm', '/only'],
  )
  const sent = JSON.parse(pings[0]!.body)
  assert.equal([sent.state, sent.failed], ['failed', 'ingest'])
  assert.match(sent.steps[1].error.message, /feeds/)
  assert.is(failureUrl(new URL('https://monitor.example.com/abc/')).href, 'https://monitor.example.com/abc/fail')
})

test('a monitor that refuses, is busy, unreachable or silent is a warning, and names no secret', async () => {
  const night = copy()
  const warned = async (more: Partial<NightlyOptions>) => {
    const { report, error } = await run(night, more)
    assert.equal([report.state, error, news(report).length], ['done', null, 1])
    assert.equal(JSON.parse(readFileSync(night.report, 'utf8')).warnings, report.warnings)
    assert.not.match([...report.warnings, ...world.log].join('\n'), /check|token/)
    return news(report)[0]!
  }
  answer = (res) => void res.writeHead(404).end()
  assert.is(await warned(toMonitor()), `cannot ping ${monitor.origin}: the server answers 404`)
  assert.is(pings.length, 1)
  answer = (res) => void res.writeHead(503).end()
  assert.is(await warned(toMonitor()), `cannot ping ${monitor.origin}: the server answers 503`)
  assert.ok(pings.length > 2, 'a busy server is asked again')
  answer = () => {}
  assert.is(await warned(toMonitor(200)), `cannot ping ${monitor.origin}: no answer within 0.2 s`)
  const gone = await listeningWith(() => {})
  await gone.close()
  const unreachable = { success: new URL(`${gone.origin}/check`), failure: null }
  assert.match(await warned({ ping: unreachable }), /^cannot ping http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/)
})

test('a report that cannot be written makes the night fail', async () => {
  const night = copy()
  mkdirSync(night.report)
  const { report, error } = await run(night, toMonitor())
  assert.is(report.state, 'failed')
  assert.is(report.failed, null)
  assert.match(news(report)[0]!, /^cannot write the report: /)
  assert.instance(error, Error)
  assert.is(pings[0]!.path, '/check/fail?token=1')
  await intact(night.dist)
})

test.run()
