/** Rule 26 of RULES.md: what the first ingest writes into the timeline, and what the next ones add. */
import * as assert from 'uvu/assert'
import { ingestAndBuild } from '../../support/dist.ts'
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  archiveCsv,
  container,
  cveList,
  cveMetric,
  frameworkJson,
  ghsaZip,
  lines,
  nvdPage,
  nvdRecord,
  osvEntry,
  ssvcMetric,
  VECTORS,
} from '../support/upstream.ts'

interface Message {
  json_path: string
  old_value: string | null
  new_value: string | null
  operation: string
  provider: string
}
interface Entry {
  category: string
  version_from: number
  version_to: number
  changed_at: string
  added_count: number
  modified_count: number
  removed_count: number
  messages: Message[]
}

const contract = contractSuite('rules, timeline')
const { rule } = contract

const [FIRST, SECOND] = ['CVE-2024-0001', 'CVE-2024-0002'] as const
const report = {
  id: '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90',
  cve_id: FIRST,
  report_type: 'overview',
  model: 'm-1',
  created_at: '2024-05-20T08:00:00Z',
  status: 'final',
  report_text: 'A text.',
}
const adp = [container('CISA-ADP', { metrics: [ssvcMetric('poc', 'no', 'total', '2024-05-10T00:00:00Z')] })]
const KEV = 'kev/known_exploited_vulnerabilities.json'
const world = await openWorld({
  ...cveList([{ id: FIRST, cna: { title: 'Old', metrics: [cveMetric('3.1')] }, adp }, { id: SECOND }]),
  [KEV]: kevJson([FIRST]),
  'nvd/page.json': nvdPage([nvdRecord(FIRST)]),
  ...ghsaZip([osvEntry('GHSA-2222-2222-2222', [FIRST], { summary: 'x' })]),
  'first-party/reports.ndjson': lines([report]),
})
const timelineOf = async (id: string) => (await world.json<{ timeline: Entry[] }>(`/cves/${id}/timeline`)).timeline
const snapshotId = async () => (await world.json<{ id: string }>('/snapshot')).id

const FIRST_ENTRIES: [category: string, changedAt: string][] = [
  ['svc_report', '2024-05-20T08:00:00.000Z'],
  ['kev', '2024-05-20T00:00:00.000Z'],
  ['ssvc', '2024-05-10T00:00:00.000Z'],
  ['advisory', '2024-05-06T10:00:00.000Z'],
  ['nvd', '2024-05-04T09:00:00.000Z'],
  ['publication', '2024-05-01T08:00:00.000Z'],
]

rule(26, 'the first ingest writes only dated events: publication, KEV, SSVC, NVD, advisory, reports', async () => {
  const timeline = await timelineOf(FIRST)
  assert.equal(
    timeline.map((one) => [one.category, one.changed_at]),
    FIRST_ENTRIES,
  )
  for (const { version_from, version_to } of timeline) assert.equal([version_from, version_to], [1, 1])
  assert.equal(
    (await timelineOf(SECOND)).map((one) => one.category),
    ['publication'],
  )
})

rule(26, 're-ingesting the same feeds adds nothing', async () => {
  const [before, id] = [await world.body(`/cves/${FIRST}/timeline`), await snapshotId()]
  await ingestAndBuild(world.made)
  await world.refresh()
  assert.is(await world.body(`/cves/${FIRST}/timeline`), before)
  assert.is(await snapshotId(), id)
})

rule(26, 'the next ingest compares the new record with the old one, and appends entries by category', async () => {
  const before = await timelineOf(FIRST)
  const changed = {
    id: FIRST,
    cna: { title: 'New', metrics: [cveMetric('3.1', 9.8, `${VECTORS['3.1'].vector}/E:H`)] },
    adp,
  }
  const references = [{ url: 'https://acme.example/2' }]
  await world.night(
    cveList(
      [
        {
          ...changed,
          cna: { ...changed.cna, references },
          metadata: { dateUpdated: '2024-06-02T09:00:00.000Z' },
        },
        { id: SECOND },
      ],
      '2024-06-02',
    ),
  )
  const timeline = await timelineOf(FIRST)
  assert.equal(timeline.slice(-before.length), before)
  const added = timeline.slice(0, -before.length)
  for (const one of added) {
    assert.is(one.changed_at, '2024-06-02T09:00:00.000Z')
    if (one.version_from !== one.version_to) assert.equal([one.version_from, one.version_to], [1, 2])
  }
  const entryOf = (category: string) => {
    const found = added.filter((one) => one.category === category)
    assert.is(found.length, 1, category)
    return found[0]!
  }
  const { messages: titles, modified_count } = entryOf('description')
  const title = titles.find(({ json_path }) => json_path === '$.title')!
  assert.equal([title.old_value, title.new_value], ['Old', 'New'])
  assert.ok(modified_count >= 1)
  const cited = entryOf('references')
  assert.equal([cited.added_count, cited.modified_count, cited.removed_count], [1, 0, 1])
  assert.equal([cited.version_from, cited.version_to], [1, 2])
  assert.equal(
    cited.messages.flatMap((one) => one.new_value ?? []).map((value) => value.includes('example/2')),
    [true],
  )
  assert.match(JSON.stringify(cited.messages.map((one) => one.old_value)), 'advisories/1')
  assert.match(JSON.stringify(entryOf('cvss').messages), '9.8')
  // What did not change has no entry, nor has the record that did not.
  for (const category of ['affected_versions', 'weakness', 'svc_report', 'nvd']) {
    assert.not.ok(
      added.some((one) => one.category === category),
      category,
    )
  }
  assert.is((await timelineOf(SECOND)).length, 1)
})

