/** Rule 7 of RULES.md: what a cursor is, what it is bound to, and where a walk goes on. */
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import { decodeCursor, encodeCursor } from '../../../corpus/snapshot/cursor/cursor.ts'
import { ingestAndBuild, quietEffects, temporaryFolder } from '../../support/dist.ts'
import { putFeeds } from '../../support/feeds.ts'
import { testGateway } from '../../support/gateway.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { cveList, type UpstreamRecord } from '../support/upstream.ts'

interface Row {
  cve_id: string
  title: string
}
interface Page<T = Row> {
  data: T[]
  pagination: { limit: number; next_cursor: string | null }
}

const contract = contractSuite('rules, cursors')
const { rule } = contract

const service = await sharedService()
const record = (n: number, title = `Fault ${n}`): UpstreamRecord => ({
  id: `CVE-2024-${String(n).padStart(4, '0')}`,
  cna: { title },
  metadata: { datePublished: `2024-03-${String(n).padStart(2, '0')}T00:00:00.000Z` },
})
const records = (...numbers: number[]) => cveList(numbers.map((n) => record(n)))
const numbers = ({ data }: Page) => data.map(({ cve_id }) => Number(cve_id.slice(-2)))
const cursorOf = (page: Page<unknown>) => {
  assert.ok(page.pagination.next_cursor)
  return page.pagination.next_cursor
}
/** Lists that are paged, by a path with filters. */
const PAGED = [
  '/cves?sort=-cvss&has_patch=true',
  '/cves?q=cve',
  '/cwes?sort=name',
  '/cwes/79/cves?scope=any',
  '/capecs?sort=-severity',
  '/vendors?sort=name',
  '/cnas?sort=completeness',
  '/exploits?source=exploit_archive',
  '/kev?sort=due_date',
  '/rejected?sort=date_rejected',
]
const firstOf = (path: string) => service.json<Page<object>>(`${path}${path.includes('?') ? '&' : '?'}limit=1`)

async function refusal(path: string): Promise<string> {
  const { status, body } = await service.ask(path)
  const { error, message, parameter } = body as { error: string; message: string; parameter: string }
  assert.equal([status, error, parameter], [400, 'invalid_cursor', 'cursor'], path)
  return message
}

rule(7, 'a cursor is opaque, URL-safe and at most 512 characters', async () => {
  for (const path of PAGED) assert.match(cursorOf(await firstOf(path)), /^[\w~.-]{1,512}$/)
})

rule(7, 'a cursor contains no secret and no filter, and grants no access', async () => {
  const cursor = cursorOf(await firstOf('/cves?q=cve-20'))
  const plain = Buffer.from(cursor, 'base64url').toString('latin1')
  assert.not.match(plain, 'cve-20')
  assert.not.match(plain, service.token.slice(0, 20))
  const path = `/cves?q=cve-20&limit=1&cursor=${cursor}`
  assert.is((await fetch(`${service.url}/api/v1${path}`)).status, 401)
  assert.is((await service.ask(path, await service.tokenOf({ role: 'user' }))).status, 403)
})

rule(7, 'a cursor with another list, sort or filter is rejected, and the message names it', async () => {
  const cursor = cursorOf(await firstOf('/cves?severity=high&sort=cvss'))
  assert.match(await refusal(`/cves?severity=high&sort=-cvss&cursor=${cursor}`), 'sort=cvss')
  assert.match(await refusal(`/cves?severity=high&cursor=${cursor}`), 'sort')
  for (const query of ['severity=low', 'severity=high,low', 'severity=high&kev=true', '', 'severity=high&q=e']) {
    assert.match(await refusal(`/cves?${query}&sort=cvss&cursor=${cursor}`), 'filters')
  }
  for (const path of [
    '/cwes/79/cves?severity=high&sort=cvss',
    '/cnas/acme/cves?severity=high&sort=cvss',
    '/vendors?',
  ]) {
    assert.match(await refusal(`${path}&cursor=${cursor}`), "another list, 'cves'")
  }
  // What the path names chooses rows as well.
  const ofWeakness = cursorOf(await firstOf('/cwes/79/cves?scope=any'))
  assert.match(await refusal(`/cwes/787/cves?scope=any&cursor=${ofWeakness}`), 'filters')
  assert.match(await refusal(`/cwes/79/cves?scope=primary&cursor=${ofWeakness}`), 'filters')
})

