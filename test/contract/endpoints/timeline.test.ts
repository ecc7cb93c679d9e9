/** gateway/API.md, section 14: the endpoint, against the corpus for every CVE. */
import * as assert from 'uvu/assert'
import type { TimelineEntry } from '../../../corpus/model/record.ts'
import { openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { RESERVED, UNKNOWN } from '../support/odd-records.ts'
import { recordsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves/{cveId}/timeline')
const service = await sharedService()
const records = recordsOf(service.corpus)
const ids = [...records.keys()]
const entriesOf = (id: string) => records.get(id)!.timeline
const longest = ids.toSorted((a, b) => entriesOf(b).length - entriesOf(a).length)[0]!
const refusing = await openRefusing(service, longest)

interface Answer {
  cve_id: string
  count: number
  timeline: TimelineEntry[]
}
const ask = (id: string, query = '') => service.json<Answer>(`/cves/${id}/timeline${query}`)

async function hold(id: string, query: string, passes: (entry: TimelineEntry) => boolean): Promise<number> {
  const expected = entriesOf(id).filter(passes)
  assert.equal(await ask(id, query), { cve_id: id, count: expected.length, timeline: expected }, `${id} ${query}`)
  return expected.length
}

states('14.1', 'entries with or without messages', async () => {
  let told = 0
  for (const id of ids) {
    const text = await service.body(`/cves/${id}/timeline`)
    assert.is(await service.body(`/cves/${id}/timeline?messages=true`), text)
    const { timeline } = JSON.parse(text) as Answer
    assert.equal(timeline, entriesOf(id))
    told += timeline.flatMap(({ messages }) => messages).length
    const silent = await ask(id, '?messages=false')
    assert.is(silent.count, timeline.length)
    const without = (entries: TimelineEntry[]) => entries.map(({ messages: _, ...entry }) => entry)
    assert.equal(without(silent.timeline), without(timeline), 'all but the messages')
    for (const { messages = [] } of silent.timeline) assert.equal(messages, [])
  }
  assert.ok(told > 100, String(told))
  await refusesValues(service, `/cves/${longest}/timeline`, 'messages', ['', '0', 'no'])
})

states('14.2', 'the timeline of one category', async () => {
  const categories = [...new Set(ids.flatMap((id) => entriesOf(id).map(({ category }) => category!)))]
  assert.ok(categories.length > 8)
  for (const category of [...categories, 'no such', 'null', 'PUBLICATION', 'publication,kev']) {
    let found = 0
    const told = ids.filter((id) => entriesOf(id).some((entry) => entry.category === category))
    for (const id of new Set([...told, ...ids.filter((_, i) => i % 10 === 0)])) {
      const query = `?category=${encodeURIComponent(category)}`
      found += await hold(id, query, (entry) => entry.category === category)
    }
    assert.is(found > 0, categories.includes(category), category)
  }
  await refusesValues(service, `/cves/${longest}/timeline`, 'category', [''])
})

states('14.3', 'entries since a day', async () => {
  const changed = (entry: TimelineEntry) => (entry.changed_at === null ? Number.NaN : Date.parse(entry.changed_at))
  const busy = ids.filter((id) => entriesOf(id).length > 3)
  assert.ok(busy.length > 20)
  for (const id of busy) {
    const days = new Set(entriesOf(id).flatMap(({ changed_at }) => changed_at?.slice(0, 10) ?? []))
    for (const day of [...days, '1990-01-01', '2999-01-01']) {
      const found = await hold(id, `?since=${day}`, (entry) => changed(entry) >= Date.parse(`${day}T00:00:00Z`))
      assert.is(found > 0, day !== '2999-01-01', `${id} ${day}`)
    }
    const moment = entriesOf(id).find(({ changed_at }) => changed_at)!.changed_at!
    await hold(id, `?since=${moment}`, (entry) => changed(entry) >= Date.parse(moment))
    await hold(id, `?since=${moment}&category=nvd`, (entry) => {
      return changed(entry) >= Date.parse(moment) && entry.category === 'nvd'
    })
  }
  const wrong = ['', '2024-02-30', '2024', 'yesterday', '24-01-01', '1700000000']
  await refusesValues(service, `/cves/${longest}/timeline`, 'since', wrong)
})

states('14.4', 'newest entry first', async () => {
  for (const id of ids) {
    const answer = await ask(id)
    assert.equal(Object.keys(answer).sort(), ['count', 'cve_id', 'timeline'])
    assert.equal([answer.cve_id, answer.count], [id, answer.timeline.length])
    const times = answer.timeline.flatMap(({ changed_at }) => changed_at ?? []).map((text) => Date.parse(text))
    assert.equal(
      times,
      times.toSorted((a, b) => b - a),
      id,
    )
  }
  assert.ok(new Set(entriesOf(longest).map(({ changed_at }) => changed_at)).size > 2)
})

states('14.5', 'no entry matches', async () => {
  for (const query of ['?since=2999-01-01', '?category=nothing', '?since=2999-01-01&messages=false']) {
    assert.equal(await ask(longest, query), { cve_id: longest, count: 0, timeline: [] })
  }
  const none = ids.filter((id) => entriesOf(id).length === 0)
  assert.ok(none.includes(RESERVED), 'nothing is known of it')
  for (const id of none) assert.equal(await ask(id), { cve_id: id, count: 0, timeline: [] })
})

states('14.6', 'all its statuses', async () => {
  await refusing.expectAlways(`/cves/${longest}/timeline?messages=false`)
  await refusing.expectTier((id) => `/cves/${id}/timeline`)
  await refusing.expectTier((id) => `/cves/${id}/timeline?category=nvd`)
  await refuses(service, `/cves/${longest}/timeline?until=2024-01-01`, 'until')
  assert.is((await service.ask(`/cves/${UNKNOWN}/timeline`)).status, 404)
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
