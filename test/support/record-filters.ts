/**
 * Tests the filters of `/cves` in combinations against full records, as `/cves/{id}` answers them. Each filter is one line of
 * a table: its values for a record, and which records pass a value. The values of a combination are those of one record.
 */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { joinedProductKey, joinedVendor } from '../../corpus/model/affected/joined-key.ts'
import { listedProducts } from '../../corpus/model/affected/products.ts'
import type { AffectedEntry, GuidanceEntry } from '../../corpus/model/record.ts'
import { Random } from '../../corpus/sample/random.ts'
import type { Asked } from './ask.ts'
import { CVE_ORDERS, changeOrders, type Summary } from './cve-cases.ts'
import { epssChanges } from './list-rows.ts'
import { keyOfName, lower } from './plain.ts'

/** The parts of a record that filters are about. */
interface FullRecord extends Summary {
  cvss: { metrics: { is_primary: boolean; vector_string: string }[] }
  affected: AffectedEntry[]
  guidance: { entries: GuidanceEntry[] }
  /** `<ecosystem>/<name>`, of the advisories about the CVE. */
  packages: string[]
  epss_change: number | null
  /** The words of id, title, description, and of keys and names of vendors and products. */
  words: ReadonlySet<string>
}

interface RecordFilter {
  /** Values that the record passes, or nearly passes. */
  values(record: FullRecord): readonly (string | null)[]
  passes(record: FullRecord, value: string): boolean
}

type Of<T> = (record: FullRecord) => T

const flag = (of: Of<boolean>): RecordFilter => ({
  values: (record) => [String(of(record)), String(of(record)), String(!of(record))],
  passes: (record, value) => String(of(record)) === value,
})

/** One of several values, in any case. `also` returns the values that a record counts as besides its own. */
const among = (of: Of<string | null>, more: readonly string[] = [], also: Of<string[]> = () => []): RecordFilter => ({
  values: (record) => [of(record), ...more, ...more.map((one) => `${one},${(of(record) ?? one).toUpperCase()}`)],
  passes: (record, value) =>
    value
      .toLowerCase()
      .split(',')
      .some((one) => one === of(record)?.toLowerCase() || also(record).includes(one)),
})

/** Numbers from `bottom` to `top`. */
const bound = (
  of: Of<number | null>,
  { step, bottom = 0, top }: { step: number; bottom?: number; top: number },
  isWithin: (number: number, bound: number) => boolean,
): RecordFilter => ({
  values: (record) => {
    const number = of(record)
    if (number === null) return []
    return [number, number - step, number + step].filter((one) => one >= bottom && one <= top).map(String)
  },
  passes: (record, value) => of(record) !== null && isWithin(of(record)!, Number(value)),
})
const least = (number: number, bound: number) => number >= bound
const most = (number: number, bound: number) => number <= bound

/** A day includes the whole day. */
const time = (of: Of<string | null>, isWithin: (time: number, bound: number) => boolean): RecordFilter => ({
  values: (record) => {
    const text = of(record)
    if (text === null) return []
    const at = (shift: number) => new Date(Date.parse(text) + shift).toISOString()
    return [text.slice(0, 10), text.slice(0, 10), at(0), at(1), at(-1), at(86_400_000).slice(0, 10)]
  },
  passes: (record, value) => {
    const text = of(record)
    if (text === null) return false
    return isWithin(Date.parse(value.length === 10 ? text.slice(0, 10) : text), Date.parse(value))
  },
})

const VALUES = {
  AV: { N: 'network', A: 'adjacent', L: 'local', P: 'physical' },
  PR: { N: 'none', L: 'low', H: 'high' },
  UI: { N: 'none', R: 'required', P: 'passive', A: 'active' },
} as const

/** A metric of the vector of the headline score, in words. */
const metric = (name: keyof typeof VALUES) => (record: FullRecord) => {
  const vector = record.cvss.metrics.find((one) => one.is_primary)?.vector_string ?? ''
  const stated = vector.split('/').find((part) => part.startsWith(`${name}:`))
  return (VALUES[name] as Record<string, string>)[stated?.slice(3) ?? ''] ?? null
}

/** The vendors and products that CNA, ADP and NVD name. */
const named = ({ affected }: FullRecord) =>
  affected.filter(({ source, vendor }) => ['cna', 'adp', 'nvd'].includes(source) && keyOfName(vendor) !== null)
const productsOf = (record: FullRecord) =>
  named(record).flatMap(({ source, vendor, product }) =>
    listedProducts(source, vendor, product).flatMap((name) =>
      keyOfName(name) === null ? [] : { vendor: keyOfName(vendor)!, product: keyOfName(name)! },
    ),
  )
const productKey = (vendor: string, product: string) => `${joinedVendor(vendor)}\n${joinedProductKey(vendor, product)}`

