/** The containers of a published record: the CNA's, those of CISA and the CVE Program, and a supplier's. */
import { DAY_MS, dateOf, FIRST_NIGHT, timeOf } from '../calendar.ts'
import { type CvssVersion, cvss, type Metric } from '../cvss.ts'
import * as figures from '../figures.ts'
import { slugOf } from '../names.ts'
import { Random } from '../random.ts'
import * as text from '../text.ts'
import type { Facts, World } from '../world.ts'
import { type Affected, adpAffected, cnaAffected, cnaReferences, type Reference, supplierAffected } from './affected.ts'

interface Text {
  lang: string
  value: string
  supportingMedia?: { type: string; base64: boolean; value: string }[]
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

export function cnaContainer(world: World, facts: Facts): CnaContainer {
  const { era, cna } = facts
  const words = world.random(facts.id, 'text')
  const random = world.random(facts.id, 'container')
  const description = text.descriptionOf(facts, words)
  const english: Text = { lang: random.chance(0.07) ? 'en-US' : 'en', value: description }
  if (random.chance(figures.MARKED_UP)) {
    const escaped = description.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const value = `<p>${escaped.replaceAll('\n', '<br>')}</p>`
    english.supportingMedia = [{ type: 'text/html', base64: false, value }]
  }
  const container: CnaContainer = {
    providerMetadata: { orgId: cna.orgId, shortName: cna.shortName, dateUpdated: timeOf(facts.updatedAt) },
    descriptions: [english],
    affected: cnaAffected(world.seed, facts, world.random(facts.id, 'affected')),
    references: cnaReferences(facts, world.random(facts.id, 'references')),
  }
  if (cna.kind === 'database') {
    container.descriptions.push({ lang: 'de', value: `${facts.product}: ${text.word('german', words)}` })
  }
  // The kernel gives a title without score, the root CNA neither.
  const isTitled = cna.kind === 'kernel' || cna.kind === 'plugins' || random.chance((era.titled - 0.3) / 0.7)
  if (cna.kind !== 'root' && isTitled) container.title = text.titleOf(facts, words)
  const problems = problemTypes(facts, random)
  if (problems) container.problemTypes = problems
  // A record that receives its score in a later night has none before.
  const isScored = cna.kind !== 'root' && cna.kind !== 'kernel' && random.chance(era.scored)
  if (isScored && facts.change?.kind !== 'score')
    container.metrics = cnaMetrics(facts, world.random(facts.id, 'metrics'))
  if (cna.kind !== 'root') Object.assign(container, advice(world, facts, random))
  if (random.chance(figures.DISPUTED_SHARE) || facts.showcase === 17) container.tags = ['disputed']
  return container
}

function problemTypes({ era, cna, weakness }: Facts, random: Random): ProblemType[] | null {
  const { name } = text.weaknessPhrase(weakness)
  if (cna.kind === 'root') return [problem('n/a')]
  if (cna.kind === 'kernel') return null
  const even = random.float()
  if (even < era.weakness) {
    const description = `CWE-${weakness} ${name}`
    // Some CNAs name the weakness only in the text (rule 21).
    if (random.chance(0.12)) return [problem(description)]
    const first = problem(description, `CWE-${weakness}`)
    return random.chance(0.03) ? [first, problem('CWE-20', 'CWE-20')] : [first]
  }
  return even < era.weakness + era.weaknessAsText ? [problem(name)] : null
}

function cnaMetrics(facts: Facts, random: Random): Metric[] {
  const scorings = facts.cna.kind === 'database' ? figures.DATABASE_SCORINGS : figures.SCORINGS
  // One random number for all versions, so that a high 3.1 score comes with a high 4.0 score.
  const even = random.float()
  return scorings(random.float())
    .split(' ')
    .map((one): Metric => {
      if (one === 'other') {
        const content = { text: random.pick(['Low', 'Moderate', 'Important', 'Critical']) }
        return { other: { type: 'House rating', content } }
      }
      if (one === 'joint') return { format: 'CVSS', cvssV3_1: cvss('3.1', even), cvssV4_0: cvss('4.0', even) }
      const stated = { [`cvssV${one.replace('.', '_')}`]: cvss(one as CvssVersion, even) }
      return one[0] === '3' ? { format: 'CVSS', ...stated, scenarios: said('GENERAL') } : stated
    })
}

/** Returns optional parts of a container: credits, solutions, workarounds and others. */
function advice({ catalogs }: World, facts: Facts, random: Random): Record<string, unknown> {
  const { reservedAt, publishedAt, cna, weakness } = facts
  const pattern = `CAPEC-${random.pick(catalogs.patterns).number}`
  const impact = said(`${pattern}: ${text.weaknessPhrase(weakness).effect}`)
  const parts: [name: string, share: number, value: () => unknown][] = [
    ['credits', figures.CREDITED, () => [{ lang: 'en', type: 'finder', value: text.word('person', random) }]],
    ['solutions', figures.SOLVED, () => said(text.adviceOf('fix', random))],
    ['workarounds', figures.WORKED_AROUND, () => said(text.adviceOf('workaround', random))],
    ['exploits', figures.EXPLOIT_NOTED, () => said(text.word('outcome', random))],
    ['datePublic', 0.17, () => timeOf(publishedAt)],
    ['timeline', 0.14, () => [{ lang: 'en', time: timeOf(reservedAt), value: `Reported on ${dateOf(reservedAt)}` }]],
    [
      'source',
      0.43,
      () => ({
        discovery: random.pick(['UNKNOWN', 'EXTERNAL', 'INTERNAL']),
        advisory: `${cna.shortName}-${random.hex(6)}`,
      }),
    ],
    ['x_generator', 0.37, () => ({ engine: 'Recordsmith 0.2.0' })],
    ['impacts', figures.IMPACT_NAMED, () => [{ capecId: pattern, descriptions: impact }]],
  ]
  return Object.fromEntries(parts.flatMap(([name, share, value]) => (random.chance(share) ? [[name, value()]] : [])))
}

/** The real ids of the organizations, because adapters may recognize them. */
export const CISA_ORG = '134c704f-9b21-4f2e-91b3-4a467353bcc0'
export const PROGRAM_ORG = 'af854a3a-2127-422b-91ae-364da2661108'
export const CISA_ADP = 'CISA-ADP'

/** Returns the references that the CVE Program copied. */
export function programContainer(world: World, facts: Facts, cna: CnaContainer): AdpContainer[] {
  const random = world.random(facts.id, 'program')
  const transferredAt = figures.TRANSFER_DATE + random.int(5 * DAY_MS)
  if (facts.publishedAt > transferredAt || !random.chance(figures.TRANSFERRED_SHARE)) return []
  const references = cna.references.map((one) => ({ ...one, tags: [...(one.tags ?? []), 'x_transferred'] }))
  const providerMetadata = { orgId: PROGRAM_ORG, shortName: 'CVE', dateUpdated: timeOf(transferredAt) }
  return [{ title: 'CVE Program Container', references, providerMetadata }]
}

/** Returns CISA's container. `listed` is whether KEV has the CVE by then; the container states it too. */
export function cisaContainer(world: World, facts: Facts, cna: CnaContainer, listed: boolean): AdpContainer[] {
  const random = world.random(facts.id, 'cisa')
  // A later change of the assessment or a KEV entry needs a container.
  const needed = facts.kevAddedAt !== null || facts.change?.kind === 'assessment'
  if (!random.chance(facts.era.assessed) && !needed) return []
  const soon = facts.publishedAt + random.int(9 * DAY_MS)
  const assessedAt = Math.min(Math.max(soon, Date.UTC(2024, 3, 1) + random.int(200 * DAY_MS)), FIRST_NIGHT)
  const at = Math.max(listed ? facts.kevAddedAt! : assessedAt, facts.publishedAt)
  const metrics = [ssvcMetric(facts, listed, at, world.random(facts.id, listed ? 'ssvc-listed' : 'ssvc'))]
  const container: AdpContainer = {
    title: 'CISA ADP Vulnrichment',
    metrics,
    providerMetadata: { orgId: CISA_ORG, shortName: CISA_ADP, dateUpdated: timeOf(at + 4000) },
  }
  if (listed) {
    const reference = `https://catalogue.example.gov/known-exploited?search=${facts.id}`
    metrics.push({ other: { type: 'kev', content: { dateAdded: dateOf(facts.kevAddedAt!), reference } } })
  }
  if (random.chance(figures.ADP_AFFECTED)) container.affected = adpAffected(world.seed, facts, random)
  if (!cna.metrics && random.chance(figures.ADP_SCORED)) {
    metrics.unshift({ cvssV3_1: cvss('3.1', random.float()) })
    const cweId = `CWE-${facts.weakness}`
    container.problemTypes = [problem(`${cweId} ${text.weaknessPhrase(facts.weakness).name}`, cweId)]
  }
  return [container]
}

/** Returns CISA's assessment. A few have capital letters, as upstream's do. */
export function ssvcMetric({ id }: Facts, listed: boolean, at: number, random: Random): Metric {
  const drawn = (listed ? figures.SSVC_ACTIVE : figures.SSVC)(random.float()).split(' ')
  const isCapital = random.chance(0.02)
  const points = ['Exploitation', 'Automatable', 'Technical Impact'].map((name, i) => {
    const word = drawn[i]!
    return { [name]: isCapital ? word[0]!.toUpperCase() + word.slice(1) : word }
  })
  const timestamp = timeOf(at).replace('Z', '000Z')
  const content = { id, role: 'CISA Coordinator', options: points, version: '2.0.3', timestamp }
  return { other: { type: 'ssvc', content } }
}

const SUPPLIER = 'Tidewater'
const SUPPLIERS_SINCE = Date.UTC(2026, 0, 12)

/** Returns the container of a supplier, which states its own products, severity and score. */
export function supplierContainer(world: World, facts: Facts): AdpContainer[] {
  const random = world.random(facts.id, 'supplier')
  if (!random.chance(figures.SUPPLIER_SHARE) && (facts.showcase === null || facts.showcase % 8 !== 4)) return []
  const from = Math.max(facts.publishedAt, SUPPLIERS_SINCE)
  const dateUpdated = timeOf(Math.max(Math.min(from + random.int(30 * DAY_MS), FIRST_NIGHT), facts.publishedAt))
  const rating = {
    namespace: 'https://tidewater.example/ratings',
    value: random.pick(['Low', 'Moderate', 'Important']),
  }
  const metrics: Metric[] = [{ other: { type: `${SUPPLIER} severity rating`, content: rating } }]
  if (random.chance(0.8)) metrics.push({ format: 'CVSS', cvssV3_1: cvss('3.1', random.float()) })
  return [
    {
      title: `${slugOf(facts.product)}: ${text.weaknessPhrase(facts.weakness).name}`,
      x_adpType: 'supplier',
      affected: supplierAffected(facts, SUPPLIER, random),
      metrics,
      references: [{ url: `https://tidewater.example/security/${facts.id}`, tags: ['vdb-entry', 'vendor-advisory'] }],
      providerMetadata: { orgId: new Random(world.seed, SUPPLIER).uuid(), shortName: 'tidewater-SADP', dateUpdated },
    },
  ]
}
