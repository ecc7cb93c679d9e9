/** How much the further feeds tell of, against the real ones: figures per 300,000 CVEs, of feeds/README.md and coverage.ts. */
import { test } from 'uvu'
import { advisoriesOf } from '../../../corpus/sample/advisories/advisory.ts'
import { coverageOf } from '../../../corpus/sample/coverage.ts'
import { archivedShare } from '../../../corpus/sample/exploits/attack.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { sampleFiles } from './sample-files.ts'
import { near } from './sampled-records.ts'

const CVES = 30_000
const world = createWorld(4, CVES, 2)
/** Per 300,000 CVEs. */
const scaled = (count: number) => (count * 300_000) / CVES
const all = Array.from({ length: CVES }, (_, index) => world.facts(index))

test('as many CVEs have an archived exploit as in Exploit-DB', () => {
  const count = all.filter((facts) => coverageOf(world, facts, 'exploitdb', archivedShare(facts))).length
  near('CVEs with an exploit', scaled(count), 24_586, 0.15)
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
  // The forty showcases weigh more the smaller a sample is: twenty of them are in every feed.
  near('exploits', per(few.csv('exploitdb/files_exploits.csv.gz').length), 46_102, 0.15)
  near('modules', per(Object.keys(few.modules('metasploit/modules_metadata_base.json.gz')).length - 20), 5_700, 0.3)
  near('templates', per(few.lines('nuclei/cves.json').length - 20), 4_107, 0.4)
  near('repositories', per((await few.zip('poc/PoC-in-GitHub.zip')).size - 20), 6_500, 0.3)
  near('KEV', per((few.json('kev/known_exploited_vulnerabilities.json') as { count: number }).count), 1_404, 0.1)
})

test.run()
