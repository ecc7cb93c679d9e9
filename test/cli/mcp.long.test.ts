/** `vulnshelf mcp` as a client starts it: the protocol on standard input and output, and nothing else there. */
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCurrent } from '../../corpus/snapshot/index.ts'
import { sharedSample } from '../support/samples.ts'
import { done, endAll, failed, vulnshelf } from './command.ts'

const { dist } = await sharedSample('small')
const program = join(import.meta.dirname, '../../builder/bin.js')

test('a client starts the server, lists its tools and calls one', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', dist],
    stderr: 'ignore',
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  try {
    assert.is((await client.listTools()).tools.length, 7)
    const { structuredContent } = await client.callTool({ name: 'list_cves', arguments: { limit: 3 } })
    const { snapshot, data } = structuredContent as { snapshot: { id: string }; data: { data: unknown[] } }
    assert.is(snapshot.id, readCurrent(dist).manifest.snapshot)
    assert.is(data.data.length, 3)
  } finally {
    await client.close()
  }
})

test('the end of the input ends the command with 0', async () => {
  assert.is(done(await vulnshelf(['mcp', dist])), '')
})

test('a missing snapshot is an error', async () => {
  assert.match(failed(await vulnshelf(['mcp', `${dist}/none`])), 'latest.json')
})

test.after(endAll)
test.run()
