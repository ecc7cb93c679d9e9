/** Rule 26 of RULES.md: the dates of what the next nights add to a timeline. */
import * as assert from 'uvu/assert'
import { ingestAndBuild } from '../../support/dist.ts'
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { archiveCsv, cveList, frameworkJson } from '../support/upstream.ts'

interface Message {
  json_path: string
  new_value: string | null
}
interface Entry {
  category: string
  version_to: number
  changed_at: string
  messages: Message[]
}

const contract = contractSuite('rules, timeline')
const { rule } = contract

const [FIRST, SECOND] = ['CVE-2024-0001', 'CVE-2024-0002'] as const
const KEV = 'kev/known_exploited_vulnerabilities.json'
const world = await openWorld({ ...cveList([{ id: FIRST }, { id: SECOND }]), [KEV]: kevJson([FIRST]) })
const timelineOf = async (id: string) => (await world.json<{ timeline: Entry[] }>(`/cves/${id}/timeline`)).timeline

rule(26, 're-ingesting the same feeds adds nothing', async () => {
  const snapshotId = async () => (await world.json<{ id: string }>('/snapshot')).id
  const [before, id] = [await world.body(`/cves/${FIRST}/timeline`), await snapshotId()]
  await ingestAndBuild(world.made)
  await world.refresh()
  assert.is(await world.body(`/cves/${FIRST}/timeline`), before)
  assert.is(await snapshotId(), id)
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
  const version = before.length + 1
  const [newest, ...older] = before
  const first = [
    [version, 'kev', '2024-06-05T10:00:00.000Z'],
    newest,
    [version, 'exploits', '2024-05-25T03:04:05.000Z'],
    ...older,
  ]
  assert.equal(changes(await timelineOf(SECOND)), first)
  await world.night({
    ...kev('2024-06-06T10:00:00.0000Z'),
    [ARCHIVE]: archiveCsv([{ ...exploit, cves: [SECOND] }]),
  })
  const second = first.toSpliced(3, 0, [version + 1, 'exploits', '2024-05-23T00:00:00.000Z'])
  assert.equal(changes(await timelineOf(SECOND)), second)
  // One that goes is dated by the feed: as old as the newest module in it.
  await world.night({ ...kev('2024-06-07T10:00:00.0000Z'), [FRAMEWORK]: frameworkJson(module('', { references: [] })) })
  const third = second.toSpliced(1, 0, [version + 2, 'exploits', '2024-06-05T01:00:00.000Z'])
  assert.equal(changes(await timelineOf(SECOND)), third)
})

rule(26, 'entries are ordered by time, then by version, newest first; `since` compares times', async () => {
  const timeline = await timelineOf(SECOND)
  const keys = timeline.map((one) => `${one.changed_at} ${one.version_to}`)
  assert.equal(keys, keys.toSorted().reverse())
  const versions = timeline.map((one) => one.version_to)
  assert.not.equal(versions, versions.toSorted().reverse())
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
