/** API 27.7 to 27.10: answers from earlier snapshots. */
import * as assert from 'uvu/assert'
import { derive } from '../../../builder/derive.ts'
import { prune } from '../../../builder/prune.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { quietEffects } from '../../support/dist.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld, type World } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const { states, rule, after, run } = contractSuite('endpoints, earlier snapshots')

interface Page {
  data: { cve_id: string; title: string }[]
  pagination: { next_cursor: string | null }
}

interface Night {
  id: string
  created_at: string
}

/** More nights than a gateway keeps open. */
const NIGHTS = 6
const SECRET = 'CVE-2024-0001'

const nightOf = (n: number) =>
  cveList(
    [1, 2, 3, 4].map((number) => ({
      id: `CVE-2024-000${number}`,
      cna: { title: `Fault ${number} in night ${n}` },
      metadata: { datePublished: `2024-03-0${number}T00:00:00.000Z`, ...(n < 2 && { assignerShortName: 'early' }) },
    })),
    `2024-06-0${n + 1}`,
  )

/** Oldest first. */
async function worldOfNights(policy?: object): Promise<{ world: World; nights: Night[] }> {
  const world = await openWorld(nightOf(0), policy ? { policy } : {})
  for (let n = 1; n < NIGHTS; n++) await world.night(nightOf(n))
  const { data } = await world.json<{ data: Night[] }>('/snapshots')
  return { world, nights: data.reverse() }
}

const { world, nights } = await worldOfNights()
const [first, last] = [nights[0]!, nights.at(-1)!]
const titleAt = async (snapshot: string) =>
  (await world.json<{ title: string }>(`/cves/CVE-2024-0004?snapshot=${encodeURIComponent(snapshot)}`)).title

async function refusal(path: string, wanted: readonly [number, string]): Promise<string> {
  const { status, body } = await world.ask(path)
  const { error, message } = body as { error: string; message: string }
  assert.equal([status, error], wanted, `${path}: ${message}`)
  return message
}

states('27.7', 'an id, a prefix or a time selects the snapshot', async () => {
  assert.is(nights.length, NIGHTS)
  for (const [n, { id, created_at: at }] of nights.entries()) {
    const title = `Fault 4 in night ${n}`
    for (const choice of [id, id.toUpperCase(), id.slice(0, 12), at]) assert.is(await titleAt(choice), title, choice)
    const { id: answered } = await world.json<Night>(`/snapshot?snapshot=${id}`)
    assert.is(answered, id)
  }
  // The nights are of one day. A date means the end of it.
  assert.is(await titleAt(last.created_at.slice(0, 10)), `Fault 4 in night ${NIGHTS - 1}`)
  const before = new Date(Date.parse(last.created_at) - 1).toISOString()
  assert.is(await titleAt(before), `Fault 4 in night ${NIGHTS - 2}`)
})

states('27.7', 'endpoints about several snapshots do not take it', async () => {
  for (const path of ['/snapshots', `/changes?since=${first.id}`, '/openapi.json']) {
    const { status, body } = await world.ask(`${path}${path.includes('?') ? '&' : '?'}snapshot=${first.id}`)
    assert.equal([status, (body as { parameter: string }).parameter], [400, 'snapshot'], path)
  }
})

states('27.7', 'lists, searches and packages answer from it', async () => {
  for (const [path, own] of [
    ['/cves?q=night 0', 4],
    ['/cves?text=night 0', 4],
    ['/cves?q=night 1', 0],
  ] as const) {
    const { data } = await world.json<Page>(`${path}&snapshot=${first.id}`)
    assert.is(data.length, own, path)
  }
  const { counts } = await world.json<{ counts: { cve: number } }>(`/search?q=night 0&snapshot=${first.id}`)
  assert.is(counts.cve, 4)
})

states('27.8', 'headers name the time and the list of snapshots, and a full id may be cached', async () => {
  for (const night of [first, last]) {
    const { headers } = await world.ask(`/cves?snapshot=${night.id}`)
    const seconds = Math.floor(Date.parse(night.created_at) / 1000)
    assert.is(headers.get('memento-datetime'), new Date(seconds * 1000).toUTCString())
    assert.is(headers.get('link'), '</api/v1/snapshots>; rel="timemap"; type="application/json"')
    assert.is(headers.get('cache-control'), 'private, max-age=31536000, immutable')
    assert.is(headers.get('snapshot-id'), night.id)
    const tag = headers.get('etag')!
    assert.is((await world.ask(`/cves?snapshot=${night.id}`, { 'if-none-match': tag })).status, 304)
  }
  for (const choice of [first.id.slice(0, 63), first.created_at]) {
    const { headers } = await world.ask(`/cves?snapshot=${choice}`)
    assert.is(headers.get('cache-control'), 'private, no-cache')
    assert.ok(headers.get('memento-datetime'))
  }
  const { headers } = await world.ask('/cves')
  assert.equal([headers.get('memento-datetime'), headers.get('link')], [null, null])
})

