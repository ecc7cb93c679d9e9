/** The CVSS 3.1 base score by NVD: often the CNA's, otherwise a different one. */
import { cnaContainer } from '../../record/cna-container.ts'
import { cvss, type Metric } from '../../record/metrics.ts'
import type { Facts, World } from '../../world.ts'

/** Share of CVEs scored by both for which NVD has the CNA's vector. */
const AGREED_SHARE = 0.55

export function nvdScore(world: World, facts: Facts, cna = cnaContainer(world, facts)): Metric {
  const random = world.random(facts.id, 'nvd-score')
  const stated = cna.metrics?.find((one) => one.cvssV3_1)?.cvssV3_1 as Metric | undefined
  const own = cvss('3.1', random.float())
  return stated && random.chance(AGREED_SHARE) ? stated : own
}
