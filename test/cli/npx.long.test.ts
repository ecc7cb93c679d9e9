/** A command ends with the npx that runs it, in whatever way npx ends. It does not end with another npx. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeToken } from '../../gateway/auth/token.ts'
import { temporaryFolder } from '../support/dist.ts'
import { listening } from '../support/listening.ts'
import { type NpmRun, npmIn } from '../support/npm.ts'
import { sharedSample } from '../support/samples.ts'
import { until } from '../support/until.ts'

const folder = temporaryFolder('npx')
const { dist } = await sharedSample('small')
const { jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })
const npm = npmIn(folder.path)
const serve = ['serve', dist, '--port', '0', '--jwks', jwksFile]

const answers = (url: string) =>
  fetch(`${url}/healthz`).then(
    ({ status }) => status === 200,
    () => false,
  )

async function started() {
  const run = npm.run('npx', ['vulnshelf-gateway', ...serve])
  const [, url] = await run.printed(/listening on (\S+)/)
  assert.ok(await answers(url!))
  return { run, url: url! }
}

test('a gateway stops in order at a signal to its group, as terminals send it', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { run, url } = await started()
    run.signal(signal, 'group')
    await run.ended()
    assert.not.ok(await answers(url))
    assert.match(run.out(), '"msg":"stopping"')
  }
})

// On other systems, the command replaces the shell and gets the signals that npm forwards.
if (existsSync('/proc/self/stat')) {
  test('a gateway gives its port back when npx alone is stopped, when the terminal is closed, and when npx is killed', async () => {
    const endings = [
      ['SIGTERM', 'process'],
      ['SIGHUP', 'process'],
      ['SIGHUP', 'group'],
      ['SIGKILL', 'process'],
    ] as const
    for (const [signal, to] of endings) {
      const { run, url } = await started()
      run.signal(signal, to)
      await run.ended()
      assert.not.ok(await answers(url), `${signal} to the ${to}`)
      assert.match(run.out(), '"msg":"stopping"')
    }
  })

  test('a command of the builder ends with npx too', async () => {
    let asked = 0
    const silent = await listening(createServer(() => asked++))
    try {
      const run = npm.run('npx', ['vulnshelf', 'fetch', join(folder.path, 'feeds'), '--base-url', silent.origin])
      await until(
        () => asked > 0,
        () => run.out(),
      )
      run.signal('SIGTERM')
      await run.ended()
    } finally {
      await silent.close()
    }
  })
}

/** Asserts that the gateway with the printed pid, which writes to `log`, answers after the end of script and npx. */
async function outlives(run: NpmRun, log: string): Promise<void> {
  const pid = Number((await run.printed(/pid (\d+)/))[1])
  try {
    assert.is(await run.ended(), 0, run.out())
    const url = /listening on (\S+)/.exec(readFileSync(log, 'utf8'))![1]!
    // Longer than the gateway takes to detect the end of npx.
    await sleep(2000)
    assert.ok(await answers(url))
  } finally {
    process.kill(pid, 'SIGKILL')
  }
}

test('a gateway that a script leaves in the background goes on when the script and its npx have ended', async () => {
  const log = join(folder.path, 'background.log')
  const words = ['--import', 'tsx', 'gateway/process/cli.ts', ...serve]
  const launcher = `
    const { openSync, readFileSync } = require('node:fs')
    const out = openSync('${log}', 'a')
    const words = ${JSON.stringify(words)}
    const child = require('node:child_process').spawn(process.execPath, words, { detached: true, stdio: ['ignore', out, out] })
    child.unref()
    console.log('pid ' + child.pid)
    setInterval(() => readFileSync('${log}', 'utf8').includes('listening on') && process.exit(), 20)`
  await outlives(npm.run('npx', ['-c', `node -e "${launcher.replaceAll('"', '\\"')}"`]), log)
})

test('a gateway that a shell runs in the background goes on as well', async () => {
  const log = join(folder.path, 'ampersand.log')
  const command = `"${process.execPath}" --import tsx gateway/process/cli.ts ${serve.join(' ')} >${log} 2>&1 &`
  const waiting = `until grep -q listening ${log}; do sleep 0.1; done`
  await outlives(npm.run('npx', ['-c', `${command} echo pid $!; ${waiting}`]), log)
})

test.after(() => {
  npm.endAll()
  folder.remove()
})
test.run()
