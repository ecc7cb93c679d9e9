/** The containers of a published record: the CNA's, those of CISA and the CVE Program, and a supplier's. */
import { DAY_MS, dateOf, FIRST_NIGHT, timeOf } from '../calendar.ts'
import { type CvssVersion, cvss, type Metric, vectorPosition } from '../cvss.ts'
import { SCORINGS, SSVC } from '../figures.ts'
import { slugOf } from '../names.ts'
import { Random } from '../random.ts'
import { descriptionOf, titleOf, weaknessPhrase, word } from '../text.ts'
import type { Facts, World } from '../world.ts'
import { type Affected, adpAffected, cnaAffected, cnaReferences, type Reference, supplierAffected } from './affected.ts'

interface Text {
  lang: string
  value: string
  supportingMedia?: object[]
}

interface ProblemType {
  descriptions: { type: string; lang: string; description: string; cweId?: string }[]
}

interface Container {
  providerMetadata: { orgId: string; shortName: string; dateUpdated: string }
  title?: string
  references?: Reference[]
  metrics?: Metric[]
  affected?: Affected[]
  problemTypes?: ProblemType[]
}

export interface CnaContainer extends Container {
  descriptions: Text[]
  affected: Affected[]
  references: Reference[]
  [other: string]: unknown
}

export interface AdpContainer extends Container {
  title: string
  x_adpType?: 'supplier'
}

const said = (value: string): Text[] => [{ lang: 'en', value }]
const problem = (description: string, cweId?: string): ProblemType => ({
  descriptions: [{ type: cweId ? 'CWE' : 'text', lang: 'en', description, ...(cweId ? { cweId } : {}) }],
})
const weaknessText = (number: number) => `CWE-${number} ${weaknessPhrase(number).name}`

export function cnaContainer(world: World, facts: Facts): CnaContainer {
  const { era, cna } = facts
  const words = world.random(facts.id, 'text')
  const random = world.random(facts.id, 'container')
  const description = descriptionOf(facts, words)
  const english: Text = { lang: random.chance(0.07) ? 'en-US' : 'en', value: description }
  if (random.chance(0.3)) {
    const value = `<p>${description.replaceAll('\n', '<br>')}</p>`
    english.supportingMedia = [{ type: 'text/html', base64: false, value }]
  }
  const container: CnaContainer = {
    providerMetadata: { orgId: cna.orgId, shortName: cna.shortName, dateUpdated: timeOf(facts.updatedAt) },
    descriptions: [english],
    affected: cnaAffected(world.seed, facts, world.random(facts.id, 'affected')),
    references: cnaReferences(facts, world.random(facts.id, 'references')),
  }
  if (cna.kind === 'database') {
    container.descriptions.push({ lang: 'de', value: `${facts.product}: Eine Schwachstelle wurde entdeckt.` })
  }
  if (random.chance(0.006) || facts.showcase === 17) container.tags = ['disputed']
  const problems = problemTypes(facts, random)
  if (problems) container.problemTypes = problems
  if (cna.kind === 'root') return container
  if (random.chance(0.75)) container.title = titleOf(facts, words)
  // The kernel states no score. A record that receives its score in a later night has none before.
  if (cna.kind !== 'kernel' && random.chance(era.scored) && facts.change?.kind !== 'score') {
    container.metrics = cnaMetrics(facts, world.random(facts.id, 'metrics'))
  }
  return Object.assign(container, furtherParts(world, facts, random))
}

function problemTypes({ era, cna, weakness }: Facts, random: Random): ProblemType[] | null {
  if (cna.kind === 'root') return [problem('n/a')]
  if (cna.kind === 'kernel') return null
  // Some CNAs name the weakness only in the text (rule 21), others only describe it.
  if (!random.chance(era.weakness)) return random.chance(0.5) ? [problem(weaknessPhrase(weakness).name)] : null
  if (random.chance(0.12)) return [problem(weaknessText(weakness))]
  const first = problem(weaknessText(weakness), `CWE-${weakness}`)
  return random.chance(0.03) ? [first, problem('CWE-20', 'CWE-20')] : [first]
}

const DATABASE_SCORINGS = ['2.0 3.0 3.1 4.0', '2.0 3.0 3.1']

function cnaMetrics(facts: Facts, random: Random): Metric[] {
  const scorings = facts.cna.kind === 'database' ? random.pick(DATABASE_SCORINGS) : SCORINGS(random.float())
  // One random number for all versions, so that a high 3.1 score comes with a high 4.0 score.
  const even = vectorPosition(facts, random)
  return scorings.split(' ').map((one): Metric => {
    if (one === 'other') {
      return { other: { type: 'House rating', content: { text: random.pick(['Low', 'Moderate', 'Critical']) } } }
    }
    const stated = { [`cvssV${one.replace('.', '_')}`]: cvss(one as CvssVersion, even) }
    return one[0] === '3' ? { format: 'CVSS', ...stated, scenarios: said('GENERAL') } : stated
  })
}

/** Returns optional parts of a container, each with its real share: credits, solutions, workarounds and others. */
function furtherParts({ catalogs }: World, facts: Facts, random: Random): Record<string, unknown> {
  const reportedAt = timeOf(facts.reservedAt)
  const capecId = `CAPEC-${random.pick(catalogs.patterns).number}`
  const impact = said(`${capecId}: ${weaknessPhrase(facts.weakness).effect}`)
  const parts: [name: string, share: number, value: unknown][] = [
    ['credits', 0.365, [{ lang: 'en', type: 'finder', value: word('person', random) }]],
    ['solutions', 0.13, said(word('fix', random))],
    ['workarounds', 0.018, said(word('workaround', random))],
    ['exploits', 0.017, said(word('outcome', random))],
    ['datePublic', 0.17, timeOf(facts.publishedAt)],
    ['timeline', 0.14, [{ lang: 'en', time: reportedAt, value: 'Reported' }]],
    ['source', 0.43, { discovery: random.pick(['UNKNOWN', 'EXTERNAL', 'INTERNAL']) }],
    ['x_generator', 0.37, { engine: 'Recordsmith 0.2.0' }],
    ['impacts', 0.15, [{ capecId, descriptions: impact }]],
  ]
  return Object.fromEntries(parts.flatMap(([name, share, value]) => (random.chance(share) ? [[name, value]] : [])))
}

