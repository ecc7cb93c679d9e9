/** The Fastify server of the comparison: the same answers to the same requests, and only with a token. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeIndex, type Index } from '../../../corpus/snapshot/derive/index-table.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { createClient } from '../http/client.ts'
import type { Measured } from '../http/processes.ts'
import { databaseOf } from './database.ts'
import { expectEqual } from './equal.ts'
import { fastifyTarget, startFastify } from './fastify-process.ts'

const { path, remove } = temporaryFolder('alternatives-fastify')
let gateway: TestGateway
let fastify: Measured
let index: Index

test.before(async () => {
  const { dist } = await sampleDist(path, 600)
  gateway = await testGateway(path, dist)
  const [jwks, log] = [join(path, 'keys', 'jwks.json'), join(path, 'fastify.log')]
  fastify = await startFastify({ database: databaseOf(dist, () => {}), jwks, log, gzip: 6 })
  index = decodeIndex(readObject(dist, fileOf(readCurrent(dist).manifest, 'index', 'cve')))
})

test.after(async () => {
  await fastify.stop()
  await gateway.close()
  remove()
})

const SORTS = ['published', 'updated', 'cvss', 'epss'].flatMap((key) => [key, `-${key}`])
const SECTIONS = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis'

/** Sends the same requests to both, with cursors in the format of each. */
async function hold(targets: readonly string[]): Promise<void> {
  const client = createClient(gateway.port, gateway.token)
  try {
    const translated = targets.map((target) => ({ target: fastifyTarget(target, index) }))
    const headers = [`Authorization: Bearer ${gateway.token}`]
    for (let at = 0; at < targets.length; at += 50) {
      const asked = targets.slice(at, at + 50).map((target) => ({ target }))
      await expectEqual(client, fastify.port, headers, asked, translated.slice(at, at + 50))
    }
  } finally {
    client.close()
  }
}

const FILTERS = [
  'severity=critical,high',
  'kev=true',
  'has_exploit=true',
  'has_patch=false',
  'has_detection=true',
  'assigner=NOBODY',
  'cwe=CWE-79',
  'epss_min=0.5',
  'published_since=2020-01-01',
  'published_until=2021-06-30',
  'updated_since=2022-01-01T12:00:00Z',
  'q=CVE-2024',
  'q=a',
  'q=%25%22',
]

test('lists are answered as by the gateway: every filter, every sort, several limits', async () => {
  const queries = ['', ...FILTERS].flatMap((filter) => SORTS.map((sort) => `${filter}&sort=${sort}&limit=100`))
  await hold([...queries, 'kev=false&has_patch=true&limit=1', 'severity=none'].map((query) => `/api/v1/cves?${query}`))
})

test('walks go on behind the same rows', async () => {
  const targets: string[] = []
  for (const sort of SORTS) {
    let cursor: string | null = ''
    while (cursor !== null) {
      const target: string = `/api/v1/cves?sort=${sort}&limit=100${cursor && `&cursor=${cursor}`}`
      targets.push(target)
      const { pagination } = JSON.parse(await gateway.body(target.slice('/api/v1'.length)))
      cursor = pagination.next_cursor
    }
  }
  assert.ok(targets.length >= 6 * SORTS.length)
  await hold(targets)
})

test('details are answered as by the gateway, with any sections', async () => {
  const { data } = JSON.parse(await gateway.body('/cves?limit=60')) as { data: { cve_id: string }[] }
  const includes = ['', '?include=', '?include=analysis,references', `?include=${SECTIONS}`]
  await hold(data.flatMap(({ cve_id }) => includes.map((include) => `/api/v1/cves/${cve_id}${include}`)))
})

test('a request without a good token is 401, one with a mistake 400, an unknown CVE 404', async () => {
  const statusOf = async (target: string, token: string) => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    return (await fetch(`http://127.0.0.1:${fastify.port}/api/v1${target}`, { headers })).status
  }
  assert.is(await statusOf('/cves', ''), 401)
  assert.is(await statusOf('/cves', `${gateway.token.slice(0, -6)}AAAAAA`), 401)
  assert.is(await statusOf('/cves?limit=101', gateway.token), 400)
  assert.is(await statusOf('/cves?severity=worst', gateway.token), 400)
  assert.is(await statusOf('/cves/CVE-1999-99999', gateway.token), 404)
  assert.is(await statusOf('/cves', gateway.token), 200)
})

test('a client that has an answer already gets a 304', async () => {
  const url = `http://127.0.0.1:${fastify.port}/api/v1/cves`
  const headers = { authorization: `Bearer ${gateway.token}`, 'accept-encoding': 'gzip' }
  const first = await fetch(url, { headers })
  assert.is(first.headers.get('content-encoding'), 'gzip')
  const tag = first.headers.get('etag')!
  assert.is((await fetch(url, { headers: { ...headers, 'if-none-match': tag } })).status, 304)
})

test.run()