rule(26, 'changes from another feed are written with the date of that feed', async () => {
  const before = await timelineOf(SECOND)
  await world.night({ [KEV]: kevJson([FIRST, SECOND], '2024-06-03T10:00:00.0000Z') })
  const timeline = await timelineOf(SECOND)
  const [kev] = timeline.filter((one) => one.category === 'kev')
  assert.is(kev!.changed_at, '2024-05-20T00:00:00.000Z', 'a listing dates itself')
  assert.ok(kev!.messages.some((one) => one.json_path.startsWith('$.kev') && one.new_value !== null))
  assert.is(timeline.filter((one) => one.category === 'publication').length, before.length)
  // What else the catalog says is of its release.
  const [first, second] = JSON.parse(kevJson([FIRST, SECOND])).vulnerabilities
  const known = { ...second, knownRansomwareCampaignUse: 'Known' }
  const released = JSON.parse(kevJson([FIRST, SECOND], '2024-06-03T12:00:00.0000Z'))
  await world.night({ [KEV]: JSON.stringify({ ...released, vulnerabilities: [first, known] }) })
  const [newest] = await timelineOf(SECOND)
  assert.equal([newest!.category, newest!.changed_at], ['kev', '2024-06-03T12:00:00.000Z'])
})

const FRAMEWORK = 'metasploit/modules_metadata_base.json'
const ARCHIVE = 'exploitdb/files_exploits.csv'
const changes = (timeline: Entry[]) => timeline.map((one) => [one.version_to, one.category, one.changed_at])

rule(26, 'an exploit module has the date that its feed states', async () => {
  const before = changes(await timelineOf(SECOND))
  const module = (mod_time: string, more: object = {}) => ({
    'exploit/linux/x': { references: [SECOND], mod_time, ...more },
    'exploit/linux/other': { references: [], mod_time: '2024-06-05 01:00:00 +0000' },
  })
  const exploit = { id: 7, description: 'x', published: '2024-05-23', verified: true }
  const kev = (released: string) => ({ [KEV]: kevJson([FIRST, SECOND], released) })
  // What the catalog says of the campaigns changes back in the same night.
  await world.night({
    ...kev('2024-06-05T10:00:00.0000Z'),
    [FRAMEWORK]: frameworkJson(module('2024-05-25 03:04:05 +0000')),
  })
  const first = [
    [before.length + 1, 'kev', '2024-06-05T10:00:00.000Z'],
    [before.length + 1, 'exploits', '2024-05-25T03:04:05.000Z'],
    ...before,
  ]
  assert.equal(changes(await timelineOf(SECOND)), first)
  await world.night({
    ...kev('2024-06-06T10:00:00.0000Z'),
    [ARCHIVE]: archiveCsv([{ ...exploit, cves: [SECOND] }]),
  })
  const second = [[before.length + 2, 'exploits', '2024-05-23T00:00:00.000Z'], ...first]
  assert.equal(changes(await timelineOf(SECOND)), second)
  // One that goes is dated by the feed: as old as the newest module in it.
  await world.night({ ...kev('2024-06-07T10:00:00.0000Z'), [FRAMEWORK]: frameworkJson(module('', { references: [] })) })
  const third = [[before.length + 3, 'exploits', '2024-06-05T01:00:00.000Z'], ...second]
  assert.equal(changes(await timelineOf(SECOND)), third)
})

rule(26, 'entries are ordered by version, then by time, newest first; `since` compares times', async () => {
  const timeline = await timelineOf(SECOND)
  const keys = timeline.map((one) => `${one.version_to} ${one.changed_at}`)
  assert.equal(keys, keys.toSorted().reverse())
  const times = timeline.map((one) => one.changed_at)
  assert.not.equal(times, times.toSorted().reverse())
  const since = '2024-05-24T00:00:00Z'
  const { timeline: recent } = await world.json<{ timeline: Entry[] }>(`/cves/${SECOND}/timeline?since=${since}`)
  assert.equal(
    recent,
    timeline.filter(({ changed_at }) => Date.parse(changed_at) >= Date.parse(since)),
  )
  assert.ok(recent.length > 0 && recent.length < timeline.length)
})

rule(26, 'a change of EPSS scores alone is no change of the record', async () => {
  const before = await world.body(`/cves/${FIRST}/timeline`)
  await world.night({ 'epss/epss_scores-2024-06-04.csv.gz': epssCsv([[FIRST, 0.9, 0.99]], '2024-06-04') })
  assert.is(await world.body(`/cves/${FIRST}/timeline`), before)
  const { epss } = await world.json<{ epss: { score: number } }>(`/cves/${FIRST}`)
  assert.is(epss.score, 0.9)
})

contract.after(world.remove)
contract.run()
