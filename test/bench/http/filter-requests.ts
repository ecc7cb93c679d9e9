/** Requests with filters: each continues a walk anywhere or is new, so that no cache holds all of them. */
import { STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { FLAGS, SEVERITIES } from '../../../corpus/snapshot/derive/facts.ts'
import { postingsOf } from '../../../corpus/snapshot/derive/postings.ts'
import { anywhereIn, type Catalog, LIST } from './catalog.ts'

const QUARTER_MS = 90 * 86_400_000
const LIMIT = 25

const CRITICAL = SEVERITIES.indexOf('critical')

export const critical = (catalog: Catalog) =>
  anywhereIn(catalog, {
    sort: 'cvss',
    query: 'severity=critical&has_patch=true&sort=-cvss',
    limit: LIMIT,
    passes: ({ severity, flags }, ordinal) =>
      severity[ordinal] === CRITICAL && (flags[ordinal]! & FLAGS.has_patch) !== 0,
  })

export const kev = (catalog: Catalog) =>
  anywhereIn(catalog, {
    sort: 'epss',
    query: 'kev=true&sort=-epss',
    limit: LIMIT,
    passes: ({ flags }, ordinal) => (flags[ordinal]! & FLAGS.kev) !== 0,
  })

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** An assigner, and half a year around the date of one of its records. */
export function narrow({ random, snapshot: { columns } }: Catalog): () => string {
  const assigners = [...columns.assigner.keys.keys()]
  return () => {
    const assigner = random.pick(assigners)
    const published = columns.published[random.pick([...postingsOf(columns.assigner, assigner)])]!
    const around = Number.isNaN(published) ? Date.UTC(2024, 0, 1) : published
    const [since, until] = [around - QUARTER_MS, around + QUARTER_MS].map(dayOf)
    return `${LIST}?assigner=${encodeURIComponent(assigner)}&published_since=${since}&published_until=${until}`
  }
}

const sorts = STORED_SORTS.flatMap((sort) => [sort, `-${sort}`])

export function weakness({ random, snapshot: { columns } }: Catalog): () => string {
  const numbers = [...columns.anyCwe.keys.keys()]
  return () => `/api/v1/cwes/${random.pick(numbers)}/cves?scope=any&sort=${random.pick(sorts)}`
}

/** One to four filters with values of the corpus. */
export function combined({ random, snapshot: { columns } }: Catalog): () => string {
  const assigners = [...columns.assigner.keys.keys()]
  const weaknesses = [...columns.primaryCwe.keys.keys()]
  const day = () => dayOf(columns.published[random.int(columns.count)]! || 0)
  const bool = () => String(random.chance(0.5))
  const values: Record<string, () => string> = {
    severity: () => SEVERITIES.filter(() => random.chance(0.4)).join(',') || 'high',
    kev: bool,
    has_exploit: bool,
    has_patch: bool,
    has_detection: bool,
    assigner: () => encodeURIComponent(random.pick(assigners)),
    cwe: () => `CWE-${random.pick(weaknesses)}`,
    epss_min: () => (random.float() ** 3).toFixed(4),
    published_since: day,
    published_until: day,
    updated_since: day,
  }
  const names = Object.keys(values)
  return () => {
    const chosen = new Set(Array.from({ length: random.between(1, 4) }, () => random.pick(names)))
    const query = [...chosen].map((name) => `${name}=${values[name]!()}`).join('&')
    return `${LIST}?${query}&sort=${random.pick(sorts)}`
  }
}

/** Filters that match something separately and nothing together: mainly EPSS scores above those of such CVEs. */
export async function nothing({ client, random }: Catalog): Promise<() => string> {
  const base = 'severity=none&kev=true&epss_min='
  for (const least of [0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99]) {
    if ((await client.body(`${LIST}?${base}${least}`)).data?.length !== 0) continue
    return () => `${LIST}?${base}${(least + (1 - least) * random.float()).toFixed(8)}&sort=${random.pick(sorts)}`
  }
  throw new Error('no filters were found that nothing passes')
}

export const batch = (catalog: Catalog) => () => {
  const ids = new Set<string>()
  while (ids.size < 50) ids.add(catalog.id())
  return `${LIST}?ids=${[...ids].join(',')}`
}
