/** Searches for all kinds of text, over HTTP: on the sample, and on records whose names and titles are strange. */
import { join } from 'node:path'
import { test } from 'uvu'
import type { ServedFrom } from '../../../corpus/answers/answer.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { allOver } from '../../support/ask.ts'
import type { Ask } from '../../support/combinations.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { cnaJson, cveRecord, kevJson, putFeeds, recordPath, zipOf } from '../../support/feeds.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { allRows } from '../../support/list-rows.ts'
import { sharedSample } from '../../support/samples.ts'
import { registerSearchCounts } from '../../support/search-counts.ts'
import { STRANGE_TITLES } from '../../support/search-queries.ts'

const folder = temporaryFolder('search-counts')

/** Records with these titles, of vendors and products and by CNAs of these names, some of them listed in KEV. */
function strangeFeeds(): string {
  const ids = STRANGE_TITLES.map((_, i): CveId => `CVE-2024-${3400 + i}`)
  const records = STRANGE_TITLES.map((title, i) => {
    const record = cveRecord({ id: ids[i]!, title }) as { containers: { cna: { affected: object[] } } }
    const versions = [{ version: '1.0', status: 'affected' }]
    record.containers.cna.affected.push({ vendor: title, product: STRANGE_TITLES.at(-i)!, versions })
    return [recordPath(ids[i]!), JSON.stringify(record)]
  })
  const cnas = JSON.parse(cnaJson(STRANGE_TITLES.map((_, i) => `cna_${i}`))) as { organizationName: string }[]
  for (const [i, cna] of cnas.entries()) cna.organizationName = STRANGE_TITLES[i]!
  return putFeeds(join(folder.path, 'strange-feeds'), {
    'cvelistv5/2024-06-02_all_CVEs.zip': zipOf(Object.fromEntries(records)),
    'kev/known_exploited_vulnerabilities.json': kevJson(ids.filter((_, i) => i % 3 === 0)),
    'cna/CNAsList.json': JSON.stringify(cnas),
  })
}

const overHttp = ({ get }: TestGateway): Ask => {
  return async (path, query) => {
    const response = await get(`${path}?${query}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}?${query} was answered ${response.status}: ${text}`)
    return { text, servedFrom: response.headers.get('served-from') as ServedFrom }
  }
}

const sample = await sharedSample('usual')
const strange = { feeds: strangeFeeds(), corpus: join(folder.path, 'strange.db'), dist: join(folder.path, 'strange') }
await ingestAndBuild(strange)

const gateways: TestGateway[] = []
for (const [name, { dist, corpus }] of Object.entries({ 'the sample': sample, 'strange names': strange })) {
  const gateway = await testGateway(folder.path, dist)
  gateways.push(gateway)
  const ask = overHttp(gateway)
  registerSearchCounts(name, ask, await allRows({ ask, all: allOver(ask) }), corpus)
}

test.after(async () => {
  for (const gateway of gateways) await gateway.close()
  folder.remove()
})

test.run()
