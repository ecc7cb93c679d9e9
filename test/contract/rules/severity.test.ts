/** Rule 18 of RULES.md: the bands of scores, at their borders, by the version they were scored in. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { cveList, cveMetric, type UpstreamRecord, type VECTORS } from '../support/upstream.ts'

type Version = keyof typeof VECTORS

const contract = contractSuite('rules, severity')
const { rule } = contract

const BANDS: [version: Version, score: number, band: string][] = [
  ['3.1', 0, 'none'],
  ['3.1', 0.1, 'low'],
  ['3.1', 3.9, 'low'],
  ['3.0', 4, 'medium'],
  ['4.0', 6.9, 'medium'],
  ['3.1', 7, 'high'],
  ['3.1', 8.9, 'high'],
  ['4.0', 9, 'critical'],
  ['2.0', 0, 'none'],
  ['2.0', 0.1, 'low'],
  ['2.0', 3.9, 'low'],
  ['2.0', 4, 'medium'],
  ['2.0', 6.9, 'medium'],
  ['2.0', 7, 'high'],
  ['2.0', 10, 'high'],
]
const banded = BANDS.map(
  ([version, score], i): UpstreamRecord => ({
    id: `CVE-2023-${1000 + i}`,
    cna: { metrics: [cveMetric(version, score)] },
  }),
)

const world = await openWorld(cveList(banded))

rule(18, 'severity is the band of the score, by the version it was scored in', async () => {
  for (const [i, [version, score, band]] of BANDS.entries()) {
    const core = await world.json<{ severity: string; cvss_score: number }>(`/cves/CVE-2023-${1000 + i}`)
    assert.equal([core.cvss_score, core.severity], [score, band], `${version} ${score}`)
  }
})

contract.after(world.remove)
contract.run()
