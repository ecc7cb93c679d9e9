/**
 * A client that keeps a copy by `/changes`: after ten nights of the generator it has the records of a fresh walk, those
 * that are gone included, whether it asks every night or now and then.
 */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { walk } from '../../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'

const NIGHTS = 11
const CVES = 400
/** The records that `/changes` compares: changes of EPSS scores alone are not listed (API 27.3). */
const INCLUDE = 'affected,cvss,evidence,exploits,references,timeline,analysis'
const PAGE = 40

interface Changes {
  snapshot: string
  data: { cve_id: string; change: 'added' | 'changed' | 'removed' }[]
  pagination: { next_cursor: string | null }
}

const folder = temporaryFolder('changes-poller')

/** A record as it is kept. */
async function recordOf(gateway: TestGateway, id: string): Promise<string> {
  const { epss: _, ...record } = JSON.parse(await gateway.body(`/cves/${id}?include=${INCLUDE}`)) as { epss: unknown }
  return JSON.stringify(record)
}

async function freshWalk(gateway: TestGateway): Promise<Map<string, string>> {
  const rows = await walk<{ cve_id: string }>((query) => gateway.body(`/cves?${query}`))
  const records = new Map<string, string>()
  for (const { cve_id } of rows) records.set(cve_id, await recordOf(gateway, cve_id))
  return records
}

interface Copy {
  records: Map<string, string>
  since: string
  /** What it was told over all nights. */
  told: { added: number; changed: number; removed: number }
}

/** One turn of the client: everything that changed since the snapshot it knows. */
async function poll(gateway: TestGateway, copy: Copy): Promise<void> {
  let snapshot = ''
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = JSON.parse(await gateway.body(`/changes?since=${copy.since}&limit=${PAGE}${next}`)) as Changes
    for (const { cve_id, change } of page.data) {
      copy.told[change]++
      if (change === 'removed') copy.records.delete(cve_id)
      else copy.records.set(cve_id, await recordOf(gateway, cve_id))
    }
    snapshot ||= page.snapshot
    cursor = page.pagination.next_cursor
  }
  copy.since = snapshot
}

const sorted = (records: Map<string, string>) => [...records].sort(([a], [b]) => (a < b ? -1 : 1))

test('ten nights of changes are the records of a fresh walk', async () => {
  const at = (name: string) => join(folder.path, name)
  const made = { feeds: at('feeds'), corpus: at('corpus.db'), dist: at('dist') }
  const [first, ...nights] = (await generateSample({ feeds: made.feeds, cves: CVES, nights: NIGHTS })).nights
  await ingestAndBuild({ ...made, asOf: first! })
  const gateway = await testGateway(folder.path, made.dist)
  try {
    const begin = async (): Promise<Copy> => ({
      records: await freshWalk(gateway),
      since: gateway.registry.current.id,
      told: { added: 0, changed: 0, removed: 0 },
    })
    const [nightly, seldom] = [await begin(), await begin()]
    for (const [i, asOf] of nights.entries()) {
      await ingestAndBuild({ ...made, asOf })
      await gateway.refresh()
      await poll(gateway, nightly)
      if (i % 4 === 3) await poll(gateway, seldom)
    }
    await poll(gateway, seldom)
    const now = await freshWalk(gateway)
    assert.equal(sorted(nightly.records), sorted(now))
    assert.equal(sorted(seldom.records), sorted(now))
    for (const copy of [nightly, seldom]) {
      assert.is(copy.since, gateway.registry.current.id)
      for (const count of Object.values(copy.told)) assert.ok(count > 0, JSON.stringify(copy.told))
    }
  } finally {
    await gateway.close()
  }
})

test.after(() => folder.remove())
test.run()