states('27.9', 'what is unknown or too old', async () => {
  const unknown = await refusal(`/cves?snapshot=${'f'.repeat(64)}`, [404, 'not_found'])
  assert.match(unknown, first.id)
  assert.match(unknown, last.id)
  const early = await refusal('/cves?snapshot=1999-12-31', [404, 'not_found'])
  assert.match(early, `the nearest one after it is ${first.id}`)
  await refusal('/cves?snapshot=fffffff', [404, 'not_found'])
  await refusal('/cves?snapshot=ffffff', [400, 'invalid_parameter'])
})

states('27.10', 'a walk with a snapshot and one without are not mixed', async () => {
  for (const { id } of [first, last]) {
    const page = await world.json<Page>(`/cves?limit=2&snapshot=${id}`)
    const cursor = page.pagination.next_cursor!
    const rest = await world.json<Page>(`/cves?limit=2&snapshot=${id}&cursor=${cursor}`)
    assert.equal(
      [...page.data, ...rest.data].map(({ cve_id: cveId }) => cveId),
      ['CVE-2024-0004', 'CVE-2024-0003', 'CVE-2024-0002', 'CVE-2024-0001'],
    )
    assert.match(await refusal(`/cves?cursor=${cursor}`, [400, 'invalid_cursor']), "with 'snapshot'")
    const other = id === first.id ? last : first
    const message = await refusal(`/cves?cursor=${cursor}&snapshot=${other.id}`, [400, 'invalid_cursor'])
    assert.match(message, "another 'snapshot'")
  }
  const { pagination } = await world.json<Page>('/cves?limit=2')
  const mixed = `/cves?cursor=${pagination.next_cursor}&snapshot=${last.id}`
  assert.match(await refusal(mixed, [400, 'invalid_cursor']), "without 'snapshot'")
})

rule(15, 'the policy of now applies to earlier snapshots', async () => {
  const rules = [
    { tier: 2, id: SECRET },
    { tier: 3, assigner: 'early' },
  ]
  const { world: guarded, nights } = await worldOfNights({ rules })
  try {
    const ask = async (night: number, cveId: string, tier: number) => {
      const authorization = await guarded.tokenOf({ role: 'admin', tier })
      return (await guarded.ask(`/cves/${cveId}?snapshot=${nights[night]!.id}`, authorization)).status
    }
    // The other CVEs had another CNA in the first two nights.
    for (const [night, cveId, least] of [
      [0, SECRET, 3],
      [0, 'CVE-2024-0002', 3],
      [2, SECRET, 2],
      [2, 'CVE-2024-0002', 0],
      [NIGHTS - 1, SECRET, 2],
    ] as const) {
      assert.is(await ask(night, cveId, least), 200, `${night} ${cveId}`)
      if (least > 0) assert.is(await ask(night, cveId, least - 1), 403, `${night} ${cveId}`)
    }
  } finally {
    await guarded.remove()
  }
})

states(
  '27.9',
  'a snapshot without derived files answers records; for a list it gives 410, and the message names the remedy',
  async () => {
    const kept = { last: NIGHTS }
    await prune(world.made.dist, { keep: kept, keepDerived: 1 }, quietEffects())
    // The gateway has read parts of the first night, so another process asks.
    const reader = await openReader(world.made.dist)
    try {
      const record = await reader.request(`/cves/CVE-2024-0004?snapshot=${first.id}`)
      assert.is((JSON.parse(record.body) as { title: string }).title, 'Fault 4 in night 0')
      const list = await reader.request(`/cves?snapshot=${first.id}`)
      assert.is(list.status, 410)
      assert.match(list.body, 'vulnshelf derive')
      await derive(world.made.dist, first.id, 0, quietEffects())
      const { data } = JSON.parse((await reader.request(`/cves?snapshot=${first.id}`)).body) as Page
      assert.is(data.length, 4)
    } finally {
      await reader.close()
    }
  },
)

states('27.9', 'a removed snapshot gives 410, and the message names the kept ones', async () => {
  await prune(world.made.dist, { keep: { last: 2 } }, quietEffects())
  const oldestKept = nights[NIGHTS - 2]!.id
  // The gateway still has the one before it open.
  for (const choice of [nights[NIGHTS - 4]!.id, first.created_at]) {
    assert.match(await refusal(`/cves?snapshot=${choice}`, [410, 'gone']), oldestKept)
  }
  // A reader that opens the repository now knows only the parent of the oldest one.
  const reader = await openReader(world.made.dist)
  for (const [{ id }, status] of [
    [nights[NIGHTS - 3]!, 410],
    [first, 404],
  ] as const) {
    const reply = await reader.request(`/cves?snapshot=${id}`)
    assert.is(reply.status, status)
    assert.match(reply.body, oldestKept)
  }
  await reader.close()
})

after(() => world.remove())

run()
