/** `npm start` as a new user runs it: its options, its end, and the leftovers of an interrupted start. */
import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { listening } from '../support/listening.ts'
import { npmIn } from '../support/npm.ts'

const folder = temporaryFolder('start')
const npm = npmIn(folder.path)
const dist = join(npm.path, 'dist')
const start = (...options: string[]) => npm.run('npm', ['start', '--', ...options])
const TRY = /curl .*'Authorization: (Bearer \S+)' '(http:\/\/\S+?)\/api\/v1\/cves'/

/** Returns the port that a start printed, and a function that requests a path from its gateway. */
async function answering(run: ReturnType<typeof start>) {
  const [, authorization, url] = await run.printed(TRY)
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: authorization! } })
    assert.is(answer.status, 200)
    return (await answer.json()) as Record<string, unknown>
  }
  return { port: new URL(url!).port, get }
}

test('--help explains the options', async () => {
  const help = start('--help')
  assert.is(await help.ended(), 0)
  for (const part of ['npm start -- [options]', '--port <port>', '--host <host>', '--cves <n>', 'Examples:']) {
    assert.match(help.out(), part)
  }
})

test('options that it does not know are wrong usage, with a suggestion', async () => {
  const cases: [ReturnType<typeof start>, string][] = [
    [start('--prot', '9000'), "npm start: unknown option '--prot' (Did you mean --port?)"],
    [start('9000'), 'npm start: too many arguments'],
    [start('--port', '70000'), "argument '70000' is invalid"],
    [npm.run('npm', ['start', '--port=9000']), "npm took option '--port' for its own. Write: npm start -- --port"],
  ]
  for (const [run, line] of cases) {
    assert.is(await run.ended(), 2, run.out())
    assert.match(run.out(), line)
  }
  const elsewhere = start('--host', '192.0.2.1', '--port', '0')
  assert.is(await elsewhere.ended(), 1, elsewhere.out())
  assert.match(elsewhere.out(), 'npm start: cannot listen on 192.0.2.1, port 0: ')
  assert.not.ok(existsSync(dist))
})

test('a start that is stopped while it makes the sample ends, and leaves nothing to be served', async () => {
  const run = start('--cves', '60', '--port', '0')
  await run.printed(/the night of /)
  run.signal('SIGTERM')
  await run.ended()
  assert.not.match(run.out(), 'listening')
  assert.not.ok(existsSync(dist))
})

test('a start that was killed in the second night is started over, and says so', async () => {
  const killed = start('--cves', '60', '--port', '0')
  await killed.printed(/the night of .*the night of /s)
  killed.signal('SIGKILL', 'group')
  await killed.ended()
  assert.not.ok(existsSync(dist))
  const again = start('--cves', '60', '--port', '0')
  const { port, get } = await answering(again)
  assert.match(again.out(), 'an earlier start was interrupted, starting again')
  const nights = [...again.out().matchAll(/the night of (\S+)/g)].map(([, night]) => night)
  const { parent, epss_date } = await get('/snapshot')
  assert.is(nights.length, 2)
  assert.type(parent, 'string', 'the second night is built upon the first')
  assert.is(epss_date, nights[1])

  const second = start('--port', port)
  assert.is(await second.ended(), 1)
  assert.match(
    second.out(),
    `npm start: port ${port} on 127.0.0.1 is already in use. Choose another port: npm start -- --port `,
  )
  again.signal('SIGTERM')
  await again.ended()
})

test('the next start serves what is there, on the port that it is given', async () => {
  const free = await listening(createServer())
  await free.close()
  const { port } = new URL(free.origin)
  const run = start('--port', port)
  assert.is((await answering(run)).port, port)
  assert.match(run.out(), 'using the existing snapshot in dist/')
  // What a terminal sends as it is closed.
  run.signal('SIGHUP', 'group')
  await run.ended()
})

test('the login link signs a browser in once, and the questions lead into the explorer', async () => {
  const run = start('--port', '0')
  await answering(run)
  const [, link] = /^ {2}(http:\S+\/login\/\S+)$/m.exec(run.out())!
  const { origin } = new URL(link!)
  const questions = [...run.out().matchAll(/^ {2}(http:\S+\/#\/\S+)$/gm)].map(([, url]) => url!)
  assert.is(questions.length, 3)
  for (const url of questions) assert.is((await fetch(url)).headers.get('content-type'), 'text/html; charset=utf-8')
  const cves = `${origin}/api/v1/cves`
  assert.is((await fetch(cves)).status, 401)
  assert.is((await fetch(`${origin}/api/v1/openapi.json`)).status, 200)
  const login = await fetch(link!, { redirect: 'manual' })
  assert.equal([login.status, login.headers.get('location')], [303, '../'])
  const [cookie] = login.headers.get('set-cookie')!.split(';')
  const answer = await fetch(cves, { headers: { cookie: cookie! } })
  assert.is(answer.status, 200)
  assert.match(answer.headers.get('ratelimit-policy')!, 'q=100000')
  assert.is((await fetch(link!)).status, 410)
  run.signal('SIGINT', 'group')
  await run.ended()
  assert.not.match(run.out().split('curl')[1]!, /login|eyJ\w+\.\w+\.\S+"/, 'the log has neither code nor token')
})

test('Ctrl-C stops the gateway once, and the port is free again', async () => {
  const run = start('--port', '0')
  const { port } = await answering(run)
  run.signal('SIGINT', 'group')
  await run.ended()
  assert.is(run.out().match(/"msg":"stopping"/g)?.length, 1)
  const refused = await fetch(`http://127.0.0.1:${port}/healthz`).catch((error) => error.cause.code)
  assert.is(refused, 'ECONNREFUSED')
})

test('what would be ignored, or be lost, is refused', async () => {
  const resized = start('--cves', '70', '--port', '0')
  assert.is(await resized.ended(), 2)
  assert.match(resized.out(), "option '--cves' has no effect: dist/ has a snapshot already")
  rmSync(join(dist, 'latest.json'))
  const foreign = start('--port', '0')
  assert.is(await foreign.ended(), 1)
  assert.match(foreign.out(), 'dist/ has files but no snapshot')
})

test.after(() => {
  npm.endAll()
  folder.remove()
})
test.run()
