/** Writes the operator's analyses, at most one per CVE, with their affected products. */
import { timeOf } from '../../calendar.ts'
import { coverageOf } from '../../coverage.ts'
import { cpeKey } from '../../names.ts'
import { writeTexts } from '../../nightly.ts'
import * as phrases from '../../phrases.ts'
import type { Random } from '../../random.ts'
import { weaknessPhrase } from '../../record/text.ts'
import type { Facts, World } from '../../world.ts'
import type { FeedFolder, WrittenFile } from '../feed.ts'
import { MODELS, ndjson, shareSince2024, spokenAt } from './service.ts'

const RECENT_SHARE = 0.15
const OLDER_SHARE = 0.01

export function writeAnalyses(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  return writeTexts(world, folder, { path: 'analyses.ndjson', gzip: false }, function* (facts) {
    const coverage = coverageOf(world, facts, 'analyses', shareSince2024(facts, RECENT_SHARE, OLDER_SHARE))
    if (!coverage) return
    const editions = [{ night: coverage.from, text: line(world, facts, coverage.from, '') }]
    if (coverage.changedIn !== null) {
      const addition = ' The analysis was repeated with the corrected build.'
      editions.push({ night: coverage.changedIn, text: line(world, facts, coverage.changedIn, addition) })
    }
    yield editions
  })
}

function line(world: World, facts: Facts, night: number, addition: string): string {
  const random = world.random(facts.id, 'analysis')
  const generatedAt = spokenAt(facts, night, world.random(facts.id, 'analysis-time'))
  const { name, effect } = weaknessPhrase(facts.weakness)
  const component = random.pick(phrases.COMPONENTS)
  // Some fields are unknown.
  const known = (text: string) => (random.chance(0.85) ? text : null)
  return ndjson({
    cve_id: facts.id,
    summary: `${name} in the ${component} of ${facts.product}.${addition}`,
    root_cause: known(`It happens ${random.pick(phrases.CAUSES)}.`),
    impact: known(`An attacker can ${effect}. ${random.pick(phrases.OUTCOMES)}`),
    attack_vector: known(`${random.pick(phrases.ATTACKERS)} reaches the ${component}.`),
    remediation: known(random.pick(phrases.FIXES)),
    weaknesses: random.chance(0.9) ? [`CWE-${facts.weakness}`] : [],
    model: random.pick(MODELS),
    generated_at: timeOf(generatedAt),
    affected: affectedOf(facts, random),
  })
}

function affectedOf(facts: Facts, random: Random): object[] {
  if (random.chance(0.15)) return []
  const [major, minor] = [random.between(1, 9), random.int(12)]
  const fixed = `${major}.${minor}.${random.between(1, 9)}`
  const open = random.chance(0.2)
  const range = { introduced: random.chance(0.5) ? '0' : `${major}.0.0`, fixed: open ? null : fixed }
  return [
    {
      vendor: facts.vendor.name,
      product: facts.product,
      affected_versions: open ? [`${major}.0.0`, `${major}.0.1`] : null,
      affected_ranges: open ? null : [{ ...range, version_type: 'semver' }],
      patched_versions: open ? null : [fixed],
      cpes: [`cpe:2.3:a:${cpeKey(facts.vendor.name)}:${cpeKey(facts.product)}:*:*:*:*:*:*:*:*`],
    },
  ]
}
