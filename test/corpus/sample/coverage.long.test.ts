/**
 * The coverage of the additional feeds, compared to the real ones: counts per 300,000 CVEs, from feeds/README.md and
 * coverage.ts. Exploits and KEV entries are fewer: 45,000 of archive and framework together, and 1,500, at 350,000
 * CVEs.
 */
import { test } from 'uvu'
import { advisoriesOf } from '../../../corpus/sample/advisories/advisory.ts'
import { coverageOf } from '../../../corpus/sample/coverage.ts'
import { archivedShare } from '../../../corpus/sample/exploits/attack.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { sampleFiles } from './sample-files.ts'
import { near } from './sampled-records.ts'

const CVES = 30_000
const world = createWorld(4, CVES, 2)
/** Scales a count to 300,000 CVEs. */
const scaled = (count: number) => (count * 300_000) / CVES
/** Ratio of 45,000 at 350,000 CVEs to 51,802 at 300,000. */
const FEWER = (45_000 * 300_000) / 350_000 / 51_802
const all = Array.from({ length: CVES }, (_, index) => world.facts(index))

test('CVEs have an archived exploit as in Exploit-DB', () => {
  const count = all.filter((facts) => coverageOf(world, facts, 'exploitdb', archivedShare(facts))).length
  near('CVEs with an exploit', scaled(count), 24_586 * FEWER, 0.15)
})

test('there are as many reviewed advisories as on GitHub, most with a CVE', () => {
  const advisories = all.flatMap((facts) => [...advisoriesOf(world, facts)])
  const reviewed = advisories.filter((one) => one.reviewed)
  near('reviewed', scaled(reviewed.length), 20_000, 0.2)
  near('without a CVE', reviewed.filter(({ aliases }) => aliases.length === 0).length / reviewed.length, 0.06, 0.4)
  near('withdrawn', reviewed.filter(({ withdrawnIn }) => withdrawnIn !== null).length / reviewed.length, 0.012, 0.7)
})

test('exploits, modules, templates, repositories and KEV are in the real proportions', async () => {
  const few = await sampleFiles({ cves: 10_000, nights: 1, seed: 4 })
  const per = (count: number) => count * 30
  // The forty showcases have more weight in a small sample: twenty of them are in every feed.
  const exploits = per(few.csv('exploitdb/files_exploits.csv.gz').length - 20)
  const modules = per(Object.keys(few.modules('metasploit/modules_metadata_base.json.gz')).length - 20)
  near('exploits', exploits, 46_102 * FEWER, 0.1)
  near('modules', modules, 5_700 * FEWER, 0.25)
  near('both', exploits + modules, (45_000 * 300_000) / 350_000, 0.1)
  near('templates', per(few.lines('nuclei/cves.json').length - 20), 4_107, 0.4)
  near('repositories', per((await few.zip('poc/PoC-in-GitHub.zip')).size - 20), 6_500, 0.3)
  near(
    'KEV',
    per((few.json('kev/known_exploited_vulnerabilities.json') as { count: number }).count),
    (1_500 * 300_000) / 350_000,
    0.05,
  )
})

test.run()
