/** The gateway's command is one process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeToken } from '../../../gateway/auth/token.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('one-process')
const { dist } = await sharedSample('small')

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const isLinux = existsSync('/proc/self/cmdline')

if (isLinux) {
  test('the command is one process, so that signals reach it at once, however busy it is', async () => {
    const { jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })
    const command = join(import.meta.dirname, '../../../gateway/bin.js')
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const gateway = spawn(command, ['serve', dist, '--port', '0', '--jwks', jwksFile], {
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(gateway, 'exit')
    let said = ''
    for await (const text of gateway.stderr) {
      said += text
      if (said.includes('listening on')) break
    }
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
