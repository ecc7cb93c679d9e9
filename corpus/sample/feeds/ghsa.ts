/** Writes GitHub's advisory database: a zip with a file per advisory in the OSV schema, in folders by month. */
import { type Advisory, advisoriesOf, advisoryNights, eventsOf, modifiedAt, withdrawnAt } from '../advisories.ts'
import { secondOf } from '../calendar.ts'
import { cvss, type Metric } from '../cvss.ts'
import { DETAILS_LENGTH, FURTHER_REFERENCES } from '../figures.ts'
import { loginOf } from '../names.ts'
import { datedFolder, type Entries, type SampleFeed, zipOutput } from '../outputs.ts'
import type { Random } from '../random.ts'
import { descriptionOf, extended, weaknessPhrase, word } from '../text.ts'
import type { Facts, World } from '../world.ts'
import { nvdScore } from './nvd.ts'

export const ghsa: SampleFeed = async (world, folder) => {
  const entriesOf: Entries = function* (facts) {
    for (const advisory of advisoriesOf(world, facts)) {
      const { id, reviewed, publishedAt } = advisory
      const [year, month] = secondOf(publishedAt).split('-')
      const item = advisoryNights(advisory).map((night) => ({
        night,
        text: `${JSON.stringify(advisoryFile(world, facts, advisory, night), null, 2)}\n`,
      }))
      yield {
        name: `advisories/${reviewed ? 'github-reviewed' : 'unreviewed'}/${year}/${month}/${id}/${id}.json`,
        item,
      }
    }
  }
  return [await zipOutput(world, folder, datedFolder(world, 'ghsa/advisory-database.zip'), entriesOf)]
}

const SEVERITIES: Record<string, string> = { LOW: 'LOW', MEDIUM: 'MODERATE', HIGH: 'HIGH', CRITICAL: 'CRITICAL' }

/** Returns the members in upstream's order. */
export function advisoryFile(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, advisory.id)
  const { id, reviewed, aliases, publishedAt } = advisory
  const withdrawn = withdrawnAt(advisory, night)
  const scores = scoresOf(world, facts, advisory, random)
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
      severity: SEVERITIES[String(scores[0]?.baseSeverity)] ?? 'MODERATE',
      github_reviewed: reviewed,
      github_reviewed_at: reviewed ? secondOf(publishedAt) : null,
      nvd_published_at: aliases.length > 0 && random.chance(0.6) ? secondOf(facts.publishedAt) : null,
    },
  }
}

export const summaryOf = ({ product, weakness }: Facts) => `${product} is open to ${weaknessPhrase(weakness).name}`

/** Returns Markdown. A changed advisory has an update section. */
export function detailsOf(world: World, facts: Facts, advisory: Advisory, night: number): string {
  const random = world.random(facts.id, `details ${advisory.id}`)
  const description = descriptionOf(facts, world.random(facts.id, 'text'))
  if (!advisory.reviewed) return description
  const impact = `### Impact\n${description}\n\nAn attacker can *${weaknessPhrase(facts.weakness).effect}*.`
  const line = () => `- ${word('outcome', random)} It happens ${word('cause', random)}.`
  // The rest is about 100 characters.
  const target = DETAILS_LENGTH(random.float()) - 100
  const account = target - impact.length < 100 ? impact : extended(`${impact}\n\n### Details`, target, line, '\n')
  const isChanged = advisory.changedIn !== null && advisory.changedIn <= night
  return `${account}\n\n### Patches\n${word('fix', random)}${isChanged ? '\n\n### Update\nThe ranges were checked again.' : ''}`
}

/** Returns the scores: often NVD's, otherwise an own one. Some advisories add CVSS 4.0 or have no score. */
function scoresOf(world: World, facts: Facts, { reviewed, position }: Advisory, random: Random): Metric[] {
  if (random.chance(0.06)) return []
  const isOwn = position > 3 || (reviewed && random.chance(0.4))
  const three = isOwn ? cvss('3.1', random.float()) : nvdScore(world, facts)
  return random.chance(0.22) ? [three, cvss('4.0', random.float())] : [three]
}

interface AffectedMember {
  package: { ecosystem: string; name: string }
  ranges?: { type: string; events: object[] | null }[]
  versions?: string[]
  database_specific?: object
}

function affectedOf(
  { package: { ecosystem, name }, bounds }: Advisory['packages'][number],
  random: Random,
): AffectedMember {
  const named = { package: { ecosystem, name } }
  if ('exact' in bounds) return { ...named, versions: [bounds.exact] }
  // GitHub knows the last affected version, but no fix.
  if (bounds.upTo !== null && random.chance(0.5)) {
    const ranges = [{ type: 'ECOSYSTEM', events: [{ introduced: bounds.from ?? '0' }] }]
    return { ...named, ranges, database_specific: { last_known_affected_version_range: `<= ${bounds.upTo}` } }
  }
  return { ...named, ranges: [{ type: 'ECOSYSTEM', events: eventsOf(bounds) }] }
}

function referencesOf(facts: Facts, { id, aliases, packages }: Advisory, random: Random): object[] {
  const repository = packages[0]?.package.repository
  const web = (url: string) => ({ type: 'WEB', url })
  const own = [
    ...aliases.map((alias) => ({ type: 'ADVISORY', url: `https://nvd.example.gov/vuln/detail/${alias}` })),
    web(`https://advisories.${facts.vendor.key}.example/${facts.id}`),
  ]
  if (!repository) return own
  const more = Array.from({ length: FURTHER_REFERENCES(random.float()) }, () => {
    const pull = `pull/${random.between(10, 9999)}`
    return web(`${repository}/${random.pick([`commit/${random.hex(40)}`, pull, `releases/tag/v${random.int(20)}`])}`)
  })
  return [web(`${repository}/security/advisories/${id}`), ...own, { type: 'PACKAGE', url: repository }, ...more]
}

function creditsOf(random: Random): object[] {
  const types = random.pick([['FINDER'], ['FINDER', 'ANALYST']])
  return types.map((type) => ({ name: loginOf(random), contact: ['https://forge.example.com'], type }))
}
