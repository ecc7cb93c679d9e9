/** The two ADP containers of real records: CISA's assessment, and the references that the CVE Program copied. */
import { DAY_MS, FIRST_NIGHT, timeOf } from '../calendar.ts'
import { ADP_AFFECTED, ADP_SCORED, TRANSFER_DATE, TRANSFERRED_SHARE } from '../figures.ts'
import type { Facts, World } from '../world.ts'
import { type Affected, adpAffected } from './affected.ts'
import type { CnaContainer, ProblemType } from './cna-container.ts'
import { cvss, kevMetric, type Metric, ssvcMetric } from './metrics.ts'
import type { Reference } from './references.ts'
import { weaknessPhrase } from './text.ts'

export interface AdpContainer {
  title: string
  providerMetadata: { orgId: string; shortName: string; dateUpdated: string }
  metrics?: Metric[]
  affected?: Affected[]
  problemTypes?: ProblemType[]
  references?: Reference[]
}

/** The real ids of the organizations, because adapters may recognize them. */
export const CISA_ORG = '134c704f-9b21-4f2e-91b3-4a467353bcc0'
export const PROGRAM_ORG = 'af854a3a-2127-422b-91ae-364da2661108'

export const CISA_ADP = 'CISA-ADP'

export function programContainer(world: World, facts: Facts, cna: CnaContainer): AdpContainer | null {
  const random = world.random(facts.id, 'program')
  const transferredAt = Date.parse(TRANSFER_DATE) + random.int(5 * DAY_MS)
  if (facts.publishedAt > transferredAt || !random.chance(TRANSFERRED_SHARE)) return null
  return {
    title: 'CVE Program Container',
    references: cna.references.map((one) => ({ ...one, tags: [...(one.tags ?? []), 'x_transferred'] })),
    providerMetadata: { orgId: PROGRAM_ORG, shortName: 'CVE', dateUpdated: timeOf(transferredAt) },
  }
}

/** Returns CISA's container as of a night. `listed` is whether KEV has the CVE by then; the container states it too. */
export function cisaContainer(world: World, facts: Facts, cna: CnaContainer, listed: boolean): AdpContainer | null {
  const random = world.random(facts.id, 'cisa')
  // A later change of the assessment or a KEV entry needs a container.
  const needed = facts.kevAddedAt !== null || facts.change?.kind === 'assessment'
  if (!random.chance(facts.era.assessed) && !needed) return null
  const soon = facts.publishedAt + random.int(9 * DAY_MS)
  const assessedAt = Math.min(Math.max(soon, Date.parse('2024-04-01') + random.int(200 * DAY_MS)), FIRST_NIGHT)
  const at = Math.max(listed ? facts.kevAddedAt! : assessedAt, facts.publishedAt)
  const container: AdpContainer = {
    title: 'CISA ADP Vulnrichment',
    metrics: [ssvcMetric(facts, listed, at, world.random(facts.id, listed ? 'ssvc-listed' : 'ssvc'))],
    providerMetadata: { orgId: CISA_ORG, shortName: CISA_ADP, dateUpdated: timeOf(at + 4000) },
  }
  if (listed) container.metrics!.push(kevMetric(facts))
  if (random.chance(ADP_AFFECTED)) container.affected = adpAffected(world.seed, facts, random)
  if (!cna.metrics && random.chance(ADP_SCORED)) {
    container.metrics!.unshift({ cvssV3_1: cvss('3.1', random.float()) })
    const cweId = `CWE-${facts.weakness}`
    const description = `${cweId} ${weaknessPhrase(facts.weakness).name}`
    container.problemTypes = [{ descriptions: [{ type: 'CWE', lang: 'en', description, cweId }] }]
  }
  return container
}
