/** Checks of any endpoint: paging (gateway/API.md, section 4), and the errors that it gives instead of 200. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import type { Service } from './service.ts'

interface Page {
  data: unknown[]
  pagination: { limit: number; next_cursor: string | null }
}

const behind = (path: string, more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`

/** `limit` and `cursor`: 1 to 100, 25 unless said; walks of any limit give the same rows once each. */
export async function expectPaging(service: Service, path: string): Promise<void> {
  await expectLimit(service, path)
  const rows = await service.all(path, 100)
  assert.ok(rows.length > 1, `${path} has too few rows to page`)
  for (const limit of [1, 7, 25, 99].filter((limit) => limit > 1 || rows.length < 60)) {
    assert.equal(await service.all(path, limit), rows, `${path} by ${limit}`)
  }
  const { pagination } = await service.json<Page>(behind(path, 'limit=1'))
  const second = await service.json<Page>(behind(path, `limit=1&cursor=${pagination.next_cursor}`))
  assert.equal(second.data, [rows[1]], path)
  for (const wrong of ['x', `${pagination.next_cursor}x`, 'a'.repeat(600)]) {
    const { status, body } = await service.ask(behind(path, `cursor=${wrong}`))
    assert.equal([status, (body as { error: string }).error], [400, 'invalid_cursor'], `${path} ${wrong}`)
  }
}

/** `limit` alone. */
export async function expectLimit(service: Service, path: string): Promise<void> {
  const all = await service.json<Page>(behind(path, 'limit=100'))
  const unsaid = await service.json<Page>(path)
  assert.is(unsaid.pagination.limit, 25, path)
  assert.equal(unsaid.data, all.data.slice(0, 25), path)
  for (const limit of [1, 2, 24, 26, 99, 100]) {
    const page = await service.json<Page>(behind(path, `limit=${limit}`))
    assert.is(page.pagination.limit, limit, 'the limit is echoed')
    assert.equal(page.data, all.data.slice(0, limit), `${path} limit ${limit}`)
  }
  await refusesValues(service, path, 'limit', ['0', '101', '-1', 'abc', '1.5', '1e1', '', ' ', '25 '])
}

interface Refusal {
  error: string
  message: string
  parameter?: string
}

/** A 400 that blames this parameter, and names it in its message. */
export async function refuses(service: Service, path: string, parameter: string): Promise<void> {
  const { status, body } = await service.ask(path)
  const { error, message, parameter: blamed } = body as Refusal
  assert.equal({ status, error, blamed }, { status: 400, error: 'invalid_parameter', blamed: parameter }, path)
  assert.ok(message.includes(parameter), `${path}: ${message}`)
}

/** A 400 for each of these values of a parameter, each put behind `path`. */
export async function refusesValues(service: Service, path: string, name: string, values: readonly string[]) {
  for (const value of values) {
    await refuses(service, `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`, name)
  }
}

export interface Refusing {
  /** 401 without a token and with a forged one. */
  expectToken(path: string): Promise<void>
  /** 429 with Retry-After once the quota is used up. */
  expectQuota(path: string): Promise<void>
  /** 200 for `path`, and 401 and 429 where the token or the quota is missing. */
  expectAlways(path: string): Promise<void>
  /** 403 `tier_restricted` for who is below the tier of `gated`, 200 for who is not. */
  expectTier(path: (id: string) => string): Promise<void>
  /** Answers of a gateway without preview to somebody who is no administrator. */
  asReader(path: string, tier?: number): Promise<{ status: number; body: unknown }>
  gated: string
  close(): Promise<void>
}

/** Two more gateways on the same snapshot: one without preview and with a CVE above most tiers, one without quota left. */
export async function openRefusing(service: Service, gated: string): Promise<Refusing> {
  const { folder } = service
  const policy = join(folder, 'gated.json')
  writeFileSync(policy, JSON.stringify({ rules: [{ tier: 3, id: gated }] }))
  const open = await testGateway(folder, service.made.dist, {
    preview: false,
    accessPolicy: policy,
    // Tests send more bad tokens than anybody may.
    failedTokens: 1_000_000,
  })
  const spent = await testGateway(folder, service.made.dist, { rateLimit: 1, rateWindowSeconds: 3600 })
  await spent.body('/snapshot')
  const errorOf = async (gateway: TestGateway, path: string, headers: Record<string, string>) => {
    const response = await gateway.get(path, headers)
    return { status: response.status, error: ((await response.json()) as Refusal).error, headers: response.headers }
  }
  const asReader = async (path: string, tier?: number) => {
    const claims = tier === undefined ? { role: 'reader' } : { role: 'reader', tier }
    const response = await open.get(path, await service.tokenOf(claims))
    return { status: response.status, body: await response.json() }
  }
  const expectToken = async (path: string) => {
    const bare = await fetch(`${open.url}/api/v1${path}`)
    assert.is(bare.status, 401, path)
    assert.is(((await bare.json()) as Refusal).error, 'unauthenticated')
    const forged = await errorOf(open, path, { authorization: 'Bearer no.such.token' })
    assert.equal([forged.status, forged.error], [401, 'unauthenticated'], path)
  }
  const expectQuota = async (path: string) => {
    const { status, error, headers } = await errorOf(spent, path, {})
    assert.equal([status, error], [429, 'rate_limited'], path)
    assert.match(headers.get('retry-after')!, /^[1-9]\d*$/, path)
  }
  return {
    gated,
    asReader,
    expectToken,
    expectQuota,
    async expectAlways(path) {
      assert.is((await service.ask(path)).status, 200, path)
      await expectToken(path)
      await expectQuota(path)
    },
    async expectTier(path) {
      for (const tier of [undefined, 0, 2]) {
        const { status, body } = await asReader(path(gated), tier)
        assert.equal([status, (body as Refusal).error], [403, 'tier_restricted'], path(gated))
      }
      for (const tier of [3, 4]) assert.is.not((await asReader(path(gated), tier)).status, 403, path(gated))
      assert.is.not((await errorOf(open, path(gated), {})).status, 403, 'an administrator sees all')
      const forbidden = await errorOf(service, path(gated), await service.tokenOf({ role: 'reader', tier: 9 }))
      assert.equal([forbidden.status, forbidden.error], [403, 'forbidden'], 'the preview')
    },
    async close() {
      await open.close()
      await spent.close()
    },
  }
}
