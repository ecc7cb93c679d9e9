/**
 * Random request targets (path and query below `/api/v1`) of all routes, valid and invalid, from the parameters of the
 * route table. They depend on the seed and on the snapshot alone.
 */
import type { Context } from '../../corpus/answers/context.ts'
import type { JsonSchema } from '../../corpus/answers/parameters/parameter.ts'
import type { Route } from '../../corpus/answers/route.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { Random } from '../../corpus/sample/random.ts'
import type { Answerer } from './answerers.ts'
import type { Example, TargetValues } from './target-values.ts'

/** A valid request before it is written. Values are not encoded. */
interface Draft {
  route: Route<Context>
  path: Readonly<Record<string, string>>
  query: (readonly [name: string, value: string])[]
}

interface Options {
  seed?: number
  count?: number
}

/** Shares of each kind of target, in percent. */
const SHARES = { valid: 43, respelled: 11, faulty: 18, unknown: 5, outside: 6, continued: 17 } as const
type TargetKind = keyof typeof SHARES

const LIMITS = [1, 2, 3, 5, 7, 10, 15, 24, 25, 26, 30, 50, 75, 99, 100]

/** Returns `count` different targets. `service` gives the first pages of lists, for the cursors of later ones. */
export async function requestTargets(
  service: Answerer,
  values: TargetValues,
  { seed = 1, count = 1000 }: Options = {},
): Promise<string[]> {
  const random = new Random('targets', seed)
  const drafts = drafting(random, values)
  const make: Record<TargetKind, () => string | Promise<string>> = {
    valid: () => written(drafts.next('valid')),
    respelled: () => respelled(random, drafts.next('respelled')),
    faulty: () => faulty(random, drafts.next('faulty')),
    unknown: () =>
      unknownTarget(
        random,
        values,
        drafts.next('unknown', (route) => route.path.includes(':')),
      ),
    outside: () => OUTSIDE[drafts.count('outside') % OUTSIDE.length]!,
    continued: () => continued(random, service, drafts),
  }
  const kinds = Object.keys(SHARES) as TargetKind[]
  const made: Record<TargetKind, number> = { valid: 0, respelled: 0, faulty: 0, unknown: 0, outside: 0, continued: 0 }
  const targets = new Set<string>()
  for (let tries = 0; targets.size < count; tries++) {
    if (tries > 20 * count) throw new Error(`only ${targets.size} different targets in ${tries} tries`)
    // The kind that is furthest behind its share.
    const kind = kinds.reduce((a, b) => (made[b] / SHARES[b] < made[a] / SHARES[a] ? b : a))
    made[kind]++
    targets.add(await make[kind]())
  }
  return [...targets]
}

interface Drafting {
  /**
   * Routes with more parameters are more frequent, except for cursors. Of the parameters of a route, those with the fewest
   * uses come first. The uses for each purpose are counted apart.
   */
  next(purpose: TargetKind | 'cursor', isWanted?: (route: Route<Context>) => boolean): Draft
  /** Returns how often it was called with this text before. */
  count(what: string): number
  /** Whether a query parameter belongs to others of an example. */
  isBase(draft: Pick<Draft, 'route'>, name: string): boolean
  /** A value of a query parameter. */
  value(draft: Pick<Draft, 'route'>, name: string): string
}

/** Parameters that do not select rows, each with its share: of all routes, and of lists. */
const SHAPING: Readonly<Record<string, number>> = { snapshot: 0.5 }
const SHAPING_LISTS: Readonly<Record<string, number>> = { ...SHAPING, sort: 0.8, limit: 0.7, count: 0.2, fields: 0.2 }