/** Accents do not matter. */
const wordsOf = (text: string): string[] =>
  lower(text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const SCORES = { step: 0.1, top: 10 }

const FILTERS: Record<string, RecordFilter> = {
  q: {
    values: ({ cve_id, title }) => [
      cve_id.slice(4, 10),
      ...(title?.split(/\s+/) ?? []),
      title?.slice(2, 20).trim() ?? null,
    ],
    passes: ({ cve_id, title }, value) => [cve_id, title].some((text) => lower(text ?? '').includes(lower(value))),
  },
  text: {
    values: ({ cve_id, title, description }) => {
      const [first, ...more] = wordsOf(`${title} ${description}`).filter((word) => word.length > 2)
      const last = more.at(-1)
      return [
        cve_id,
        first ?? null,
        last ? `${last.slice(0, 3)}* ${first}` : null,
        last ? `${first} ${last.toUpperCase()}` : null,
      ]
    },
    passes: ({ words }, value) =>
      value.split(' ').every((part) => {
        const wanted = wordsOf(part)
        const isPrefix = part.endsWith('*')
        return wanted.every((word, i) =>
          isPrefix && i === wanted.length - 1 ? [...words].some((one) => one.startsWith(word)) : words.has(word),
        )
      }),
  },
  severity: among((record) => record.severity ?? 'unscored', ['none', 'high']),
  kev: flag((record) => record.kev.listed),
  has_exploit: flag((record) => record.has_exploit),
  has_patch: flag((record) => record.has_patch),
  has_detection: flag((record) => record.has_detection),
  has_workaround: flag((record) => record.has_workaround),
  state: among((record) => record.state),
  ssvc_exploitation: among((record) => record.ssvc.exploitation, ['poc']),
  ssvc_automatable: among((record) => record.ssvc.automatable),
  ssvc_decision: among((record) => record.ssvc.decision, ['track*']),
  attack_vector: among(metric('AV'), ['physical']),
  privileges_required: among(metric('PR'), ['high']),
  // CVSS 4.0 divides `required` into `passive` and `active`.
  user_interaction: among(metric('UI'), ['active', 'required'], (record) =>
    ['passive', 'active'].includes(metric('UI')(record) ?? '') ? ['required'] : [],
  ),
  tag: {
    values: ({ guidance }) =>
      guidance.entries.flatMap(({ source, tags }) =>
        source === 'cna' ? tags.filter((tag) => !tag.startsWith('x_')) : [],
      ),
    passes: ({ guidance }, value) =>
      guidance.entries.some(({ source, tags }) => source === 'cna' && tags.includes(value)),
  },
  assigner: {
    values: ({ assigner }) => [assigner, assigner?.toUpperCase() ?? null],
    passes: ({ assigner }, value) => assigner !== null && lower(assigner) === lower(value),
  },
  cwe: {
    values: ({ primary_cwe_id: id }) => [id, id?.slice(4) ?? null],
    passes: ({ primary_cwe_id: id }, value) => id?.slice(4) === value.replace(/^cwe-/, ''),
  },
  vendor: {
    values: (record) => named(record).map(({ vendor }) => vendor),
    passes: (record, value) =>
      named(record).some(({ vendor }) => joinedVendor(keyOfName(vendor)!) === joinedVendor(keyOfName(value)!)),
  },
  product: {
    values: (record) => productsOf(record).map(({ vendor, product }) => `${vendor.replaceAll('/', '%2F')}/${product}`),
    passes: (record, value) => {
      const slash = value.indexOf('/')
      const wanted = productKey(value.slice(0, slash).replaceAll('%2F', '/'), value.slice(slash + 1))
      return productsOf(record).some(({ vendor, product }) => productKey(vendor, product) === wanted)
    },
  },
  package: {
    values: ({ packages }) => packages,
    passes: ({ packages }, value) => packages.includes(value),
  },
  cvss_min: bound((record) => record.cvss_score, SCORES, least),
  cvss_max: bound((record) => record.cvss_score, SCORES, most),
  epss_min: bound((record) => record.epss.score, { step: 1e-5, top: 1 }, least),
  epss_below: bound(
    (record) => record.epss.score,
    { step: 1e-5, top: 1 },
    (number, limit) => number < limit,
  ),
  epss_change_min: bound((record) => record.epss_change, { step: 1e-5, bottom: -1, top: 1 }, least),
  published_since: time((record) => record.date_published, least),
  published_until: time((record) => record.date_published, most),
  updated_since: time((record) => record.date_updated, least),
  kev_since: time((record) => record.kev.date_added, least),
  ids: {
    values: ({ cve_id }) => [cve_id, `${cve_id.toLowerCase()},CVE-1999-99999`],
    passes: ({ cve_id }, value) => value.toUpperCase().split(',').includes(cve_id),
  },
}

/** Parameters that select no rows. */
const SHAPING = ['sort', 'limit', 'cursor', 'count', 'fields', 'epss_change_days', 'snapshot']
/** Of each walk. */
const ROWS = 400
/** Values of each filter that are tested alone. */
const VALUES_ALONE = 24

/**
 * Registers the tests. `packages` are the CVEs of each package; `combinations` the number of random ones; `unknown` the
 * filters of which no record has a value in these feeds.
 */
export function registerRecordFilters(
  { ask, all }: Pick<Asked, 'ask' | 'all'>,
  packages: ReadonlyMap<string, ReadonlySet<string>>,
  combinations: number,
  { unknown = [] }: { unknown?: readonly string[] } = {},
): void {
  let records: FullRecord[]
  let orders: typeof CVE_ORDERS
  const random = new Random('record filters')

  test.before(async () => {
    const packagesOf = new Map<string, string[]>()
    for (const [name, ids] of packages) for (const id of ids) packagesOf.set(id, [...(packagesOf.get(id) ?? []), name])
    const changes = await epssChanges({ ask })
    orders = [...CVE_ORDERS, ...changeOrders(changes)]
    records = []
    for (const { cve_id: id } of await all<Summary>('/cves')) {
      const { text } = await ask(`/cves/${id}`, 'include=cvss,affected,guidance')
      const record = { ...(JSON.parse(text) as FullRecord), packages: packagesOf.get(id) ?? [] }
      const names = named(record).flatMap((one) => [one.vendor, ...listedProducts(one.source, one.vendor, one.product)])
      const texts = [record.cve_id, record.title, record.description, ...names]
      records.push({
        ...record,
        epss_change: changes.get(id)!,
        words: new Set(texts.flatMap((text) => wordsOf(text ?? ''))),
      })
    }
  })

  test('every filter of /cves is here', () => {
    const { params } = ROUTES.find(({ path }) => path === '/cves')!
    const names = Object.keys(params.query).filter((name) => !SHAPING.includes(name))
    assert.equal(Object.keys(FILTERS), names)
  })

  /** Compares number and order of the rows of a query with those of all records. Returns the number. */
  async function expectRows(query: readonly (readonly [name: string, value: string])[], turn: number): Promise<number> {
    const { sort, compare } = orders[turn % orders.length]!
    const passing = records.filter((record) => query.every(([name, value]) => FILTERS[name]!.passes(record, value)))
    const wanted = passing.sort(compare).map(({ cve_id }) => cve_id)
    const parameters = `${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}&sort=${sort}`
    const { pagination } = JSON.parse((await ask('/cves', `${parameters}&count=true&limit=1`)).text)
    assert.is(pagination.total, wanted.length, parameters)
    const limit = Math.min(100, Math.max(1, Math.ceil(wanted.length / 3)))
    let found = 0
    for (let cursor = '', pages = 0; pages * limit < ROWS; pages++) {
      const page = JSON.parse((await ask('/cves', `${parameters}&limit=${limit}${cursor}`)).text)
      const ids = (page.data as Summary[]).map(({ cve_id }) => cve_id)
      assert.equal(ids, wanted.slice(found, found + limit), `${parameters}, page ${pages + 1}`)
      found += ids.length
      if (page.pagination.next_cursor === null) break
      cursor = `&cursor=${page.pagination.next_cursor}`
    }
    assert.ok(found === wanted.length || found >= ROWS, parameters)
    return wanted.length
  }

  /** A value of a filter for a record; null if it has none. */
  function pairOf(name: string, record: FullRecord): readonly [string, string] | null {
    const values = FILTERS[name]!.values(record).filter((value) => value !== null && value !== '')
    return values.length === 0 ? null : [name, random.pick(values) as string]
  }

  test('each filter alone, in all orders', async () => {
    for (const [name, { values }] of Object.entries(FILTERS)) {
      const known = [...new Set(records.flatMap(values))].filter((value) => value !== null && value !== '')
      assert.is(known.length === 0, unknown.includes(name), `values of ${name}`)
      if (known.length === 0) known.push('0')
      const some = known.length <= VALUES_ALONE ? known : Array.from({ length: VALUES_ALONE }, () => random.pick(known))
      for (let turn = 0; turn < Math.max(some.length, orders.length); turn++) {
        await expectRows([[name, some[turn % some.length]!]], turn)
      }
    }
  })

  test(`${combinations} combinations of two and three filters, in all orders`, async () => {
    const names = Object.keys(FILTERS)
    let withRows = 0
    for (let turn = 0; turn < combinations; turn++) {
      const record = random.pick(records)
      const chosen = Array.from({ length: random.between(2, 3) }, () => random.pick(names))
      const query = [...new Set(chosen)].flatMap((name) => {
        const value = pairOf(name, record)
        return value === null ? [] : [value]
      })
      if (query.length > 0 && (await expectRows(query, turn)) > 0) withRows++
    }
    console.log(`# ${combinations} combinations of filters, ${withRows} with rows`)
    assert.ok(withRows > combinations / 2)
  })
}
