/** gateway/API.md, section 6: the conditions and the bodies of errors. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint, isPerCve } from '../support/every-endpoint.ts'
import { identityOf } from '../support/identity.ts'
import { openService, openWorld } from '../support/service.ts'
import { cveList, ghsaZip, osvEntry } from '../support/upstream.ts'

interface ErrorBody {
  error: string
  message: string
  parameter?: string
}

interface Page {
  pagination: { next_cursor: string }
}

const contract = contractSuite('errors')
const { states } = contract

const service = await openService({ policy: { rules: [{ tier: 1, state: 'PUBLISHED' }] } })
const identity = await identityOf(service)
const endpoints = await everyEndpoint(service)
const outcome = async (path: string, headers?: Record<string, string>) => {
  const { status, body } = await service.ask(path, headers)
  const { error, message, parameter } = body as ErrorBody
  return { status, error, message, parameter }
}

states('6.5', 'the message says to start again', async () => {
  const { pagination } = await service.json<Page>('/cves?limit=1&severity=high')
  const cursor = pagination.next_cursor
  assert.is((await outcome(`/cves?limit=1&severity=high&cursor=${cursor}`)).status, 200)
  for (const query of ['severity=high&sort=published', 'severity=high&sort=-cvss', 'severity=low', 'limit=1']) {
    const { status, error, message } = await outcome(`/cves?${query}&cursor=${cursor}`)
    assert.equal([status, error], [400, 'invalid_cursor'], query)
    assert.match(message, /request the first page again/)
    // The fix: the first page with the new parameters.
    assert.is((await outcome(`/cves?${query}`)).status, 200)
  }
})

states('6.4', 'bad identifiers and unknown parameters', async () => {
  for (const path of ['/cves/CVE-24-1', '/cwes/x', '/capecs/CWE-66', '/cwes/79-1/cves', '/exploits/elsewhere/1']) {
    assert.is((await outcome(path)).status, 400, path)
  }
  for (const { template, path } of endpoints) {
    const asked = `${path}${path.includes('?') ? '&' : '?'}no_such_parameter=1`
    const { status, error, parameter } = await outcome(asked)
    assert.equal([status, error, parameter], [400, 'invalid_parameter', 'no_such_parameter'], template)
  }
})

states('6.6', 'missing and invalid tokens', async () => {
  const missing = await fetch(`${service.url}/api/v1/cves`)
  assert.equal([missing.status, ((await missing.json()) as ErrorBody).error], [401, 'unauthenticated'])
  const { status, error } = await outcome('/cves', { authorization: 'Bearer a.b.c' })
  assert.equal([status, error], [401, 'unauthenticated'])
})

states('6.7', 'before anything else of the request is validated', async () => {
  const user = await identity.as({ role: 'user' })
  const { status, error } = await outcome('/cves', user)
  assert.equal([status, error], [403, 'forbidden'])
  // Before anything else is judged: what does not exist is forbidden as well.
  for (const path of ['/no-such-thing', '/cves?no_such_parameter=1', '/cves/CVE-1999-0000']) {
    assert.is((await outcome(path, user)).error, 'forbidden', path)
  }
})

states('6.8', 'endpoints for one CVE only', async () => {
  const limited = await identity.as({ tier: 0 })
  for (const { template, path } of endpoints) {
    const { status } = await outcome(path, limited)
    assert.is(status, isPerCve(template) ? 403 : 200, template)
  }
})

states('6.9', 'no record, and no linked advisory', async () => {
  for (const { template, path } of endpoints.filter((one) => isPerCve(one.template))) {
    const { status, error } = await outcome(path.replace(/CVE-[\d-]+/, 'CVE-1998-9999'))
    assert.equal([status, error], [404, 'not_found'], template)
  }
  const advisory = osvEntry('GHSA-2222-3333-4444', ['CVE-2024-0001'], { summary: 'A fault' })
  const files = { ...cveList([{ id: 'CVE-2024-0001' }, { id: 'CVE-2024-0002' }]), ...ghsaZip([advisory]) }
  const world = await openWorld(files)
  try {
    assert.is((await world.ask('/cves/CVE-2024-0001/advisory')).status, 200)
    const { status, body } = await world.ask('/cves/CVE-2024-0002/advisory')
    assert.equal([status, (body as ErrorBody).error], [404, 'not_found'])
    assert.is((await world.ask('/cves/CVE-2024-0002')).status, 200)
  } finally {
    await world.remove()
  }
})

states('6.13', 'requests beyond the quota', async () => {
  const world = await openWorld(cveList([{ id: 'CVE-2024-0001' }]), { rateLimit: 2 })
  try {
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await world.ask('/cves')).status)
    assert.equal(statuses, [200, 200, 429, 429])
  } finally {
    await world.remove()
  }
})

states('6.3', 'not_found has no further field', async () => {
  for (const path of ['/cves/CVE-1998-9999', '/cves/CVE-1998-9999/advisory', '/cwes/999999', '/no-such-thing']) {
    const { status, body } = await service.ask(path)
    assert.is(status, 404, path)
    assert.equal(Object.keys(body as ErrorBody), ['error', 'message'])
    assert.type((body as ErrorBody).message, 'string')
  }
})

states('6.2', 'the message names the CVE', async () => {
  for (const { path } of endpoints.filter((one) => isPerCve(one.template))) {
    // As the caller may have written it, in any case.
    const { error, message } = await outcome(path.replace(/CVE-[\d-]+/, 'cve-1998-9999'))
    assert.is(error, 'not_found')
    assert.match(message, /\bCVE-1998-9999\b/)
    assert.match(message, /^[a-z]+( [\w-]+){2,}/i)
  }
})

contract.after(service.remove)
contract.run()