function drafting(random: Random, values: TargetValues): Drafting {
  const uses = new Map<string, number>()
  const used = (key: string) => uses.get(key) ?? 0
  const use = (key: string) => void uses.set(key, used(key) + 1)
  const weight = ({ params }: Route<Context>) => 3 + Object.keys(params.query).length
  const shuffledByUse = (key: string, names: readonly string[]) =>
    names
      .map((name) => ({ name, uses: used(`${key}.${name}`) + random.float() }))
      .sort((a, b) => a.uses - b.uses)
      .map(({ name }) => name)

  function value(
    { route }: Pick<Draft, 'route'>,
    name: string,
    filters: Example['filters'] = {},
    key = route.name,
  ): string {
    const { schema } = route.params.query[name]!
    const choices = schemaValues(random, schema)
    if (name === 'sort' && choices) {
      const [least] = shuffledByUse(`${key}.sort`, choices)
      use(`${key}.sort.${least}`)
      return least!
    }
    // Random values of several filters have nothing in common.
    if (filters[name] !== undefined && random.chance(0.6)) return filters[name]
    const some = choices ?? values.query[name] ?? (isDate(schema) ? values.query.date! : [])
    if (some.length === 0) throw new Error(`target-values.ts has no value of ${name} of ${route.path}`)
    return random.pick(some)
  }

  const isBase = ({ route }: Pick<Draft, 'route'>, name: string) =>
    values.examples[route.name]?.some(({ base = {} }) => Object.hasOwn(base, name)) ?? false

  /** Further values of parameters that can be repeated, for some requests. */
  function repeated({ params }: Route<Context>, base: object, examples: readonly Example[]): Draft['query'] {
    return Object.keys(base).flatMap((name) => {
      if (!params.query[name]!.isRepeated || random.chance(0.5)) return []
      const values = examples.flatMap((example) => example.base?.[name] ?? [])
      return Array.from({ length: random.between(1, 5) }, () => [name, random.pick(values)] as const)
    })
  }

  return {
    value,
    isBase,
    count(what) {
      use(what)
      return used(what) - 1
    },
    next(purpose, isWanted = () => true) {
      const hasWeights = purpose !== 'continued' && purpose !== 'cursor'
      const keyOf = (route: Route<Context>) => `${purpose} ${route.name}`
      const asked = (route: Route<Context>) => used(keyOf(route)) / (hasWeights ? weight(route) : 1)
      const route = ROUTES.filter(isWanted).reduce((a, b) => (asked(b) < asked(a) ? b : a))
      const key = keyOf(route)
      use(key)
      const examples = values.examples[route.name] ?? []
      // Few examples have some of the bases of `/affected`.
      const byBase = Map.groupBy(examples, ({ base = {} }) => `${Object.keys(base)}`)
      const [kind = ''] = shuffledByUse(key, [...byBase.keys()])
      if (byBase.size > 1) use(`${key}.${kind}`)
      const { path = {}, base = {}, filters }: Example = examples.length === 0 ? {} : random.pick(byBase.get(kind)!)
      if (route.path.includes(':') && Object.keys(path).length === 0)
        throw new Error(`target-values.ts has no path of ${route.path}`)
      const names = Object.keys(route.params.query).filter((name) => name !== 'cursor' && !isBase({ route }, name))
      const shaping = 'limit' in route.params.query ? SHAPING_LISTS : SHAPING
      const free = names.filter((name) => !Object.hasOwn(shaping, name))
      const most = random.pick(free.length > 5 ? [1, 2, 2, 3, 3] : [0, 1, 1, 2, 3])
      const chosen = shuffledByUse(key, free).slice(0, most)
      for (const name of names) {
        const expected = (shaping[name] ?? 0) * used(key)
        if (name in shaping && used(`${key}.${name}`) + random.float() < expected + 0.5) chosen.push(name)
      }
      for (const name of chosen) use(`${key}.${name}`)
      const query = chosen.map((name) => [name, value({ route }, name, filters, key)] as const)
      return { route, path, query: [...Object.entries(base), ...repeated(route, base, examples), ...query] }
    },
  }
}

const isDate = ({ anyOf }: JsonSchema): boolean =>
  Array.isArray(anyOf) && anyOf.some((one: JsonSchema) => one.format === 'date')

/** Returns values of a closed set, of booleans or of numbers; null for other types. */
function schemaValues(random: Random, { type, enum: members, items, minimum, maximum }: JsonSchema): string[] | null {
  if (Array.isArray(members)) return members as string[]
  const choices = (items as JsonSchema | undefined)?.enum as string[] | undefined
  if (choices) return Array.from({ length: 4 }, () => choices.filter(() => random.chance(0.4)).join() || choices[0]!)
  if (type === 'boolean') return ['true', 'false']
  const [least, most] = [Number(minimum), Number(maximum)]
  if (type === 'integer') return LIMITS.filter((limit) => limit >= least && limit <= most).map(String)
  if (type !== 'number') return null
  return [least, most, least + (most - least) * random.float(), least + (most - least) * random.float() ** 6].map(
    String,
  )
}

const encodePath = (text: string): string => encodeURIComponent(text)
const encodeQuery = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2C', ',')

function pathOf({ route, path }: Draft, encode = encodePath): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => encode(path[name]!))
}

function written(draft: Draft, more: readonly string[] = []): string {
  return joined(pathOf(draft), [...draft.query.map(([name, value]) => `${name}=${encodeQuery(value)}`), ...more])
}

