/** A client of FIRST's EPSS interface, unmodified: that of cve-lite-cli. Its address is fixed, but its fetch is not. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as assert from 'uvu/assert'
import type { Summary } from '../../contract/support/rows.ts'
import { openService } from '../../contract/support/service.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { suiteNeeding } from '../../support/needs.ts'
import { installPackages } from '../../support/npm-clients.ts'
import { CVE_LITE } from '../../support/osv-clients.ts'

const test = suiteNeeding('EPSS clients', 'the npm registry')
const folder = temporaryFolder('epss-clients')
test.after(folder.remove)

const FIRST = 'https://api.first.org'

interface Client {
  fetchEpssScores(
    ids: readonly string[],
    fetchScores: typeof fetch,
  ): Promise<Map<string, { cve: string; epss: number; percentile: number }>>
}

test('cve-lite-cli reads the scores of 250 CVEs, in batches of 100', async () => {
  const modules = join(folder.path, 'client')
  mkdirSync(modules)
  installPackages(modules, [CVE_LITE], '--ignore-scripts')
  const path = join(modules, 'node_modules/cve-lite-cli/dist/epss/client.js')
  const { fetchEpssScores } = (await import(pathToFileURL(path).href)) as Client
  const service = await openService({ compat: ['epss'], compatPort: 0, compatAuth: 'none' })
  const all = await service.all<Summary & { epss: { score: number | null; percentile: number } }>('/cves')
  const asked = all.slice(0, 250)
  assert.is(asked.length, 250)
  let requests = 0
  const found = await fetchEpssScores([...asked.map(({ cve_id: id }) => String(id)), 'CVE-malformed'], (url, init) => {
    requests++
    assert.ok(String(url).startsWith(FIRST), String(url))
    return fetch(String(url).replace(FIRST, service.compatUrl!), init)
  })
  await service.remove()
  assert.is(requests, 3)
  const expected = asked.flatMap(({ cve_id: cve, epss: { score, percentile } }) =>
    score === null ? [] : [[String(cve), score, percentile]],
  )
  assert.ok(expected.length > 100, `${expected.length}`)
  assert.equal(
    expected.map(([cve]) => Object.values(found.get(String(cve)) ?? {})),
    expected,
  )
  assert.is(found.size, expected.length)
})

test.run()
