/** Writes GitHub's advisory database: a zip with a file per advisory in the OSV schema, in folders by month. */
import { type Advisory, advisoriesOf, eventsOf } from '../advisories/advisory.ts'
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from '../calendar.ts'
import { quantiles } from '../distribution.ts'
import { nightPath, writeZips, type ZipEntry } from '../nightly.ts'
import { CAUSES, FIXES, OUTCOMES, PEOPLE } from '../phrases.ts'
import type { Random } from '../random.ts'
import { cvss, type Metric } from '../record/metrics.ts'
import { descriptionOf, weaknessPhrase } from '../record/text.ts'
import type { Facts, World } from '../world.ts'
import type { SampleFeed } from './feed.ts'
import { nvdScore } from './nvd/metrics.ts'

/** Characters of `details`, and references after the usual four, in 1,025 reviewed advisories. */
const DETAILS_LENGTH = quantiles('0:60 0.1:144 0.5:404 0.75:792 0.9:1699 0.95:2451 0.99:6171 1:14000')
const FURTHER_REFERENCES = quantiles('0:0 0.4:0.9 0.5:1.2 0.75:3.2 0.9:6.2 0.95:9.2 0.99:19 1:170')

/** Characters of `details` in addition to the description. */
const FRAME = 200

export const ghsa: SampleFeed = {
  name: 'ghsa',
  write: (world, folder) =>
    writeZips(world, folder, {
      positionOf: (night) => nightPath(world, night, 'advisory-database.zip'),
      entriesOf: function* (facts) {
        for (const advisory of advisoriesOf(world, facts)) yield entryOf(world, facts, advisory)
      },
    }),
}

function entryOf(world: World, facts: Facts, advisory: Advisory): ZipEntry {
  const { id, reviewed, publishedAt } = advisory
  const [year, month] = secondOf(publishedAt).split('-')
  const folder = reviewed ? 'github-reviewed' : 'unreviewed'
  const editions = advisoryNights(advisory).map((night) => ({
    night,
    text: `${JSON.stringify(advisoryFile(world, facts, advisory, night), null, 2)}\n`,
  }))
  return { name: `advisories/${folder}/${year}/${month}/${id}/${id}.json`, editions }
}

export type Nights = Pick<Advisory, 'from' | 'changedIn' | 'withdrawnIn'>
export type Dated = Nights & Pick<Advisory, 'publishedAt'>

/** Returns the nights in which the text changes, ascending. */
export function advisoryNights({ from, changedIn, withdrawnIn }: Nights): number[] {
  return [...new Set([from, changedIn, withdrawnIn])].filter((night) => night !== null).sort((a, b) => a - b)
}

/** Returns a time in whole seconds, as upstream does. */
export function secondOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

export function withdrawnAt({ publishedAt, from, withdrawnIn }: Dated, night: number): number | null {
  if (withdrawnIn === null || withdrawnIn > night) return null
  return withdrawnIn > from ? cutOf(withdrawnIn) - HOUR_MS : Math.min(publishedAt + DAY_MS, latestOf(from))
}

const latestOf = (from: number) => (from > 0 ? cutOf(from) - HOUR_MS / 2 : FIRST_NIGHT)

export function modifiedAt(advisory: Dated, night: number): number {
  const { publishedAt, from, changedIn, withdrawnIn } = advisory
  const news = Math.max(
    ...([changedIn, withdrawnIn].filter((one) => one !== null && one > from && one <= night) as number[]),
  )
  if (Number.isFinite(news)) return cutOf(news) - HOUR_MS / 2
  return Math.max(Math.min(publishedAt + 30 * DAY_MS, latestOf(from)), publishedAt)
}

/** Returns the members in upstream's order. */
export function advisoryFile(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, advisory.id)
  const { id, reviewed, aliases, publishedAt } = advisory
  const withdrawn = withdrawnAt(advisory, night)
  const scores = scoresOf(world, facts, reviewed, random)
  return {
    schema_version: '1.4.0',
    id,
    modified: secondOf(modifiedAt(advisory, night)),
    published: secondOf(publishedAt),
    ...(withdrawn === null ? {} : { withdrawn: secondOf(withdrawn) }),
    aliases,
    // Unreviewed advisories have no own summary.
    ...(reviewed ? { summary: summaryOf(facts) } : {}),
    details: detailsOf(world, facts, advisory, night),
    severity: scores.map((one) => ({ type: `CVSS_V${String(one.version)[0]}`, score: one.vectorString })),
    affected: advisory.packages.map((one) => affectedOf(one, random)),
    references: referencesOf(facts, advisory, world.random(facts.id, `references ${id}`)),
    ...(random.chance(0.3) || facts.showcase !== null ? { credits: creditsOf(random) } : {}),
    database_specific: {
      cwe_ids: random.chance(0.9) ? [`CWE-${facts.weakness}`] : [],
      severity: severityOf(scores[0]),
      github_reviewed: reviewed,
      github_reviewed_at: reviewed ? secondOf(publishedAt) : null,
      nvd_published_at: aliases.length > 0 && random.chance(0.6) ? secondOf(facts.publishedAt) : null,
    },
  }
}

