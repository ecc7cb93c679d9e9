/** Writes the data of the operator's services as NDJSON. The format is described next to the adapters. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, timeOf } from '../calendar.ts'
import { type Coverage, coverageOf } from '../changes.ts'
import { cvss } from '../cvss.ts'
import { datedFolder, edited, finalOutput, type Item, type SampleFeed, textOutput, writeFile } from '../outputs.ts'
import type { Random } from '../random.ts'
import { cpeOf } from '../records/affected.ts'
import { filled, sentenceOf, weaknessPhrase, word } from '../text.ts'
import { type Facts, type World, withNext } from '../world.ts'

/** Start of the services. */
const SINCE = Date.UTC(2025, 0, 1)
const MODELS = ['shelfwriter-1', 'shelfwriter-2', 'shelfwriter-2-mini']
/** Shares of recent and exploited CVEs, and of others. */
const SHARES = {
  reports: [0.08, 0.004],
  analyses: [0.15, 0.01],
  'service-scores': [0.2, 0.01],
  detections: [0.03, 0.003],
} as const

const ndjson = (value: object) => `${JSON.stringify(value)}\n`

export const firstParty: SampleFeed = async (world, folder) => {
  const output = (name: keyof typeof SHARES, itemsOf: (facts: Facts, coverage: Coverage) => Iterable<Item>) =>
    textOutput(world, folder, { path: datedFolder(world, `first-party/${name}.ndjson`) }, (facts) => {
      const [recent, older] = SHARES[name]
      const isRecent = facts.publishedAt >= SINCE - 365 * DAY_MS || facts.kevAddedAt !== null
      const coverage = coverageOf(world, facts, name, isRecent ? recent : older)
      return coverage ? itemsOf(facts, coverage) : []
    })
  const types = REPORT_TYPES.map(reportTypeLine).join('')
  const path = datedFolder(world, 'first-party/report-types.ndjson')
  const nights = Array.from({ length: world.nights }, (_, night) => night)
  return [
    await output('reports', (facts, coverage) => reportsOf(world, facts, coverage)),
    finalOutput(() => Promise.all(nights.map((night) => writeFile(folder, path(night), types, REPORT_TYPES.length)))),
    await output('analyses', (facts, { from, changedIn }) => [
      edited(from, changedIn, (night) => analysisLine(world, facts, night, night > from)),
    ]),
    await output('service-scores', (facts, { from, changedIn }) => [
      edited(from, changedIn, (night) => scoreLine(world, facts, night, night > from)),
    ]),
    await output('detections', (facts, coverage) => detectionsOf(world, facts, coverage)),
  ]
}

/** Returns a time after the CVE's publication and before the files of its first night are created. */
function spokenAt(facts: Facts, night: number, random: Random): number {
  if (night > 0) return cutOf(night) - random.between(1, 11) * HOUR_MS
  const from = Math.max(facts.publishedAt, SINCE)
  return Math.min(Math.floor(from + random.float() * (FIRST_NIGHT - from)), FIRST_NIGHT)
}

/** The types of reports. Free text has no schema. One is no longer produced, but its reports remain. */
const REPORT_TYPES = [
  ['technical_summary', true, { summary: { type: 'string', description: 'What is wrong, in one paragraph' } }],
  ['exploitability_review', true, { verdict: { type: 'string', enum: ['unlikely', 'possible', 'likely', 'seen'] } }],
  ['remediation_guide', true, { steps: { type: 'array', items: { type: 'string' }, minItems: 1 } }],
  ['executive_brief', true, null],
  ['press_note', false, { headline: { type: 'string', description: 'At most a line' } }],
] as const

const reportTypeLine = ([prompt_name, enabled, properties]: (typeof REPORT_TYPES)[number]) => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const required = Object.keys(properties ?? {})
  const output_schema = properties && { $schema, type: 'object', properties, required, additionalProperties: false }
  return ndjson({ prompt_name, enabled, output_schema })
}

/** Shares among reports without changes. */
const DRAFT_SHARE = 0.05
const OLDER_VERSION_SHARE = 0.1

/** Yields reports of several types, each with its versions, oldest first. */
function* reportsOf(world: World, facts: Facts, { from, changedIn, retractedIn, several }: Coverage): Generator<Item> {
  const first = world.random(facts.id, 'reports-of').int(REPORT_TYPES.length)
  const count = several ? REPORT_TYPES.length : world.random(facts.id, 'reports-count').between(1, 3)
  for (let position = 0; position < count; position++) {
    const type = REPORT_TYPES[(first + position) % REPORT_TYPES.length]![0]
    const random = world.random(facts.id, `report-${type}`)
    const line = (createdAt: number, status: string, id = random.uuid()) => {
      const about = { id, cve_id: facts.id, report_type: type, model: random.pick(MODELS) }
      return ndjson({ ...about, created_at: timeOf(createdAt), status, report_text: reportText(facts, type, random) })
    }
    const createdAt = spokenAt(facts, from, random)
    const olderAt = createdAt - random.between(1, 90) * DAY_MS
    const hasOlder = random.chance(OLDER_VERSION_SHARE) || (several && position === 0)
    if (hasOlder && olderAt > facts.publishedAt) yield edited(from, null, () => line(olderAt, 'final'))
    // A report retracted from the start is a draft. A change turns a draft into a final report.
    const isDraft = retractedIn === from || (position > 0 && random.chance(DRAFT_SHARE))
    const finalIn = position === 0 ? changedIn : null
    const id = random.uuid()
    yield edited(from, finalIn, (night) => {
      const isFinal = finalIn === null ? !isDraft : night >= finalIn
      return line(createdAt, isFinal ? 'final' : 'draft', id)
    })
    // A report retracted later is replaced in that night.
    if (retractedIn !== null && retractedIn > from && position === 0) {
      yield edited(retractedIn, null, (night) => line(spokenAt(facts, night, random), 'final'))
    }
  }
}