rule(7, 'filters and sort are equal for any case, order and number of parameters', async () => {
  const cases: [path: string, other: string][] = [
    ['/cves?severity=CRITICAL&sort=-CVSS', '/cves?severity=critical&sort=-cvss'],
    ['/cves?severity=low&severity=high&kev=FALSE', '/cves?severity=High,LOW&kev=false'],
    ['/cwes/79/cves?scope=ANY', '/cwes/79/cves?scope=any'],
    ['/cwes?likelihood=high', '/cwes?likelihood=High'],
    ['/exploits?source=Exploit_Archive', '/exploits?source=exploit_archive'],
  ]
  for (const [path, other] of cases) {
    const first = await firstOf(path)
    assert.equal(await firstOf(other), first, path)
    const next = `limit=1&cursor=${cursorOf(first)}`
    assert.equal(await service.json(`${other}&${next}`), await service.json(`${path}&${next}`), path)
  }
})

rule(7, 'a string that was not issued as a cursor, or was changed, is rejected', async () => {
  const strings = ['x', 'null', 'eyJ9', 'AAAA', Buffer.from('[1,"cves"]').toString('base64url'), 'a'.repeat(513), 'ä']
  for (const text of strings)
    assert.match(await refusal(`/cves?cursor=${encodeURIComponent(text)}`), 'this cursor is invalid')
  for (const path of PAGED) {
    const cursor = cursorOf(await firstOf(path))
    const join = path.includes('?') ? '&' : '?'
    for (let i = 0; i < cursor.length; i += 7) {
      const other = cursor[i] === 'A' ? 'B' : 'A'
      for (const changed of [
        cursor.slice(0, i) + cursor.slice(i + 1),
        cursor.slice(0, i) + other + cursor.slice(i + 1),
        `${cursor.slice(0, i)}A${cursor.slice(i)}`,
      ]) {
        await refusal(`${path}${join}cursor=${changed}`)
      }
    }
    await refusal(`${path}${join}cursor=${cursor}=`)
  }
  // A correct checksum does not help: the list has no such row.
  const issued = decodeCursor(cursorOf(await firstOf('/cves')))!
  for (const after of [
    { value: 1, id: 'CVE-2024-xyzzy' },
    { value: 'x', id: 'CVE-2024-0001' },
  ]) {
    assert.match(await refusal(`/cves?cursor=${encodeCursor({ ...issued, after })}`), 'this cursor is invalid')
  }
  const { status, body } = await service.ask('/cves?cursor=')
  assert.equal([status, (body as { error: string }).error], [400, 'invalid_parameter'])
})

rule(7, 'a cursor with a future creation time is rejected and logs nothing', async () => {
  for (const path of PAGED) {
    const cursor = decodeCursor(cursorOf(await firstOf(path)))!
    service.log.length = 0
    for (const createdAt of [Number.MAX_SAFE_INTEGER, Date.now() + 60_000]) {
      const forged = encodeCursor({ ...cursor, snapshot: 'f'.repeat(16), createdAt })
      assert.match(await refusal(`${path}&cursor=${forged}`), 'this cursor is invalid')
    }
    assert.equal(
      service.log.filter(({ level }) => level !== 'info'),
      [],
    )
    // The snapshot of the cursor is open here, so its time does not matter.
    const skewed = encodeCursor({ ...cursor, createdAt: Date.now() + 60_000 })
    assert.is((await service.ask(`${path}&cursor=${skewed}`)).status, 200)
  }
})

