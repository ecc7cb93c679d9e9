/** Writes the data of the operator's services as NDJSON. The format is described next to the adapters. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, timeOf } from '../calendar.ts'
import { type Coverage, coverageOf } from '../changes.ts'
import { cvss } from '../cvss.ts'
import {
  datedFolder,
  edited,
  finalOutput,
  type Item,
  nightsOf,
  type SampleFeed,
  textOutput,
  writeFile,
} from '../outputs.ts'
import type { Random } from '../random.ts'
import { cpeOf } from '../records/affected.ts'
import { filled, fromJson, weaknessPhrase, word } from '../text.ts'
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
  exploited: [0.03, 0.003],
} as const

const ndjson = (value: object) => `${JSON.stringify(value)}\n`

export const firstParty: SampleFeed = async (world, folder) => {
  const nights = nightsOf(world)
  const output = (name: keyof typeof SHARES, itemsOf: (facts: Facts, coverage: Coverage) => Iterable<Item>) =>
    textOutput(folder, nights, { path: datedFolder(world, `first-party/${name}.ndjson`) }, (facts) => {
      const [recent, older] = SHARES[name]
      const isRecent = facts.publishedAt >= SINCE - 365 * DAY_MS || facts.kevAddedAt !== null
      const coverage = coverageOf(world, facts, name, isRecent ? recent : older)
      return coverage ? itemsOf(facts, coverage) : []
    })
  const lines = (name: 'analyses' | 'service-scores' | 'exploited', lineOf: typeof scoreLine) =>
    output(name, (facts, { from, changedIn }) => [
      edited(from, changedIn, (night) => lineOf(world, facts, night, night > from)),
    ])
  const types = REPORT_TYPES.map(reportTypeLine).join('')
  const path = datedFolder(world, 'first-party/report-types.ndjson')
  return [
    await output('reports', (facts, coverage) => reportsOf(world, facts, coverage)),
    finalOutput(() => Promise.all(nights.map((night) => writeFile(folder, path(night), types, REPORT_TYPES.length)))),
    await lines('analyses', analysisLine),
    await lines('service-scores', scoreLine),
    await lines('exploited', exploitedLine),
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

/** Yields reports of several types. Some have an older version, which comes first. */
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
    const hasOlder = random.chance(0.1) || (several && position === 0)
    if (hasOlder && olderAt > facts.publishedAt) yield edited(from, null, () => line(olderAt, 'final'))
    // A report retracted from the start is a draft. A change turns a draft into a final report.
    const isDraft = retractedIn === from || (position > 0 && random.chance(0.05))
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

/** Returns Markdown of about 600 to 3,000 characters. */
function reportText(facts: Facts, type: string, random: Random): string {
  const { name, effect } = weaknessPhrase(facts.weakness)
  const headings = ['What happens', 'Who is concerned', 'What to do', 'Background'].slice(0, random.between(2, 4))
  const text = () => Array.from({ length: random.between(2, 9) }, () => filled('{sentence}', random)).join(' ')
  const lead = `${facts.vendor.name} ${facts.product} lets an attacker ${effect}. This is the ${type.replaceAll('_', ' ')}.`
  const sections = headings.map((heading) => `## ${heading}\n\n${text()}`)
  return [`# ${facts.id}: ${name} in ${facts.product}`, lead, ...sections, word('fix', random)].join('\n\n')
}

const ANALYSIS = `{"cve_id":"{id}","summary":"{name} in {product}.{addition}","root_cause":$cause,
"impact":"An attacker can {effect}. {outcome}","attack_vector":"It is reached through the {component}.",
"remediation":$remediation,"weaknesses":$weaknesses,"model":"{model}","generated_at":"{at}","affected":$affected}`

function analysisLine(world: World, facts: Facts, night: number, isRepeated: boolean): string {
  const random = world.random(facts.id, 'analysis')
  const values = {
    ...{ id: facts.id, product: facts.product, ...weaknessPhrase(facts.weakness), model: random.pick(MODELS) },
    addition: isRepeated ? ' The analysis was repeated with the corrected build.' : '',
    // Some fields are unknown.
    cause: random.chance(0.85) ? filled('It happens {cause}.', random) : null,
    remediation: random.chance(0.85) ? word('fix', random) : null,
    weaknesses: random.chance(0.9) ? [`CWE-${facts.weakness}`] : [],
    at: timeOf(spokenAt(facts, night, world.random(facts.id, 'analysis-time'))),
    affected: analysisAffected(facts, random),
  }
  return ndjson(fromJson(ANALYSIS, random, values))
}

