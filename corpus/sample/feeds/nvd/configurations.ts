/** NVD's configurations: CPEs of the CNA's products, mostly with the CNA's version ranges. */
import { cpeKey } from '../../names.ts'
import type { Random } from '../../random.ts'
import type { Affected } from '../../record/affected.ts'
import { type Bounds, boundsOf, type Version } from '../../record/versions.ts'
import type { Facts } from '../../world.ts'

interface CpeMatch {
  vulnerable: boolean
  criteria: string
  versionStartIncluding?: string
  versionStartExcluding?: string
  versionEndExcluding?: string
  versionEndIncluding?: string
  matchCriteriaId: string
}

/** Share of entries with other versions than the CNA's. */
const DISAGREED_SHARE = 0.12
/** Share of configurations that name the platform of the product. */
const PLATFORM_SHARE = 0.13
/** Share of records with one configuration per product: four of 62, at most six configurations. */
const SEVERAL_SHARE = 0.15
const CONFIGURATIONS_MOST = 6
/** Maximum matches of a configuration. Further ones of a large record are omitted. */
const MATCHES_MOST = 40

export function configurationsOf(facts: Facts, affected: readonly Affected[], random: Random): object[] {
  const part = facts.cna.kind === 'kernel' || /Firmware/.test(facts.product) ? 'o' : 'a'
  const matches = new Map<string, CpeMatch>()
  for (const entry of affected) {
    if (matches.size >= MATCHES_MOST) break
    // The root CNA names no product, so NVD adds it.
    const product = !entry.product || entry.product === 'n/a' ? facts.product : entry.product
    for (const match of matchesOf(facts, part, product, entry.versions ?? [], random)) {
      matches.set(JSON.stringify({ ...match, matchCriteriaId: '' }), match)
    }
  }
  const affects = { operator: 'OR', negate: false, cpeMatch: [...matches.values()] }
  if (matches.size > 1 && random.chance(SEVERAL_SHARE)) return eachAlone(affects.cpeMatch.slice(0, CONFIGURATIONS_MOST))
  if (!random.chance(PLATFORM_SHARE)) return [{ nodes: [affects] }]
  const criteria =
    part === 'o'
      ? `cpe:2.3:h:${cpeKey(facts.vendor.name)}:${cpeKey(facts.product)}:-:*:*:*:*:*:*:*`
      : 'cpe:2.3:o:kernhold:kernel:-:*:*:*:*:*:*:*'
  const platform = { vulnerable: false, criteria, matchCriteriaId: criteriaId(random) }
  return [{ operator: 'AND', nodes: [affects, { operator: 'OR', negate: false, cpeMatch: [platform] }] }]
}

function eachAlone(matches: readonly CpeMatch[]): object[] {
  return matches.map((match) => ({ nodes: [{ operator: 'OR', negate: false, cpeMatch: [match] }] }))
}

function matchesOf(
  facts: Facts,
  part: string,
  product: string,
  versions: readonly Version[],
  random: Random,
): CpeMatch[] {
  const software = facts.productKind === 'plugin' ? 'pagepress' : '*'
  const match = (version: string, bounds: Partial<CpeMatch>): CpeMatch => ({
    vulnerable: true,
    criteria: `cpe:2.3:${part}:${cpeKey(facts.vendor.name)}:${cpeKey(product)}:${version}:*:*:*:*:${software}:*:*`,
    ...bounds,
    matchCriteriaId: criteriaId(random),
  })
  const stated = random.chance(DISAGREED_SHARE) ? [] : versions.flatMap((one) => boundsOf(one) ?? [])
  if (stated.length === 0) return [match('*', ownBounds(random))]
  return stated.map((one) => ('exact' in one ? match(one.exact, {}) : match('*', cpeBounds(one))))
}

function cpeBounds(bounds: Exclude<Bounds, { exact: string }>): Partial<CpeMatch> {
  const { from, before, upTo } = bounds
  return {
    ...(from === null ? {} : { versionStartIncluding: from }),
    ...(before === null ? {} : { versionEndExcluding: before }),
    ...(upTo === null ? {} : { versionEndIncluding: upTo }),
  }
}

function ownBounds(random: Random): Partial<CpeMatch> {
  const end = `${random.between(1, 14)}.${random.int(20)}.${random.int(20)}`
  const even = random.float()
  if (even < 0.6) return { versionEndExcluding: end }
  if (even < 0.8) return { versionEndIncluding: end }
  if (even < 0.9) return { versionStartIncluding: '1.0.0', versionEndExcluding: end }
  // All versions, or a range that excludes its start.
  return even < 0.96 ? {} : { versionStartExcluding: '0.9.0', versionEndExcluding: end }
}

function criteriaId(random: Random): string {
  return random.uuid().toUpperCase()
}
