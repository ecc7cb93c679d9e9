/** The lines of the alternatives: what is measured, and that nginx sends exactly the gateway's answers. */
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { ROOT } from '../build/program.ts'
import type { BenchLine } from '../report/line.ts'
import { alternativeLines } from './http.ts'
import { haveNginx, NO_NGINX, startNginx } from './nginx.ts'

const { path, remove } = temporaryFolder('alternatives-http')

test.after(remove)

test('each line has the gateway, the alternative and what both cost; without nginx its line is left out and said', async () => {
  const { dist } = await sampleDist(path, 600)
  const corpus = { cves: 600, feeds: '', nights: ['', ''] as [string, string], corpus: '', dist }
  const said: string[] = []
  const only = ['alternatives/page25-fastify', 'alternatives/page25-nginx']
  const lines: BenchLine[] = []
  const context = {
    corpora: [corpus],
    folder: path,
    root: ROOT,
    rounds: 1,
    seconds: 0.05,
    only,
    say: (line: string) => said.push(line),
  }
  for await (const line of alternativeLines(context)) lines.push(line)
  assert.equal(
    lines.map(({ name }) => name),
    haveNginx() ? only : only.slice(0, 1),
  )
  assert.is(said.includes(NO_NGINX), !haveNginx())
  for (const { figure, reference, ratio, budget, details, name } of lines) {
    assert.ok(figure > 0 && reference!.figure > 0 && ratio!.median > 0, name)
    assert.is(budget, null, name)
    assert.ok(details['response bytes']! > 100 && details['its response bytes']! > 100, name)
  }
})

const withNginx = suiteNeeding('alternatives, nginx', 'nginx')
withNginx('nginx hands out what was put up, as gzip', async () => {
  const nginx = await startNginx(`${path}/nginx`)
  try {
    const target = nginx.add('one', gzipSync('{"data":[]}'))
    const response = await fetch(`http://127.0.0.1:${nginx.port}${target}`, { headers: { 'accept-encoding': 'gzip' } })
    assert.is(response.headers.get('content-encoding'), 'gzip')
    assert.is(response.headers.get('content-type'), 'application/json')
    assert.is(await response.text(), '{"data":[]}')
  } finally {
    await nginx.stop()
  }
})

test.run()
withNginx.run()
