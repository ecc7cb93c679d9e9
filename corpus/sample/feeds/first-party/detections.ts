/** Writes the operator's detection rules in all four layers (API 8.18). */
import { cutOf, timeOf } from '../../calendar.ts'
import { coverageOf } from '../../coverage.ts'
import { type Edition, writeTexts } from '../../nightly.ts'
import { weaknessPhrase } from '../../record/text.ts'
import { type Facts, publishedFrom, type World } from '../../world.ts'
import type { FeedFolder, WrittenFile } from '../feed.ts'
import { ndjson, shareSince2024, spokenAt } from './service.ts'

const RECENT_SHARE = 0.03
const OLDER_SHARE = 0.003

const LAYERS = [
  { layer: 'network_ids', source: 'packetward', prefix: 'PW' },
  { layer: 'file_yara', source: 'filewarden', prefix: 'FW' },
  { layer: 'scanner', source: 'portlantern', prefix: 'PL' },
  { layer: 'siem', source: 'logkeeper', prefix: 'LK' },
] as const

export function writeDetections(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  return writeTexts(world, folder, { path: 'detections.ndjson', gzip: false }, function* (facts) {
    const coverage = coverageOf(world, facts, 'detections', shareSince2024(facts, RECENT_SHARE, OLDER_SHARE))
    if (!coverage) return
    const random = world.random(facts.id, 'detection-layers')
    // The showcases take the layers in turn, so that a small sample has them all.
    const first = facts.showcase === null ? random.int(LAYERS.length) : Math.floor(facts.showcase / 2) % LAYERS.length
    const count = coverage.several ? LAYERS.length : random.pick([1, 1, 2])
    for (let i = 0; i < count; i++) {
      const layer = LAYERS[(first + i) % LAYERS.length]!
      const editions: Edition[] = [{ night: coverage.from, text: line(world, facts, layer, coverage.from, null) }]
      if (coverage.changedIn !== null)
        editions.push({
          night: coverage.changedIn,
          text: line(world, facts, layer, coverage.from, coverage.changedIn),
        })
      yield editions
    }
  })
}

/** Returns a line. `seenIn` is the night of the rule's latest hit. */
function line(
  world: World,
  facts: Facts,
  { layer, source, prefix }: (typeof LAYERS)[number],
  from: number,
  seenIn: number | null,
): string {
  const random = world.random(facts.id, `detection-${layer}`)
  const firstSeen = spokenAt(facts, from, random)
  const lastSeen = seenIn === null ? firstSeen : cutOf(seenIn) - 7_200_000
  const rule = `${prefix}-${random.between(100_000, 999_999)}`
  return ndjson({
    ...about(world, facts, layer),
    layer,
    source,
    name: `${rule} ${weaknessPhrase(facts.weakness).name} in ${facts.product}`,
    url: random.chance(0.8) ? `https://rules.example.org/${source}/${rule}` : null,
    confidence: random.pick(['confirmed', 'high', 'high', 'medium', 'low']),
    first_seen: timeOf(firstSeen),
    last_seen: timeOf(lastSeen),
  })
}

/** Returns the CVEs of a rule. SIEM rules cover several. */
function about(world: World, facts: Facts, layer: string): { cve_id: string } | { cve_ids: string[] } {
  const next = layer === 'siem' && facts.index + 1 < world.cves ? world.facts(facts.index + 1) : null
  return next && publishedFrom(next) === 0 ? { cve_ids: [facts.id, next.id] } : { cve_id: facts.id }
}