/** Returns Markdown of about 600 to 5,000 characters. */
function reportText(facts: Facts, type: string, random: Random): string {
  const { name, effect } = weaknessPhrase(facts.weakness)
  const headings = ['What happens', 'Who is concerned', 'What to do', 'What is not known', 'Background']
  const sections = headings.slice(0, random.between(2, headings.length)).map((heading) => {
    const sentences = Array.from({ length: random.between(2, 9) }, () => sentenceOf(facts, random))
    return `## ${heading}\n\n${sentences.join(' ')}`
  })
  const lead = `${facts.vendor.name} ${facts.product} lets an attacker ${effect}. This is the ${type.replaceAll('_', ' ')}.`
  const steps = filled('1. {fix}\n2. {workaround}', random)
  return [`# ${facts.id}: ${name} in ${facts.product}`, lead, ...sections, steps].join('\n\n')
}

function analysisLine(world: World, facts: Facts, night: number, isRepeated: boolean): string {
  const random = world.random(facts.id, 'analysis')
  const { name, effect } = weaknessPhrase(facts.weakness)
  const component = word('component', random)
  // Some fields are unknown.
  const known = (template: string) => (random.chance(0.85) ? filled(template, random, { effect, component }) : null)
  const addition = isRepeated ? ' The analysis was repeated with the corrected build.' : ''
  return ndjson({
    cve_id: facts.id,
    summary: `${name} in the ${component} of ${facts.product}.${addition}`,
    root_cause: known('It happens {cause}.'),
    impact: known('An attacker can {effect}. {outcome}'),
    attack_vector: known('{Attacker} reaches the {component}.'),
    remediation: known('{fix}'),
    weaknesses: random.chance(0.9) ? [`CWE-${facts.weakness}`] : [],
    model: random.pick(MODELS),
    generated_at: timeOf(spokenAt(facts, night, world.random(facts.id, 'analysis-time'))),
    affected: analysisAffected(facts, random),
  })
}

function analysisAffected({ vendor, product }: Facts, random: Random): object[] {
  if (random.chance(0.15)) return []
  const [major, minor] = [random.between(1, 9), random.int(12)]
  const fixed = `${major}.${minor}.${random.between(1, 9)}`
  const range = { introduced: random.chance(0.5) ? '0' : `${major}.0.0`, fixed, version_type: 'semver' }
  const common = { vendor: vendor.name, product, cpes: [cpeOf(vendor.name, product, '*')] }
  if (random.chance(0.2)) return [{ ...common, affected_versions: [`${major}.0.0`, `${major}.0.1`] }]
  return [{ ...common, affected_ranges: [range], patched_versions: [fixed] }]
}

/** Returns a score, which takes precedence in the headline (rule 18). */
function scoreLine(world: World, facts: Facts, night: number, isAgain: boolean): string {
  const random = world.random(facts.id, isAgain ? 'service-rescore' : 'service-score')
  // A new score has the same CVSS version as the previous one.
  const isFour = world.random(facts.id, 'service-score-version').chance(0.25)
  const { version, vectorString, baseScore } = cvss(isFour ? '4.0' : '3.1', random.float())
  const scored = { cvss_version: version, vector_string: vectorString, base_score: baseScore }
  return ndjson({ cve_id: facts.id, ...scored, scored_at: timeOf(spokenAt(facts, night, random)) })
}

const LAYERS = [
  ['network_ids', 'packetward', 'PW'],
  ['file_yara', 'filewarden', 'FW'],
  ['scanner', 'portlantern', 'PL'],
  ['siem', 'logkeeper', 'LK'],
] as const

/** Yields detection rules in all four layers (API 8.18). A change is a newer hit. */
function* detectionsOf(world: World, facts: Facts, { from, changedIn, several }: Coverage): Generator<Item> {
  const layers = world.random(facts.id, 'detection-layers')
  // The showcases take the layers in turn, so that a small sample has them all.
  const first = facts.showcase === null ? layers.int(LAYERS.length) : Math.floor(facts.showcase / 2)
  const count = several ? LAYERS.length : layers.pick([1, 1, 2])
  for (let i = 0; i < count; i++) {
    const [layer, source, prefix] = LAYERS[(first + i) % LAYERS.length]!
    yield edited(from, changedIn, (night) => {
      const random = world.random(facts.id, `detection-${layer}`)
      const firstSeen = spokenAt(facts, from, random)
      const rule = `${prefix}-${random.between(100_000, 999_999)}`
      // SIEM rules cover several CVEs.
      const cves = layer === 'siem' ? withNext(world, facts) : [facts.id]
      return ndjson({
        ...(cves.length > 1 ? { cve_ids: cves } : { cve_id: facts.id }),
        layer,
        source,
        name: `${rule} ${weaknessPhrase(facts.weakness).name} in ${facts.product}`,
        url: random.chance(0.8) ? `https://rules.example.org/${source}/${rule}` : null,
        confidence: random.pick(['confirmed', 'high', 'high', 'medium', 'low']),
        first_seen: timeOf(firstSeen),
        last_seen: timeOf(night > from ? cutOf(night) - 2 * HOUR_MS : firstSeen),
      })
    })
  }
}
