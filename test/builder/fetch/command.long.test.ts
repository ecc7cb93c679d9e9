/** The `fetch` command as an operator runs it: from a local copy, killed, through a proxy, with wrong options. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partialName } from '../../../builder/fetch/download.ts'
import { done, endAll, failed, start, vulnshelf } from '../../cli/command.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { listening } from '../../support/listening.ts'
import { type Manner, openPublisher, type Publisher, serve } from '../../support/publisher.ts'
import { catalog } from './downloading.ts'

const folder = temporaryFolder('fetch-command')
const test = suite('fetch command')
const KEV = catalog('whole', 400_000)
const TAG = { etag: '"1"' }
const PATH = 'kev/known_exploited_vulnerabilities.json'
let publisher: Publisher
let count = 0

test.before.each(async () => {
  publisher = await openPublisher()
})
test.after.each(() => publisher.close())
test.after(() => {
  endAll()
  folder.remove()
})

const fresh = () => join(folder.path, `feeds-${++count}`)
/** Disables proxies that the test machine has configured. */
const DIRECT = { http_proxy: '', https_proxy: '', HTTP_PROXY: '', HTTPS_PROXY: '', no_proxy: '*', NO_PROXY: '*' }

test('it fetches from a copy, says so, and the second time has nothing to do', async () => {
  publisher.on(`/${PATH}`, serve(KEV, TAG))
  const feeds = fresh()
  const args = ['fetch', feeds, '--only', 'kev', '--base-url', publisher.url]
  const first = await vulnshelf(args, { env: DIRECT })
  assert.match(done(first), /^KEV {16}1 file fetched \(0\.4 MB\)\n0\.4 MB downloaded in \d+\.\d s\n$/)
  assert.equal(first.err, ['fetching KEV'])
  assert.equal(readFileSync(join(feeds, PATH)), KEV)
  const report = JSON.parse(done(await vulnshelf([...args, '--json'], { env: DIRECT })))
  assert.equal([report.failed, report.received], [0, 0])
  assert.equal(report.feeds[0].files[0], {
    path: PATH,
    url: `${publisher.url}/${PATH}`,
    status: 'unchanged',
    bytes: KEV.length,
    received: 0,
    attempts: 1,
    seconds: report.feeds[0].files[0].seconds,
  })
})

test('a failed feed gives exit code 1, and the report includes the others', async () => {
  publisher.on(`/${PATH}`, serve(KEV, TAG))
  const env = { ...DIRECT, VULNSHELF_BASE_URL: publisher.url, VULNSHELF_ONLY: 'kev,cna' }
  const outcome = await vulnshelf(['fetch', fresh(), '--json'], { env })
  assert.is(outcome.code, 1)
  const { feeds } = JSON.parse(outcome.out)
  assert.equal(
    feeds.map(({ feed, status }: { feed: string; status: string }) => [feed, status]),
    [
      ['kev', 'fetched'],
      ['cna', 'failed'],
    ],
  )
  assert.is(outcome.err.at(-1), 'vulnshelf: cna/CNAsList.json: the server answers 404')
})

test('kill -9 half-way, then again: the other half is fetched, and not a byte twice', async () => {
  const hanging: Manner = async (_asked, res, send) => {
    res.writeHead(200, { ...TAG, 'content-length': String(KEV.length) })
    await send(KEV.subarray(0, 150_000))
  }
  publisher.on(`/${PATH}`, hanging, serve(KEV, TAG))
  const feeds = fresh()
  const args = ['fetch', feeds, '--only', 'kev', '--base-url', publisher.url]
  const child = start('vulnshelf', args, { env: DIRECT })
  const half = join(feeds, partialName(PATH))
  while (!(existsSync(half) && statSync(half).size === 150_000)) {
    assert.is(child.exitCode, null, 'it ended by itself')
    await setTimeout(5)
  }
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
  assert.not.ok(existsSync(join(feeds, PATH)))
  done(await vulnshelf(args, { env: DIRECT }))
  assert.equal(readFileSync(join(feeds, PATH)), KEV)
  assert.not.ok(existsSync(half))
  assert.is(publisher.sent() - KEV.length, 0, 'bytes fetched twice')
})

test('the proxy that the environment names is used, and left out for those that no_proxy names', async () => {
  publisher.on(`/${PATH}`, serve(KEV, TAG))
  let through = 0
  const proxy = createServer((req, res) => {
    through++
    request(req.url!, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    }).end()
  })
  proxy.on('connect', (req, socket) => {
    through++
    const [host, port] = req.url!.split(':')
    const remote = connect(Number(port), host!, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      remote.pipe(socket)
      socket.pipe(remote)
    })
    remote.on('error', () => socket.destroy())
    socket.on('error', () => remote.destroy())
  })
  const { origin: address, close } = await listening(proxy)
  const args = ['fetch', fresh(), '--only', 'kev', '--base-url', publisher.url]
  try {
    done(await vulnshelf(args, { env: { ...DIRECT, http_proxy: address, no_proxy: '' } }))
    assert.ok(through > 0, 'the proxy was not asked')
    const before = through
    done(await vulnshelf(args, { env: { ...DIRECT, http_proxy: address, no_proxy: '127.0.0.1' } }))
    assert.is(through, before)
  } finally {
    await close()
  }
})

test('wrong usage gives one line', async () => {
  const wrong = async (...args: string[]) => failed(await vulnshelf(['fetch', fresh(), ...args], { env: DIRECT }), 2)
  assert.match(await wrong('--only', 'kev,nvt'), /Unknown feed 'nvt'; use one of kev, euvd, cna, epss, cvelist, nvd, /)
  assert.match(await wrong('--base-url', 'mirror/feeds'), /invalid address 'mirror\/feeds'; use an http or https URL/)
  assert.match(await wrong('--base-url', 'nvt=https://mirror'), /unknown feed 'nvt'; use one of kev, /)
  assert.match(await wrong('--osv-ecosystems', 'Go,../x'), /'\.\.\/x' is not an ecosystem name/)
})

test('a folder without write permission gives one line', async () => {
  const sealed = fresh()
  mkdirSync(sealed, { mode: 0o555 })
  const outcome = await vulnshelf(['fetch', join(sealed, 'feeds'), '--only', 'kev', '--base-url', publisher.url], {
    env: DIRECT,
    asNobody: true,
  })
  assert.match(failed(outcome), /cannot be written to: EACCES/)
})

test.run()