function analysisAffected({ vendor, product }: Facts, random: Random): object[] {
  if (random.chance(0.15)) return []
  const [major, fixed] = [random.between(1, 9), random.between(1, 12)]
  const range = { introduced: `${major}.0.0`, fixed: `${major}.${fixed}.0`, version_type: 'semver' }
  const common = { vendor: vendor.name, product, cpes: [cpeOf(vendor.name, product, '*')] }
  if (random.chance(0.2)) return [{ ...common, affected_versions: [`${major}.0.0`, `${major}.0.1`] }]
  return [{ ...common, affected_ranges: [range], patched_versions: [range.fixed] }]
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

const EXPLOITED = `{"cve_id":"{id}","catalog":"harbor_watch","date_added":"{added}","due_date":$due,
"required_action":"{fix}","ransomware":"{ransomware}","notes":$notes,"vendor_project":"{vendor}","product":"{product}",
"vulnerability_name":"{name} in {product}","short_description":"An attacker can {effect}."}`

/** Returns an entry of the operator's catalog of exploited vulnerabilities. A change is the use by ransomware. */
function exploitedLine(world: World, facts: Facts, _night: number, isAgain: boolean): string {
  const random = world.random(facts.id, 'exploited')
  const addedAt = Math.max(facts.publishedAt, SINCE)
  const values = {
    ...{ id: facts.id, vendor: facts.vendor.name, product: facts.product, ...weaknessPhrase(facts.weakness) },
    added: timeOf(addedAt).slice(0, 10),
    due: random.chance(0.8) ? timeOf(addedAt + 14 * DAY_MS).slice(0, 10) : null,
    notes: random.chance(0.5) ? `https://watch.example.org/${facts.id}` : null,
    ransomware: isAgain ? 'known' : 'unknown',
  }
  return ndjson(fromJson(EXPLOITED, random, values))
}

const LAYERS = [
  ['network_ids', 'packetward', 'PW'],
  ['file_yara', 'filewarden', 'FW'],
  ['scanner', 'portlantern', 'PL'],
  ['siem', 'logkeeper', 'LK'],
] as const

const DETECTION = `{"layer":"{layer}","source":"{source}","name":"{rule} {name} in {product}","url":$url,
"confidence":"{confidence}","first_seen":"{first}","last_seen":"{last}"}`

/** Yields detection rules in all four layers (API 8.18). A change is a newer hit. */
function* detectionsOf(world: World, facts: Facts, { from, changedIn, several }: Coverage): Generator<Item> {
  const layers = world.random(facts.id, 'detection-layers')
  // The showcases take the layers in turn, so that a small sample has them all.
  const start = facts.showcase === null ? layers.int(LAYERS.length) : Math.floor(facts.showcase / 2)
  const count = several ? LAYERS.length : layers.pick([1, 1, 2])
  for (let i = 0; i < count; i++) {
    const [layer, source, prefix] = LAYERS[(start + i) % LAYERS.length]!
    const random = world.random(facts.id, `detection-${layer}`)
    const first = timeOf(spokenAt(facts, from, random))
    const rule = `${prefix}-${random.between(100_000, 999_999)}`
    const url = random.chance(0.8) ? `https://rules.example.org/${source}/${rule}` : null
    const confidence = random.pick(['confirmed', 'high', 'high', 'medium', 'low'])
    const { name } = weaknessPhrase(facts.weakness)
    // SIEM rules cover several CVEs.
    const cves = layer === 'siem' ? withNext(world, facts) : [facts.id]
    yield edited(from, changedIn, (night) => {
      const last = night > from ? timeOf(cutOf(night) - 2 * HOUR_MS) : first
      const values = { layer, source, rule, name, product: facts.product, url, confidence, first, last }
      const about = cves.length > 1 ? { cve_ids: cves } : { cve_id: facts.id }
      return ndjson({ ...about, ...fromJson(DETECTION, random, values) })
    })
  }
}