rule(7, '`limit` may change between pages', async () => {
  const all = (await service.all<Row>('/cves', 100)).map(({ cve_id }) => cve_id)
  const walked: string[] = []
  let cursor: string | null = null
  for (const limit of [1, 100, 3, 25, 50, 7, 100, 100, 100]) {
    const page: Page = await service.json(`/cves?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
    walked.push(...page.data.map(({ cve_id }) => cve_id))
    cursor = page.pagination.next_cursor
    if (cursor === null) break
  }
  assert.equal(walked, all)
})

rule(7, 'a walk continues in its snapshot while the service retains it', async () => {
  const world = await openWorld(records(2, 4, 6, 8))
  try {
    const ask = async (cursor: string | null) => {
      const response = await world.get(`/cves?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`)
      return { page: (await response.json()) as Page, snapshot: response.headers.get('snapshot-id') }
    }
    const first = await ask(null)
    assert.equal(numbers(first.page), [8])
    // A night takes one away that is still to come, changes another, and puts others before, between and behind.
    await world.night(
      cveList(
        [1, 2, 3, 5, 7, 8, 9].map((n) => record(n, 'Changed')),
        '2024-06-02',
      ),
    )
    const rest: number[] = []
    let cursor = cursorOf(first.page)
    for (let more = true; more; ) {
      const { page, snapshot } = await ask(cursor)
      assert.is(snapshot, first.snapshot)
      for (const row of page.data) assert.match(row.title, /^Fault/)
      rest.push(...numbers(page))
      more = page.pagination.next_cursor !== null
      if (more) cursor = cursorOf(page)
    }
    assert.equal(rest, [6, 4, 2])
    const fresh = await ask(null)
    assert.is.not(fresh.snapshot, first.snapshot)
    assert.equal(numbers(fresh.page), [9])
  } finally {
    await world.remove()
  }
})

rule(7, 'a text search continues in its snapshot after prune removed its files', async () => {
  const world = await openWorld(records(2, 4, 6, 8))
  try {
    const first = await world.json<Page>('/cves?q=fault&limit=1')
    await world.night(records(1, 8, 9))
    const { removed } = await prune(world.made.dist, { keep: { last: 1 } }, quietEffects())
    assert.ok(removed.objects > 0)
    const rest = await world.json<Page>(`/cves?q=fault&limit=9&cursor=${cursorOf(first)}`)
    assert.equal([...numbers(first), ...numbers(rest)], [8, 6, 4, 2])
  } finally {
    await world.remove()
  }
})

rule(7, 'a walk continues by key in the current snapshot after its own was removed', async () => {
  const world = await openWorld(records(2, 4, 6, 8))
  try {
    const first = await world.json<Page>('/cves?limit=2')
    assert.equal(numbers(first), [8, 6])
    const nights = [
      [2, 4, 6, 8, 9],
      [2, 4, 5, 6, 8, 9],
      [2, 3, 4, 5, 6, 8, 9],
      [1, 2, 3, 4, 5, 7, 8, 9],
    ]
    for (const [i, night] of nights.entries()) {
      await world.night(
        cveList(
          night.map((n) => record(n)),
          `2024-06-0${i + 2}`,
        ),
      )
    }
    const response = await world.get(`/cves?limit=100&cursor=${cursorOf(first)}`)
    assert.equal(numbers((await response.json()) as Page), [5, 4, 3, 2, 1])
    assert.is(response.headers.get('snapshot-id'), world.registry.current.id)
  } finally {
    await world.remove()
  }
})

rule(7, 'a cursor of a snapshot that is not loaded yet gives 503 with Retry-After', async () => {
  const world = await openWorld(records(1, 2, 3))
  const folder = temporaryFolder('newer')
  try {
    const old = cursorOf(await world.json<Page>('/cves?limit=1'))
    putFeeds(
      world.made.feeds,
      cveList(
        [1, 2, 3, 4].map((n) => record(n)),
        '2024-06-02',
      ),
    )
    await ingestAndBuild(world.made)
    // Another gateway on the same dist has the new snapshot; the first has not looked yet.
    const ahead = await testGateway(folder.path, world.made.dist)
    try {
      const page = JSON.parse(await ahead.body('/cves?limit=1')) as Page
      const { status, body, headers } = await world.ask(`/cves?limit=1&cursor=${cursorOf(page)}`)
      assert.equal([status, (body as { error: string }).error], [503, 'unavailable'])
      assert.match(headers.get('retry-after')!, /^[1-9]\d*$/)
      await world.refresh()
      assert.equal(numbers(await world.json<Page>(`/cves?limit=1&cursor=${cursorOf(page)}`)), [3])
      // The cursor of the older one is good at both.
      assert.equal(numbers(await world.json<Page>(`/cves?limit=1&cursor=${old}`)), [2])
    } finally {
      await ahead.close()
    }
  } finally {
    folder.remove()
    await world.remove()
  }
})

contract.after(service.remove)
contract.run()