export function summaryOf(facts: Facts): string {
  return `${facts.product} is open to ${weaknessPhrase(facts.weakness).name}`
}

/** Returns Markdown. A changed advisory has an update section. */
export function detailsOf(world: World, facts: Facts, advisory: Advisory, night: number): string {
  const random = world.random(facts.id, `details ${advisory.id}`)
  const description = descriptionOf(facts, world.random(facts.id, 'text'))
  if (!advisory.reviewed) return description
  const { effect } = weaknessPhrase(facts.weakness)
  const account = accountOf(DETAILS_LENGTH(random.float()) - description.length - FRAME, random)
  const news =
    advisory.changedIn !== null && advisory.changedIn <= night ? '\n\n### Update\nThe ranges were checked again.' : ''
  return `### Impact\n${description}\n\nAn attacker can *${effect}*.${account}\n\n### Patches\n${random.pick(FIXES)}${news}`
}

/** Returns a section of about `length` characters on the discovery and further effects. */
function accountOf(length: number, random: Random): string {
  if (length < FRAME) return ''
  let text = '\n\n### Details\n'
  while (text.length < length) text += `- ${random.pick(OUTCOMES)} ${random.pick(CAUSES)}\n`
  return text
}

/** Returns the scores: often NVD's, otherwise an own one. Some advisories add CVSS 4.0 or have no score. */
function scoresOf(world: World, facts: Facts, reviewed: boolean, random: Random): Metric[] {
  if (random.chance(0.06)) return []
  const three = reviewed && random.chance(0.4) ? cvss('3.1', random.float()) : nvdScore(world, facts)
  return random.chance(0.22) ? [three, cvss('4.0', random.float())] : [three]
}

const SEVERITIES: Record<string, string> = { LOW: 'LOW', MEDIUM: 'MODERATE', HIGH: 'HIGH', CRITICAL: 'CRITICAL' }

function severityOf(score: Metric | undefined): string {
  return SEVERITIES[String(score?.baseSeverity)] ?? 'MODERATE'
}

interface AffectedMember {
  package: { ecosystem: string; name: string }
  ranges?: { type: string; events: object[] | null }[]
  versions?: string[]
  database_specific?: object
}

function affectedOf({ package: of, bounds }: Advisory['packages'][number], random: Random): AffectedMember {
  const named = { package: { ecosystem: of.ecosystem, name: of.name } }
  if ('exact' in bounds) return { ...named, versions: [bounds.exact] }
  // GitHub knows the last affected version, but no fix.
  if (!('branches' in bounds) && bounds.upTo !== null && random.chance(0.5)) {
    const open = [{ type: 'ECOSYSTEM', events: [{ introduced: bounds.from ?? '0' }] }]
    return { ...named, ranges: open, database_specific: { last_known_affected_version_range: `<= ${bounds.upTo}` } }
  }
  return { ...named, ranges: [{ type: 'ECOSYSTEM', events: eventsOf(bounds) }] }
}

/** Returns the path of a commit, a pull request or a release. */
function positionIn(random: Random): string {
  return random.pick([
    `commit/${random.hex(40)}`,
    `pull/${random.between(10, 9999)}`,
    `releases/tag/v${random.int(20)}`,
  ])
}

function referencesOf(facts: Facts, { id, aliases, packages }: Advisory, random: Random): object[] {
  const repository = packages[0]?.package.repository
  const more = Math.floor(FURTHER_REFERENCES(random.float()))
  return [
    ...(repository ? [{ type: 'WEB', url: `${repository}/security/advisories/${id}` }] : []),
    ...aliases.map((alias) => ({ type: 'ADVISORY', url: `https://nvd.example.gov/vuln/detail/${alias}` })),
    ...(repository ? [{ type: 'PACKAGE', url: repository }] : []),
    { type: 'WEB', url: `https://advisories.${facts.vendor.key}.example/${facts.id}` },
    ...(repository
      ? Array.from({ length: more }, () => ({ type: 'WEB', url: `${repository}/${positionIn(random)}` }))
      : []),
  ]
}

function creditsOf(random: Random): object[] {
  return ['FINDER', 'ANALYST'].slice(0, random.between(1, 2)).map((type) => {
    const name = random.pick(PEOPLE)
    const login =
      name
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(/[^a-z0-9]/g, '') || 'anonymous'
    return { name: login, contact: [`https://forge.example.com/${login}`], type }
  })
}
