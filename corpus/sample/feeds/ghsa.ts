/** Writes GitHub's advisory database: a zip with a file per advisory in the OSV schema, in folders by month. */
import { type Advisory, advisoriesOf, advisoryNights, datesOf, eventsOf } from '../advisories.ts'
import { secondOf } from '../calendar.ts'
import { cvss } from '../cvss.ts'
import { DETAILS_LENGTH, FURTHER_REFERENCES } from '../figures.ts'
import { loginOf } from '../names.ts'
import { datedFolder, type Item, type SampleFeed, zipOutput } from '../outputs.ts'
import type { Random } from '../random.ts'
import { descriptionOf, extended, filled, weaknessPhrase, word } from '../text.ts'
import type { Facts, World } from '../world.ts'
import { nvdScore } from './nvd.ts'

export const ghsa: SampleFeed = async (world, folder) => {
  const itemsOf = function* (facts: Facts): Generator<Item> {
    for (const advisory of advisoriesOf(world, facts)) {
      const text = (night: number) => `${JSON.stringify(advisoryFile(world, facts, advisory, night), null, 2)}\n`
      const month = secondOf(advisory.publishedAt).slice(0, 7).replace('-', '/')
      const path = `${advisory.packages.length > 0 ? 'github-reviewed' : 'unreviewed'}/${month}/${advisory.id}`
      const editions = advisoryNights(advisory).map((night) => ({ night, text: text(night) }))
      yield { name: `advisories/${path}/${advisory.id}.json`, editions }
    }
  }
  return [await zipOutput(world, folder, datedFolder(world, 'ghsa/advisory-database.zip'), itemsOf)]
}

const SEVERITIES: Record<string, string> = { LOW: 'LOW', MEDIUM: 'MODERATE', HIGH: 'HIGH', CRITICAL: 'CRITICAL' }

/** Returns the members in upstream's order. */
export function advisoryFile(world: World, facts: Facts, advisory: Advisory, night: number) {
  const random = world.random(facts.id, advisory.id)
  const { id, aliases, packages, publishedAt } = advisory
  const isReviewed = packages.length > 0
  // Often NVD's score, otherwise an own one. Some add CVSS 4.0, or have no score.
  const three = isReviewed && random.chance(0.4) ? cvss('3.1', random.float()) : nvdScore(world, facts)
  const scores = [three, cvss('4.0', random.float())].slice(0, random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]))
  return {
    schema_version: '1.4.0',
    id,
    ...datesOf(advisory, night),
    aliases,
    // Unreviewed advisories have no own summary.
    ...(isReviewed ? { summary: summaryOf(facts) } : {}),
    details: detailsOf(world, facts, advisory, night),
    severity: scores.map((one) => ({ type: `CVSS_V${String(one.version)[0]}`, score: one.vectorString })),
    affected: packages.map((one) => affectedOf(one, random)),
    references: referencesOf(facts, advisory, world.random(facts.id, `references ${id}`)),
    ...(random.chance(0.3) || facts.showcase !== null ? { credits: creditsOf(random) } : {}),
    database_specific: {
      cwe_ids: random.chance(0.9) ? [`CWE-${facts.weakness}`] : [],
      severity: SEVERITIES[String(scores[0]?.baseSeverity)] ?? 'MODERATE',
      github_reviewed: isReviewed,
      github_reviewed_at: isReviewed ? secondOf(publishedAt) : null,
      nvd_published_at: aliases.length > 0 && random.chance(0.6) ? secondOf(facts.publishedAt) : null,
    },
  }
}

export const summaryOf = ({ product, weakness }: Facts) => `${product} is open to ${weaknessPhrase(weakness).name}`

/** Returns Markdown. A changed advisory has an update section. */
export function detailsOf(world: World, facts: Facts, advisory: Advisory, night: number): string {
  const random = world.random(facts.id, `details ${advisory.id}`)
  const description = descriptionOf(facts, world.random(facts.id, 'text'))
  if (advisory.packages.length === 0) return description
  const line = () => filled('- {outcome} It happens {cause}.', random)
  // The rest is about 100 characters.
  const account = extended(`### Impact\n${description}\n`, DETAILS_LENGTH(random.float()) - 100, line, '\n')
  const isChanged = advisory.changedIn !== null && advisory.changedIn <= night
  const update = isChanged ? '\n\n### Update\nThe ranges were checked again.' : ''
  return `${account}\n\n### Patches\n${word('fix', random)}${update}`
}

interface AffectedMember {
  package: { ecosystem: string; name: string }
  ranges?: { type: string; events: object[] | null }[]
  versions?: string[]
  database_specific?: object
}

function affectedOf({ package: one, bounds }: Advisory['packages'][number], random: Random): AffectedMember {
  const named = { package: { ecosystem: one.ecosystem, name: one.name } }
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
  const more = Array.from({ length: FURTHER_REFERENCES(random.float()) }, () =>
    web(`${repository}/${filled(random.pick(['commit/{hex40}', 'pull/{int4}']), random)}`),
  )
  return [web(`${repository}/security/advisories/${id}`), ...own, { type: 'PACKAGE', url: repository }, ...more]
}

function creditsOf(random: Random): object[] {
  const types = random.pick([['FINDER'], ['FINDER', 'ANALYST']])
  return types.map((type) => ({ name: loginOf(random), contact: ['https://forge.example.com'], type }))
}