const joined = (path: string, parts: readonly string[]) => (parts.length === 0 ? path : `${path}?${parts.join('&')}`)

/** Another spelling of the same request, or nearly the same. */
function respelled(random: Random, draft: Draft): string {
  const { route, query } = draft
  const changed = (value: string) => random.pick([value.toUpperCase(), value.toLowerCase(), capitals(random, value)])
  const pairs = query.map(([name, value]) => `${name}=${encodeQuery(value)}`)
  const some = random.int(Math.max(1, query.length))
  const [name = '', value = ''] = query[some] ?? []
  const withPair = (pair: string) => joined(pathOf(draft), [...pairs.slice(0, some), pair, ...pairs.slice(some + 1)])
  const spellings: (() => string)[] = [
    () =>
      written({
        ...draft,
        path: Object.fromEntries(Object.entries(draft.path).map(([key, text]) => [key, changed(text)])),
      }),
    () =>
      joined(
        pathOf(draft).replace(/^\/\w+/, (text) => changed(text)),
        pairs,
      ),
    () => joined(`${pathOf(draft)}/`, pairs),
    () => joined(pathOf(draft, encodeAll), pairs),
    () => `${pathOf(draft)}?${['', ...pairs, ''].join('&')}`,
  ]
  // Slashes that separate nothing but parts of the last parameter.
  if (route.takesRest)
    spellings.push(() =>
      joined(
        pathOf(draft, (text) => encodePath(text).replaceAll('%2F', '/')),
        pairs,
      ),
    )
  if (query.length > 0) {
    spellings.push(
      () => withPair(`${name}=${encodeQuery(changed(value))}`),
      () => withPair(`${name}=${encodeAll(value)}`),
      () => withPair(`${encodeAll(name)}=${encodeAll(value).toLowerCase()}`),
      () => withPair(`${name}=${encodeURIComponent(value)}`),
      () => withPair(`${name}=%20${encodeQuery(value)}+`),
      () =>
        withPair(`${name}=${encodeQuery(value).replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%40', '@')}`),
      () => joined(pathOf(draft), pairs.toReversed()),
      () => withPair(`${name}=${encodeQuery(value.split(',').toReversed().join(', '))}`),
    )
    if (route.params.query[name]!.union) {
      spellings.push(
        () => joined(pathOf(draft), [...pairs, ...value.split(',').map((part) => `${name}=${part}`)]),
        () =>
          withPair(
            value
              .split(',')
              .map((part) => `${name}=${encodeQuery(part)}`)
              .join('&'),
          ),
      )
    }
  }
  return random.pick(spellings)()
}

const capitals = (random: Random, text: string) =>
  [...text].map((one) => (random.chance(0.5) ? one.toUpperCase() : one.toLowerCase())).join('')

const encodeAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** Values that no parameter of a type takes, besides some that a few do. */
const WRONG: Record<string, readonly string[]> = {
  boolean: ['yes', '1', 'tru', 'null', 'true,false', 'TRUE'],
  integer: ['0', '-1', '101', '1.5', '1e1', 'ten', '+5', '٣', '9007199254740993', '025', '-0', '1,2'],
  number: ['-0.1', '11', 'NaN', 'Infinity', '1e400', '.', '0x1', '0,5', '.5', '1e-3', '+0.5', '1.', '0.5e'],
  date: ['2024-02-30', '2024-13-01', '24-01-01', 'yesterday', '2024-1-1', '2024-01-01T25:00:00Z', '2024-01-01 00:00'],
  array: ['nothing', 'critcal', 'cvs', 'CVE-24-1', ',', 'high,,low', 'a,'.repeat(99), 'CVE-2024-1,CVE-2024-3400'],
  enum: ['nothing', 'Hig', '-', 'publised', '--cvss', 'constructor', 'exploit_archiv'],
}
/** Values that break most other types: ids, purls, CPE names, snapshots, bounded texts. */
const MALFORMED = [
  ...['-1', 'CVE-', 'CVE-2024-1', 'CVE-2024-12345678901234567890', 'CWE-079', 'cwe79', 'CWE-99999999999999999999'],
  ...[
    'pkg:',
    'pkg:npm',
    'pkg:npm/',
    'pkg:/x',
    'npm/x',
    'pkg:npm/a@1@2',
    'pkg:npm/%zz',
    'pkg:maven/x@1',
    'pkg:unknown/x',
  ],
  ...['cpe:2.3:a:x', 'cpe:2.3:a:*:*:*:*:*:*:*:*:*:*', 'cpe:/a', 'cpe:2.3:z:a:b:c:*:*:*:*:*:*:*', 'cpe:/a:acme:wid%get'],
  ...[
    'abc',
    '0000000',
    'f'.repeat(64),
    'f'.repeat(65),
    'zzzzzzz',
    '2024-02-30',
    '1999-01-01',
    '/',
    'a/',
    '/a',
    'npm',
    'npm/ x',
  ],
  ...[
    'x'.repeat(201),
    '   ',
    '\0',
    'a\u0000b',
    '..',
    '../../etc/passwd',
    '__proto__',
    '漏'.repeat(200),
    'no such thing',
  ],
]
/** What percent-decoding refuses, or what it makes of bytes that are no text. */
const BROKEN = ['%', '%zz', '%2', '%c0%af', '%ed%a0%80', '%f4%90%80%80', 'a%', '%00', '%E2%82', '%u0041']
const UNKNOWN_NAMES = [
  'sorts',
  'limt',
  'Limit',
  'cursr',
  'page',
  'x',
  '',
  '%73',
  'severty',
  '__proto__',
  'q%',
  'a+b',
  'fields[]',
]

