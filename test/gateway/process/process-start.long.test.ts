/** How the gateway's processes start, and that a gateway puts itself in its own place. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeToken } from '../../../gateway/auth/token.ts'
import { processStart } from '../../../gateway/process/process-start.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { serving } from '../../support/serving.ts'

const folder = temporaryFolder('process-start')
const { dist } = await sampleDist(folder.path, 30)

test('tsx goes where compiled code is remembered, and only there', () => {
  const given = ['--import', 'tsx', '--cpu-prof']
  const cached = processStart(given, {}, '/checkout/cache')
  assert.equal(cached.execArgv.slice(-1), ['--cpu-prof'])
  assert.not.ok(cached.execArgv.includes('tsx'))
  assert.is(cached.env.NODE_COMPILE_CACHE, '/checkout/cache')
  const uncached = processStart(given, {}, null)
  assert.equal(uncached.execArgv.slice(-3), given)
  assert.is(uncached.env.NODE_COMPILE_CACHE, undefined)
})

test('the tsx program keeps its loader: its parent process waits for what that tells it of signals', () => {
  const given = ['--require', '/tsx/dist/preflight.cjs', '--import', 'file:///tsx/dist/loader.mjs']
  assert.equal(processStart(given, {}, '/checkout/cache').execArgv.slice(-4), given)
})

test('what the operator says stays', () => {
  const { execArgv, env } = processStart(['--max-semi-space-size=32'], { MALLOC_ARENA_MAX: '9', HOME: '/root' }, null)
  assert.equal(
    execArgv.filter((flag) => flag.startsWith('--max-semi-space-size')),
    ['--max-semi-space-size=32'],
  )
  assert.is(env.MALLOC_ARENA_MAX, '9')
  assert.is(env.HOME, '/root')
})

test('a process that was started so is not started again', () => {
  const once = processStart(['--import', 'tsx'], {}, null)
  assert.equal(processStart(once.execArgv, once.env, null), once)
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const isLinux = existsSync('/proc/self/cmdline')

/** The words that a process runs with. */
const wordsOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)

if (isLinux) {
  test('a gateway and its workers run with less memory, under the id that was started', async () => {
    for (const more of [[], ['--workers', '2']]) {
      const gateway = await serving(folder.path, dist, more)
      if (more.length > 0) await gateway.logged(({ msg }) => msg === 'all workers answer')
      const pids = [gateway.process.pid!]
      for (const { msg, pid } of gateway.log()) if (msg === 'a worker listens') pids.push(pid as number)
      const words = pids.map(wordsOf)
      const variables = pids.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'))
      assert.is((await gateway.stop()).code, 0)
      assert.is(pids.length, more.length === 0 ? 1 : 3)
      for (const one of words) assert.ok(one.some((word) => word.startsWith('--max-semi-space-size=')))
      for (const names of variables) assert.ok(names.some((one) => one.startsWith('MALLOC_ARENA_MAX=')))
    }
  })

  test('the command is one process, so that signals reach it at once, however busy it is', async () => {
    const { jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })
    const cli = join(import.meta.dirname, '../../../gateway/process/cli.ts')
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const gateway = spawn(cli, ['serve', dist, '--port', '0', '--jwks', jwksFile], {
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(gateway, 'exit')
    let said = ''
    for await (const text of gateway.stderr) {
      said += text
      if (said.includes('listening on')) break
    }
    assert.ok(wordsOf(gateway.pid!).some((word) => word.startsWith('--max-semi-space-size=')))
    const socket = connect(Number(/:(\d+)\n/.exec(said)![1]), '127.0.0.1').setEncoding('utf8')
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await pause(100)
    gateway.kill('SIGSTOP')
    gateway.kill('SIGTERM')
    // A program in between would have lost its patience by now.
    await pause(200)
    gateway.kill('SIGCONT')
    await pause(100)
    socket.write('\r\n')
    const [answer] = await once(socket, 'data')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.equal(await ended, [0, null])
  })
}

test.after(() => folder.remove())
test.run()
