/** Builds the CNA container of published and rejected records. */
import { dateOf, timeOf } from '../calendar.ts'
import { PATTERNS } from '../catalog/pattern-table.ts'
import { CREDITED, EXPLOIT_NOTED, IMPACT_NAMED, MARKED_UP, SOLVED, WORKED_AROUND } from '../figures.ts'
import { FIXES, OUTCOMES, PEOPLE, WORKAROUNDS } from '../phrases.ts'
import type { Random } from '../random.ts'
import type { Facts, World } from '../world.ts'
import { type Affected, cnaAffected } from './affected.ts'
import { cnaMetrics, type Metric } from './metrics.ts'
import { cnaReferences, type Reference } from './references.ts'
import { adviceOf, descriptionOf, germanDescription, markup, titleOf, weaknessPhrase } from './text.ts'

export interface Text {
  lang: string
  value: string
  supportingMedia?: { type: string; base64: boolean; value: string }[]
}

export interface ProblemType {
  descriptions: { type: string; lang: string; description: string; cweId?: string }[]
}

export interface CnaContainer {
  title?: string
  descriptions: Text[]
  affected: Affected[]
  references: Reference[]
  metrics?: Metric[]
  problemTypes?: ProblemType[]
  providerMetadata: { orgId: string; shortName: string; dateUpdated: string }
  [other: string]: unknown
}

export function cnaContainer(world: World, facts: Facts): CnaContainer {
  const { era, cna } = facts
  const text = world.random(facts.id, 'text')
  const random = world.random(facts.id, 'container')
  const description = descriptionOf(facts, text)
  const english: Text = { lang: random.chance(0.07) ? 'en-US' : 'en', value: description }
  if (random.chance(MARKED_UP))
    english.supportingMedia = [{ type: 'text/html', base64: false, value: markup(description) }]
  const container: CnaContainer = {
    providerMetadata: { orgId: cna.orgId, shortName: cna.shortName, dateUpdated: timeOf(facts.updatedAt) },
    descriptions: [english],
    affected: cnaAffected(world.seed, facts, world.random(facts.id, 'affected')),
    references: cnaReferences(facts, world.random(facts.id, 'references')),
  }
  if (cna.kind === 'database') container.descriptions.push({ lang: 'de', value: germanDescription(facts, text) })
  if (titled(facts, random)) container.title = titleOf(facts, text)
  const problems = problemTypes(facts, random)
  if (problems) container.problemTypes = problems
  // A record that receives its score in a later night has none before.
  if (scored(facts, random) && facts.change?.kind !== 'score')
    container.metrics = cnaMetrics(facts, world.random(facts.id, 'metrics'))
  if (cna.kind !== 'root') Object.assign(container, advice(facts, random))
  if (random.chance(era.legacy)) container.x_legacyV4Record = legacyRecord(facts, container)
  return container
}

/** Returns whether the CNA gives a title. The kernel gives a title without score, the root CNA neither. */
function titled(facts: Facts, random: Random): boolean {
  if (facts.cna.kind === 'root') return false
  return facts.cna.kind === 'kernel' || facts.cna.kind === 'plugins' || random.chance((facts.era.titled - 0.3) / 0.7)
}

function scored(facts: Facts, random: Random): boolean {
  if (facts.cna.kind === 'root' || facts.cna.kind === 'kernel') return false
  return random.chance(facts.era.scored)
}

function problemTypes(facts: Facts, random: Random): ProblemType[] | null {
  const { era, cna, weakness } = facts
  const { name } = weaknessPhrase(weakness)
  if (cna.kind === 'root') return [problem({ type: 'text', lang: 'en', description: 'n/a' })]
  if (cna.kind === 'kernel') return null
  const even = random.float()
  if (even < era.weakness) {
    const description = `CWE-${weakness} ${name}`
    // Some CNAs name the weakness only in the text (rule 21).
    if (random.chance(0.12)) return [problem({ type: 'text', lang: 'en', description })]
    const first = problem({ type: 'CWE', lang: 'en', description, cweId: `CWE-${weakness}` })
    if (!random.chance(0.03)) return [first]
    return [first, problem({ type: 'CWE', lang: 'en', description: 'CWE-20', cweId: 'CWE-20' })]
  }
  if (even < era.weakness + era.weaknessAsText) return [problem({ type: 'text', lang: 'en', description: name })]
  return null
}

function problem(description: ProblemType['descriptions'][number]): ProblemType {
  return { descriptions: [description] }
}

/** Returns the attack pattern that a CNA names. */
function impactOf(facts: Facts, random: Random): object {
  const { number } = random.pick(PATTERNS)
  const value = `CAPEC-${number}: ${weaknessPhrase(facts.weakness).effect}`
  return { capecId: `CAPEC-${number}`, descriptions: [{ lang: 'en', value }] }
}

/** Returns optional parts of a container: credits, solutions, workarounds and others. */
function advice(facts: Facts, random: Random): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  const said = (value: string) => [{ lang: 'en', value }]
  if (random.chance(CREDITED)) parts.credits = [{ lang: 'en', type: 'finder', value: random.pick(PEOPLE) }]
  if (random.chance(SOLVED)) parts.solutions = said(adviceOf(FIXES, random))
  if (random.chance(WORKED_AROUND)) parts.workarounds = said(adviceOf(WORKAROUNDS, random))
  if (random.chance(EXPLOIT_NOTED)) parts.exploits = said(random.pick(OUTCOMES))
  if (random.chance(0.17)) parts.datePublic = timeOf(facts.publishedAt)
  if (random.chance(0.14))
    parts.timeline = [{ lang: 'en', time: timeOf(facts.reservedAt), value: `Reported on ${dateOf(facts.reservedAt)}` }]
  if (random.chance(0.43))
    parts.source = {
      discovery: random.pick(['UNKNOWN', 'EXTERNAL', 'INTERNAL']),
      advisory: `${facts.cna.shortName}-${random.hex(6)}`,
    }
  if (random.chance(0.37)) parts.x_generator = { engine: 'Recordsmith 0.2.0' }
  if (random.chance(IMPACT_NAMED)) parts.impacts = [impactOf(facts, random)]
  return parts
}

/** Returns `x_legacyV4Record`: the record in the format before CVE 5, which upstream keeps in older records. */
function legacyRecord(facts: Facts, container: CnaContainer): Record<string, unknown> {
  return {
    CVE_data_meta: { ASSIGNER: `cve@${facts.cna.shortName.replace('@', '')}.example`, ID: facts.id, STATE: 'PUBLIC' },
    data_format: 'MITRE',
    data_type: 'CVE',
    data_version: '4.0',
    affects: {
      vendor: {
        vendor_data: container.affected.slice(0, 5).map((entry) => ({
          vendor_name: entry.vendor,
          product: {
            product_data: [
              {
                product_name: entry.product,
                version: { version_data: (entry.versions ?? []).map(({ version }) => ({ version_value: version })) },
              },
            ],
          },
        })),
      },
    },
    description: { description_data: [{ lang: 'eng', value: container.descriptions[0]!.value }] },
    problemtype: { problemtype_data: [{ description: [{ lang: 'eng', value: 'n/a' }] }] },
    references: {
      reference_data: container.references.map(({ url, name }) => ({ name: name ?? url, refsource: 'MISC', url })),
    },
  }
}
