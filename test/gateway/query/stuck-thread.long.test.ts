/** A thread that SQLite does not return to: nothing can end it but the end of the process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/dist.ts'

/** Runs it to its end; returns the lines on standard error. */
async function run(...words: string[]): Promise<string[]> {
  const folder = temporaryFolder('stuck-thread')
  const program = ['--import', 'tsx', join(import.meta.dirname, 'stuck-thread.ts'), folder.path, ...words]
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] })
  const hung = setTimeout(() => child.kill('SIGTERM'), 60_000)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const [code, signal] = await once(child, 'close')
  clearTimeout(hung)
  assert.equal([code, signal], [null, 'SIGKILL'], err)
  assert.match(out, /thread stuck in a native call, ending the process with SIGKILL/)
  return err.split('\n').filter(Boolean)
}

test('queries that hang are refused, no third thread is started, and the process ends when it stops', async () => {
  assert.equal(await run(), [
    'the query took longer than 5000 ms',
    'the query took longer than 5000 ms',
    'text search is unavailable: 2 query threads are stuck',
    'closed',
  ])
})

test('a process that stops while a query hangs ends as well', async () => {
  assert.equal(await run('at-once'), ['the gateway is closing', 'closed'])
})

test.run()
