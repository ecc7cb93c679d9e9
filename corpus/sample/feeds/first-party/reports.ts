/** Writes reports by models about CVEs: final reports and drafts, several types per CVE, older versions of a type. */
import { DAY_MS, timeOf } from '../../calendar.ts'
import { type Coverage, coverageOf } from '../../coverage.ts'
import { type Edition, writeTexts } from '../../nightly.ts'
import * as phrases from '../../phrases.ts'
import type { Random } from '../../random.ts'
import { weaknessPhrase } from '../../record/text.ts'
import type { Facts, World } from '../../world.ts'
import type { FeedFolder, WrittenFile } from '../feed.ts'
import { REPORT_TYPES } from './report-types.ts'
import { MODELS, ndjson, shareSince2024, spokenAt } from './service.ts'

const RECENT_SHARE = 0.08
const OLDER_SHARE = 0.004
/** Shares among reports without changes. */
const DRAFT_SHARE = 0.05
const OLDER_VERSION_SHARE = 0.1

export function writeReports(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  return writeTexts(world, folder, { path: 'reports.ndjson', gzip: false }, (facts) => reportsOf(world, facts))
}

function* reportsOf(world: World, facts: Facts): Generator<Edition[]> {
  const coverage = coverageOf(world, facts, 'reports', shareSince2024(facts, RECENT_SHARE, OLDER_SHARE))
  if (!coverage) return
  const random = world.random(facts.id, 'reports-of')
  const first = random.int(REPORT_TYPES.length)
  const count = coverage.several ? REPORT_TYPES.length : random.between(1, 3)
  for (let i = 0; i < count; i++) {
    const type = REPORT_TYPES[(first + i) % REPORT_TYPES.length]!.prompt_name
    yield* versionsOf(facts, coverage, type, i, world.random(facts.id, `report-${type}`))
  }
}

/** Yields the versions of a report, oldest first, each with its own id. */
function* versionsOf(
  facts: Facts,
  { from, changedIn, retractedIn, several }: Coverage,
  type: string,
  position: number,
  random: Random,
): Generator<Edition[]> {
  const createdAt = spokenAt(facts, from, random)
  if (random.chance(OLDER_VERSION_SHARE) || (several && position === 0)) {
    const olderAt = createdAt - random.between(1, 90) * DAY_MS
    if (olderAt > facts.publishedAt) yield [{ night: from, text: line(facts, type, olderAt, 'final', random) }]
  }
  // A report retracted from the start is a draft. A change turns a draft into a final report.
  const draft = retractedIn === from || (position > 0 && random.chance(DRAFT_SHARE))
  const changing = changedIn !== null && position === 0
  const status = draft || changing ? 'draft' : 'final'
  const again = random.uuid()
  const editions = [{ night: from, text: line(facts, type, createdAt, status, random, again) }]
  if (changing) editions.push({ night: changedIn, text: line(facts, type, createdAt, 'final', random, again) })
  yield editions
  // A report retracted later is replaced in that night.
  if (retractedIn !== null && retractedIn > from && position === 0) {
    const anewAt = spokenAt(facts, retractedIn, random)
    yield [{ night: retractedIn, text: line(facts, type, anewAt, 'final', random) }]
  }
}

function line(
  facts: Facts,
  type: string,
  createdAt: number,
  status: 'final' | 'draft',
  random: Random,
  id = random.uuid(),
): string {
  return ndjson({
    id,
    cve_id: facts.id,
    report_type: type,
    model: random.pick(MODELS),
    created_at: timeOf(createdAt),
    status,
    report_text: textOf(facts, type, random),
  })
}

const HEADINGS = ['What happens', 'Who is concerned', 'What to do', 'What is not known', 'Background'] as const

/** Returns Markdown of about 600 to 5,000 characters. */
function textOf(facts: Facts, type: string, random: Random): string {
  const { name, effect } = weaknessPhrase(facts.weakness)
  const title = `# ${facts.id}: ${name} in ${facts.product}`
  const lead = `${facts.vendor.name} ${facts.product} lets an attacker ${effect}. This is the ${type.replaceAll('_', ' ')}.`
  const sections = HEADINGS.slice(0, random.between(2, HEADINGS.length)).map((heading) => {
    const sentences = Array.from({ length: random.between(2, 9) }, () => sentence(facts, random))
    return `## ${heading}\n\n${sentences.join(' ')}`
  })
  const steps = Array.from({ length: random.between(1, 4) }, (_, i) => `${i + 1}. ${random.pick(phrases.FIXES)}`)
  return [title, lead, ...sections, steps.join('\n')].join('\n\n')
}

function sentence(facts: Facts, random: Random): string {
  switch (random.int(5)) {
    case 0:
      return `${random.pick(phrases.ATTACKERS)} reaches the ${random.pick(phrases.COMPONENTS)} ${random.pick(phrases.CAUSES)}.`
    case 1:
      return random.pick(phrases.WORKAROUNDS)
    case 2:
      return random.chance(0.3) ? random.pick(phrases.NON_ASCII_SENTENCES) : random.pick(phrases.OUTCOMES)
    case 3:
      return `The ${random.pick(phrases.COMPONENTS)} of ${facts.product} is where to look first.`
    default:
      return random.pick(phrases.OUTCOMES)
  }
}