/** The real ids of the organizations, because adapters may recognize them. */
export const CISA_ORG = '134c704f-9b21-4f2e-91b3-4a467353bcc0'
export const PROGRAM_ORG = 'af854a3a-2127-422b-91ae-364da2661108'
export const CISA_ADP = 'CISA-ADP'
/** The CVE Program copied the references of all records that were published by then. */
const TRANSFER_DATE = Date.UTC(2024, 7, 1)

/** Returns the references that the CVE Program copied. */
export function programContainer(facts: Facts, cna: CnaContainer): AdpContainer[] {
  if (facts.publishedAt > TRANSFER_DATE) return []
  const references = cna.references.map((one) => ({ ...one, tags: [...(one.tags ?? []), 'x_transferred'] }))
  const providerMetadata = { orgId: PROGRAM_ORG, shortName: 'CVE', dateUpdated: timeOf(TRANSFER_DATE) }
  return [{ title: 'CVE Program Container', references, providerMetadata }]
}

/** Returns CISA's container. `isListed` is whether KEV has the CVE by then; the container states it too. */
export function cisaContainer(world: World, facts: Facts, cna: CnaContainer, isListed: boolean): AdpContainer[] {
  const random = world.random(facts.id, 'cisa')
  // A later change of the assessment or a KEV entry needs a container.
  const isNeeded = facts.kevAddedAt !== null || facts.change?.kind === 'assessment'
  if (!random.chance(facts.era.assessed) && !isNeeded) return []
  const soon = Math.max(facts.publishedAt, Date.UTC(2024, 3, 1)) + random.int(200 * DAY_MS)
  const at = Math.max(isListed ? facts.kevAddedAt! : Math.min(soon, FIRST_NIGHT), facts.publishedAt)
  const metrics = [ssvcMetric(facts, isListed, at, world.random(facts.id, 'ssvc'))]
  const providerMetadata = { orgId: CISA_ORG, shortName: CISA_ADP, dateUpdated: timeOf(at + 4000) }
  const container: AdpContainer = { title: 'CISA ADP Vulnrichment', metrics, providerMetadata }
  if (isListed) {
    const reference = `https://catalogue.example.gov/known-exploited?search=${facts.id}`
    metrics.push({ other: { type: 'kev', content: { dateAdded: dateOf(facts.kevAddedAt!), reference } } })
  }
  if (random.chance(0.45)) container.affected = adpAffected(world.seed, facts, random)
  if (!cna.metrics && random.chance(0.46)) {
    metrics.unshift({ cvssV3_1: cvss('3.1', vectorPosition(facts, random)) })
    container.problemTypes = [problem(weaknessText(facts.weakness), `CWE-${facts.weakness}`)]
  }
  return [container]
}

/** Returns CISA's assessment. That of a listed CVE is `active`. */
export function ssvcMetric({ id }: Facts, isListed: boolean, at: number, random: Random): Metric {
  const [exploitation, automatable, impact] = SSVC(random.float()).split(' ')
  const options = [
    { Exploitation: isListed ? 'active' : exploitation },
    { Automatable: automatable },
    { 'Technical Impact': isListed ? 'total' : impact },
  ]
  const content = {
    id,
    role: 'CISA Coordinator',
    options,
    version: '2.0.3',
    timestamp: timeOf(at).replace('Z', '000Z'),
  }
  return { other: { type: 'ssvc', content } }
}

const SUPPLIER = 'Tidewater'
const SUPPLIERS_SINCE = Date.UTC(2026, 0, 12)

/** Returns the container of a supplier, which states its own products, severity and score, for one record in fifty. */
export function supplierContainer(world: World, facts: Facts): AdpContainer[] {
  const random = world.random(facts.id, 'supplier')
  if (!random.chance(0.02) && (facts.showcase === null || facts.showcase % 8 !== 4)) return []
  const from = Math.max(facts.publishedAt, SUPPLIERS_SINCE)
  const dateUpdated = timeOf(Math.max(Math.min(from + random.int(30 * DAY_MS), FIRST_NIGHT), facts.publishedAt))
  const value = random.pick(['Low', 'Moderate', 'Important'])
  const rating = { namespace: 'https://tidewater.example/ratings', value }
  const metrics: Metric[] = [{ other: { type: `${SUPPLIER} severity rating`, content: rating } }]
  if (random.chance(0.8)) metrics.push({ format: 'CVSS', cvssV3_1: cvss('3.1', random.float()) })
  const title = `${slugOf(facts.product)}: ${weaknessPhrase(facts.weakness).name}`
  const affected = supplierAffected(facts, SUPPLIER, random)
  const references = [{ url: `https://tidewater.example/security/${facts.id}`, tags: ['vdb-entry', 'vendor-advisory'] }]
  const orgId = new Random(world.seed, SUPPLIER).uuid()
  const providerMetadata = { orgId, shortName: 'tidewater-SADP', dateUpdated }
  return [{ title, x_adpType: 'supplier', affected, metrics, references, providerMetadata }]
}