/** Breaks a valid request in one place. */
function faulty(random: Random, draft: Draft): string {
  const { route, path } = draft
  const pairs = draft.query.map(([name, value]) => `${name}=${encodeQuery(value)}`)
  const names = Object.keys(route.params.query)
  const ways: (() => string)[] = [
    () => joined(pathOf(draft), [...pairs, `${random.pick(UNKNOWN_NAMES)}=${random.pick(['1', '', 'x'])}`]),
  ]
  const own = Object.keys(path)
  if (own.length > 0) {
    const broken = random.pick(own)
    const withPath = (text: string) =>
      joined(
        route.path.replace(/:(\w+)/g, (_, name: string) => (name === broken ? text : encodePath(path[name]!))),
        pairs,
      )
    ways.push(
      () => withPath(encodePath(random.pick(MALFORMED))),
      () => withPath(random.pick(BROKEN)),
      () => withPath(''),
      () => withPath(random.pick(['%20', '%2F', '.', '..', '%2e%2e', "'", '%00', '*', ';', '%2Fa', 'a%2F'])),
    )
  }
  if (names.length > 0) {
    const name = random.pick(names)
    const { schema } = route.params.query[name]!
    const others = pairs.filter((pair) => !pair.startsWith(`${name}=`))
    const withValue = (text: string) => {
      const at = random.int(others.length + 1)
      return joined(pathOf(draft), [...others.slice(0, at), text, ...others.slice(at)])
    }
    const kind = Array.isArray(schema.enum) ? 'enum' : isDate(schema) ? 'date' : String(schema.type)
    const wrong = () => random.pick([...(WRONG[kind] ?? []), ...(WRONG[kind] ? MALFORMED.slice(0, 2) : MALFORMED)])
    const isIt = () => withValue(`${name}=${encodeQuery(wrong())}`)
    ways.push(
      isIt,
      isIt,
      isIt,
      () => withValue(`${name}=`),
      () => withValue(name),
      () => withValue(`${name}=${random.pick(BROKEN)}`),
      // A plus sign that was not encoded.
      () => withValue(`${name}=${encodeQuery(wrong()).replaceAll('%2B', '+')}`),
      () => joined(pathOf(draft), others),
    )
    if (pairs.length > 0) ways.push(() => joined(pathOf(draft), [...pairs, random.pick(pairs)]))
    if (names.length > 1)
      ways.push(() =>
        written(
          draft,
          [name, random.pick(names)].map((one) => `${one}=${encodeQuery(wrong())}`),
        ),
      )
  }
  return random.pick(ways)()
}

/** Names something that does not exist, in one or all places of the path. */
function unknownTarget(random: Random, { unknown }: TargetValues, draft: Draft): string {
  const names = Object.keys(draft.path)
  const chosen = random.pick(names)
  const path = Object.fromEntries(
    names.map((name) => [
      name,
      name === chosen || random.chance(0.2) ? random.pick(unknown[name] ?? ['no-such']) : draft.path[name]!,
    ]),
  )
  return written({ ...draft, path })
}

/** What a request does with a cursor. Each list has all of them in turn. */
const WAYS = ['next', 'limit', 'filters', 'second', 'sort', 'broken', 'limit', 'list', 'case', 'next'] as const

