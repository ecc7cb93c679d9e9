/** Writes scores by the operator's service, which take precedence in the headline (rule 18). */
import { timeOf } from '../../calendar.ts'
import { coverageOf } from '../../coverage.ts'
import { writeTexts } from '../../nightly.ts'
import { cvss } from '../../record/metrics.ts'
import type { Facts, World } from '../../world.ts'
import type { FeedFolder, WrittenFile } from '../feed.ts'
import { ndjson, shareSince2024, spokenAt } from './service.ts'

const RECENT_SHARE = 0.2
const OLDER_SHARE = 0.01
const VERSION_4_SHARE = 0.25

export function writeServiceScores(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  return writeTexts(world, folder, { path: 'service-scores.ndjson', gzip: false }, function* (facts) {
    const coverage = coverageOf(world, facts, 'service-scores', shareSince2024(facts, RECENT_SHARE, OLDER_SHARE))
    if (!coverage) return
    const editions = [{ night: coverage.from, text: line(world, facts, coverage.from, 'service-score') }]
    if (coverage.changedIn !== null)
      editions.push({ night: coverage.changedIn, text: line(world, facts, coverage.changedIn, 'service-rescore') })
    yield editions
  })
}

function line(world: World, facts: Facts, night: number, purpose: string): string {
  const random = world.random(facts.id, purpose)
  // A new score has the same CVSS version as the previous one.
  const version = world.random(facts.id, 'service-score-version').chance(VERSION_4_SHARE) ? '4.0' : '3.1'
  const scored = cvss(version, random.float())
  return ndjson({
    cve_id: facts.id,
    cvss_version: scored.version,
    vector_string: scored.vectorString,
    base_score: scored.baseScore,
    scored_at: timeOf(spokenAt(facts, night, random)),
  })
}
