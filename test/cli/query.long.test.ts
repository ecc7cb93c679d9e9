/** `vulnshelf query` as a script runs it: exit codes, a pipe that closes, a web server. */
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sharedSample } from '../support/samples.ts'
import { serveFolder } from '../support/web-folder.ts'
import { done, endAll, failed, start, vulnshelf } from './command.ts'

const { dist } = await sharedSample('large')

test('a reader that closes the pipe ends the command with 0, without a message', async () => {
  const child = start('vulnshelf', ['query', dist, '--format', 'ndjson'])
  let err = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const closed = once(child, 'close')
  await once(child.stdout!, 'data')
  child.stdout!.destroy()
  assert.equal((await closed)[0], 0)
  assert.is(err, '')
})

test('wrong usage exits with 2, and an unknown id with 1', async () => {
  assert.match(failed(await vulnshelf(['query', dist, 'severty=high']), 2), "did you mean 'severity'?")
  assert.match(failed(await vulnshelf(['query', dist, 'kev=true', '--limit', '0']), 2), 'from 1 on')
  assert.match(failed(await vulnshelf(['query', dist, '/cves/CVE-1999-99999']), 1), 'CVE-1999-99999')
  assert.match(failed(await vulnshelf(['query', `${dist}/none`]), 1), 'latest.json')
})

test('a repository on a web server answers as the folder does', async () => {
  const server = await serveFolder(dist)
  try {
    const args = ['kev=true', '--sort', '-epss', '--format', 'csv']
    const from = async (address: string) => done(await vulnshelf(['query', address, ...args]))
    const rows = await from(dist)
    assert.ok(rows.split('\r\n').length > 10)
    assert.is(await from(server.url), rows)
  } finally {
    await server.close()
  }
})

test.after(endAll)
test.run()