/** A later page of a list, or a cursor where it does not belong. */
async function continued(random: Random, service: Answerer, drafts: Drafting): Promise<string> {
  const { name, params } = drafts.next('continued', isPaged).route
  const another = () => drafts.next('cursor', (route) => route.name === name)
  const { first, cursor } = await firstPage(random, service, drafts, another)
  if (cursor === null) return written(first)
  const given = `cursor=${encodeURIComponent(cursor)}`
  const without = (...names: string[]) => first.query.filter(([key]) => !names.includes(key))
  const withQuery = (query: Draft['query']) => written({ ...first, query }, [given])
  switch (WAYS[drafts.count(`continued ${name}`) % WAYS.length]!) {
    case 'next':
      return written(first, [given])
    case 'limit':
      return withQuery([...without('limit'), ['limit', `${random.pick(LIMITS)}`]])
    case 'second': {
      const second = await cursorOf(service, written(first, [given]))
      return written(first, second === null ? [given] : [`cursor=${encodeURIComponent(second)}`])
    }
    case 'sort':
      return withQuery('sort' in params.query ? [...without('sort'), ['sort', drafts.value(another(), 'sort')]] : [])
    case 'filters':
      return withQuery(another().query)
    case 'list':
      return written(drafts.next('cursor', isPaged), [given])
    case 'broken':
      return written(first, [`cursor=${encodeURIComponent(brokenCursor(random, cursor))}`])
    case 'case':
      return withQuery(first.query.map(([key, value]) => [key, value.toUpperCase()]))
  }
}

const isPaged = ({ params }: Route<Context>) => 'cursor' in params.query

/** Returns a first page of a list, with the cursor of the next one; null after many that have none. */
async function firstPage(random: Random, service: Answerer, drafts: Drafting, next: () => Draft) {
  for (let tries = 1; ; tries++) {
    const draft = next()
    // Without most filters, and soon with the shortest page.
    const kept = draft.query.filter(([key]) => key === 'sort' || drafts.isBase(draft, key) || random.chance(0.2))
    const limit = tries > 3 ? 1 : random.pick([2, 3, 5, 10, 25, 26])
    const first: Draft = { ...draft, query: [...kept.filter(([key]) => key !== 'limit'), ['limit', `${limit}`]] }
    const cursor = await cursorOf(service, written(first))
    if (cursor !== null || tries === 25) return { first, cursor }
  }
}

async function cursorOf(service: Answerer, target: string): Promise<string | null> {
  const { status, body } = await service.request(target)
  if (status !== 200) return null
  // Groups of several purls have cursors of their own.
  const { pagination } = JSON.parse(body) as { pagination?: { next_cursor: string | null } }
  return pagination?.next_cursor ?? null
}

function brokenCursor(random: Random, cursor: string): string {
  const at = random.int(cursor.length)
  return random.pick([
    cursor.slice(0, at),
    cursor.slice(at + 1),
    `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    `${cursor}=`,
    `${cursor}x`,
    ` ${cursor}`,
    cursor + cursor,
    'x'.repeat(513),
    cursor.toLowerCase(),
  ])
}

/** Paths that no route has, besides a few that one does, and snapshots that no service has. */
const OUTSIDE = [
  ...['/', '/cve', '/cves/CVE-2024-3400/nothing', '/cves/a/b/c', '/cves/', '/cves//', '//cves', '/cves//cvss'],
  ...[
    '/cves;a=b',
    '/cves%2FCVE-2024-3400',
    '/cves%3Flimit=1',
    '/%63ves',
    '/..',
    '/../v1/cves',
    '/cves/../cwes',
    '/cves/.',
  ],
  ...[
    '/packages/npm',
    '/packages/npm/',
    '/packages//x',
    '/packages/npm//x',
    '/packages/npm/x/',
    '/packages/npm/@a/b//',
  ],
  ...[
    '/vendors/x/y',
    '/vendors//products',
    '/vendors/x/products//',
    '/vendors/x/products/a/b/',
    '/exploits/exploit_archive',
  ],
  ...['/openapi.yaml', '/openapiXjson', '/openapi.json/', '/OPENAPI.JSON', '/openapi.json', '/openapi.json/x'],
  ...[
    '/search/suggest/x',
    '/search/',
    '/cnas/stats',
    '/cnas/STATS',
    '/cnas/stats/',
    '/cnas/stats/cves',
    '/cnas/st%61ts',
  ],
  ...['/reports', '/reports/types', '/reports/types/x', '/healthz', '/docs', '/metrics', '/api/v1/cves'],
  ...['/%', '/%00', '/%zz/x', '/constructor', '/__proto__', `/${'x'.repeat(300)}`],
  ...['f'.repeat(64), '0000000', '1999-01-01'].map((since) => `/changes?since=${since}`),
]
