/** The paths of the API in mode `static`, and the methods of the reader that answer them. */
import { PurlError, type PurlPackage, packageOfPurl } from '../../../model/packages/purl.ts'
import { advisoryNames } from '../../../model/packages/source-package.ts'
import { parseDateBound } from '../../../model/values/date-bound.ts'
import { canonicalEcosystem, isIndexed } from '../../../model/versions/ecosystems.ts'
import type { Reader } from '../../../reader/reader.ts'
import { keyOfName, SECTIONS, type Section } from '../../../snapshot/index.ts'
import { ApiFailure, type Params } from './api.ts'

/** The parameters of a request by name, as the options of the reader have them. */
type Options = Record<string, never>

interface Asked {
  reader: Reader
  /** The decoded values of the parts of the path that begin with `:`. */
  parts: string[]
  options: Options
}

type Answerer = (asked: Asked) => Promise<object | null>

const LISTS = ['cwes', 'capecs', 'cnas', 'vendors', 'exploits', 'packages'] as const

/** By path. `*` is one part or more. A null answer is 404. */
const ANSWERERS: readonly (readonly [path: string, answer: Answerer])[] = [
  ['cves', ({ reader, options }) => reader.list(options)],
  ['cves/:', ({ reader, parts: [id], options }) => record(reader, id!, options)],
  ['cves/:/cvss', async (asked) => withId(await section(asked, 'cvss'), 'cvss')],
  ['cves/:/epss', async (asked) => withId(await section(asked, 'epss'), 'epss_detail')],
  ['cves/:/analysis', async (asked) => (await section(asked, 'analysis')) as object],
  ['cves/:/guidance', async (asked) => withId(await section(asked, 'guidance'), 'guidance')],
  ['cves/:/references', (asked) => items(asked, 'references', 'references', isReference)],
  ['cves/:/affected', (asked) => items(asked, 'affected', 'entries', isAffected)],
  ['cves/:/exploits', (asked) => items(asked, 'exploits', 'exploits', () => true)],
  ['cves/:/evidence', (asked) => items(asked, 'evidence', 'evidence', isEvidence)],
  ['cves/:/timeline', timeline],
  ['cves/:/advisory', ({ reader, parts: [id] }) => reader.advisoryOf(id!)],
  ['cves/:/reports', ({ reader, parts: [id], options }) => reports(reader, id!, options)],
  ['cves/:/reports/:', ({ reader, parts: [id, report] }) => reportOf(reader, id!, report!)],
  ['reports/types', ({ reader, options }) => reader.reportTypes(options)],
  ...LISTS.map((list) => [list, ({ reader, options }: Asked) => reader.entries(list, options)] as const),
  ['cwes/:', async ({ reader, parts: [id], options }) => chosen(await reader.entry('cwes', id!), options)],
  ['cwes/:/cves', ({ reader, parts: [id], options }) => cvesOfCwe(reader, id!, options)],
  ['capecs/:', async ({ reader, parts: [id], options }) => chosen(await reader.entry('capecs', id!), options)],
  ['cnas/stats', ({ reader }) => reader.cnaStats()],
  ['cnas/:', ({ reader, parts: [slug] }) => reader.entry('cnas', slug!)],
  ['cnas/:/cves', ({ reader, parts: [slug], options }) => cvesOfCna(reader, slug!, options)],
  ['vendors/:', ({ reader, parts: [slug] }) => reader.entry('vendors', slug!)],
  ['vendors/:/products', ({ reader, parts: [vendor], options }) => reader.entries('products', { ...options, vendor })],
  ['vendors/:/products/*', ({ reader, parts }) => reader.entry('products', joined(parts))],
  ['products', ({ reader, options }) => products(reader, options)],
  ['exploits/:/:', ({ reader, parts }) => reader.entry('exploits', joined(parts))],
  ['packages/:/*', ({ reader, parts: [ecosystem, name] }) => reader.entry('packages', `${ecosystem}/${name}`)],
  ['affected', ({ reader, options }) => affected(reader, options)],
  ['advisories/:', ({ reader, parts: [id] }) => reader.advisory(id!)],
  ['search', ({ reader, options: { q, ...options } }) => reader.search(q ?? required('q'), options)],
  [
    'search/suggest',
    async ({ reader, options: { q, ...options } }) => ({
      suggestions: await reader.suggest(q ?? required('q'), options),
    }),
  ],
  ['changes', ({ reader, options: { since, ...options } }) => reader.changes(since ?? required('since'), options)],
  ['snapshot', async ({ reader }) => reader.snapshot],
  ['snapshots', ({ reader, options }) => snapshots(reader, options)],
  ['stats', ({ reader }) => reader.stats()],
]

const ROUTES = ANSWERERS.map(([path, answer]) => {
  const pattern = path.split('/').map((part) => (part === ':' ? '([^/]+)' : part === '*' ? '(.+)' : part))
  return { pattern: new RegExp(`^/${pattern.join('/')}$`), answer }
})

/**
 * Returns the answer of an API path.
 * @throws ApiFailure for a path without an answer, and what the reader throws
 */
export async function answerOf(reader: Reader, path: string, params: Params): Promise<object> {
  for (const { pattern, answer } of ROUTES) {
    const found = pattern.exec(path)
    if (!found) continue
    const parts = found.slice(1).map(decoded)
    const given = await answer({ reader, parts, options: optionsOf(params) as Options })
    if (given) return given
    throw notFound(`The snapshot has no entry “${path.slice(1).split('/').map(decoded).join('/')}”.`)
  }
  throw notFound(`The API has no path ${path}.`)
}

const notFound = (message: string) => new ApiFailure(404, 'not_found', message)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw notFound(`'${part}' is not percent-encoded.`)
  }
}

function required(name: string): never {
  throw new ApiFailure(400, 'invalid_parameter', `parameter '${name}' is required`)
}

const BOOLEANS = new Set(
  ['kev', 'has_exploit', 'has_patch', 'has_detection'].concat('full', 'include_schema', 'messages'),
)
const BOOLEAN_VALUES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
const NUMBERS = new Set(['limit', 'epss_min'])
const CSV = new Set(['ids', 'include', 'types', 'fields'])

/** Returns the parameters as the reader takes them. Parameters without a value are left out, as in `queryOf`. */
function optionsOf(params: Params): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(params)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
    if (text === '') continue
    if (BOOLEANS.has(name)) options[name] = BOOLEAN_VALUES.get(text.toLowerCase()) ?? text
    else if (NUMBERS.has(name)) options[name] = Number.isNaN(Number(text)) ? text : Number(text)
    else if (CSV.has(name)) options[name] = text.split(',').map((part) => part.trim())
    // Attack patterns have one severity.
    else options[name] = name === 'severity' && text.includes(',') ? text.split(',').map((part) => part.trim()) : text
  }
  return options
}

/** `/` within the first part is `%2F`. */
const joined = ([first = '', second = '']: string[]) => `${first.replaceAll('/', '%2F')}/${second}`

function chosen(entry: object | null, { fields }: { fields?: string[] }): object | null {
  if (!entry || !fields) return entry
  return Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)))
}

async function record(reader: Reader, id: string, { fields, ...options }: Options & { fields?: string[] }) {
  const found = await reader.get(id, options)
  if (!fields) return found
  const sections: string[] = Object.values(SECTIONS)
  return chosen(found, { fields: ['cve_id', ...fields, ...sections] })
}

interface RecordPart {
  cve_id: string
  [section: string]: unknown
}

/** Returns `cve_id` and a section of a record. */
async function section({ reader, parts: [id] }: Asked, name: Section): Promise<RecordPart | null> {
  const found = await reader.get(id!, { include: [name] })
  if (!found) return null
  const key = SECTIONS[name]
  return { cve_id: found.cve_id, [key]: (found as unknown as RecordPart)[key] }
}

const withId = (part: RecordPart | null, key: string): object | null =>
  part && { cve_id: part.cve_id, ...(part[key] as object) }

type Item = Record<string, unknown>
type Test = (item: Item, options: Record<string, string | undefined>) => boolean

const isReference: Test = ({ tags, sources }, { tag, source }) =>
  (tag === undefined || (tags as string[]).includes(tag)) &&
  (source === undefined || (sources as string[]).includes(source))
const isAffected: Test = (entry, { source, ecosystem }) =>
  (source === undefined || entry.source === source) && (ecosystem === undefined || entry.ecosystem === ecosystem)
const isEvidence: Test = (item, { type }) => type === undefined || item.type === type

async function items(asked: Asked, name: Section, key: string, test: Test): Promise<object | null> {
  const part = await section(asked, name)
  if (!part) return null
  const found = (part[SECTIONS[name]] as Item[]).filter((item) => test(item, asked.options))
  return { cve_id: part.cve_id, count: found.length, [key]: found }
}

async function timeline(asked: Asked): Promise<object | null> {
  const part = await section(asked, 'timeline')
  if (!part) return null
  const {
    messages = true,
    category,
    since,
  } = asked.options as { messages?: boolean; category?: string; since?: string }
  const from = since === undefined ? null : parseDateBound(since)
  if (since !== undefined && !from) {
    throw new ApiFailure(400, 'invalid_parameter', `parameter 'since' must be a date, not '${since}'`)
  }
  const entries = (part.timeline as { category: string | null; changed_at: string | null }[]).filter(
    (entry) =>
      (category === undefined || entry.category === category) &&
      (!from || (entry.changed_at !== null && Date.parse(entry.changed_at) >= from.ms)),
  )
  const shown = messages ? entries : entries.map((entry) => ({ ...entry, messages: [] }))
  return { cve_id: part.cve_id, count: shown.length, timeline: shown }
}

async function reports(reader: Reader, id: string, options: Options): Promise<object | null> {
  const found = await reader.reports(id, options)
  return found && { cve_id: id.toUpperCase(), count: found.length, reports: found }
}

async function reportOf(reader: Reader, cveId: string, reportId: string): Promise<object | null> {
  const found = await reader.reports(cveId, { full: true })
  return found?.find(({ id }) => id === reportId.toLowerCase()) ?? null
}

async function cvesOfCwe(reader: Reader, id: string, options: Options & { scope?: 'primary' | 'any' }) {
  const { scope = 'primary' } = options
  const page = await reader.list({ ...options, cwe: id, scope })
  return { cwe_id: `CWE-${id.replace(/^cwe-/i, '')}`, scope: scope.toLowerCase(), ...page }
}

async function cvesOfCna(reader: Reader, name: string, options: Options) {
  const slug = keyOfName(name)
  const [page, cna] = await Promise.all([reader.list({ ...options, cna: name }), reader.entry('cnas', name)])
  return { cna: { slug, cna_name: cna?.cna_name ?? null }, ...page }
}

/** `/products` searches, and has one page only. */
async function products(reader: Reader, options: Options & { q?: string; vendor?: string }): Promise<object> {
  if ([...(options.q ?? required('q'))].length < 2) {
    throw new ApiFailure(400, 'invalid_parameter', "parameter 'q' must have 2 to 200 characters")
  }
  const { data, pagination } = await reader.entries('products', options)
  // Rows of one vendor are shorter.
  const rows = await Promise.all(
    data.map(async (row) => {
      if ('vendor_display' in row) return row
      const { spellings: _, ...found } = (await reader.entry('products', joined([row.vendor, row.slug])))!
      return found
    }),
  )
  return { data: rows, pagination: { limit: pagination.limit, next_cursor: null } }
}

interface AffectedOptions {
  purl?: string
  cpe?: string
  ecosystem?: string
  name?: string
  version?: string
  source?: string
  limit?: number
  cursor?: string
}

async function affected(reader: Reader, options: Options): Promise<object> {
  const { purl, cpe, limit = 25, cursor, ...named } = options as AffectedOptions
  if (cpe !== undefined) {
    const message = "parameter 'cpe' requires a gateway; without one, state a package URL in 'purl'"
    throw new ApiFailure(400, 'invalid_parameter', message)
  }
  if (purl === undefined && named.name === undefined && named.ecosystem === undefined) required('purl')
  const stated = purl ? purlOf(purl) : named
  const { ecosystem = required('ecosystem'), name = required('name'), version = null } = stated
  const canonical = ecosystem === null ? null : canonicalEcosystem(ecosystem, reader.ecosystems)
  const { source = null } = stated
  const rows = await reader.affected(
    purl === undefined ? { ecosystem: ecosystem!, name, version, source } : { purl, ...named },
  )
  const indexed = canonical !== null && isIndexed(canonical, reader)
  const { matched_source } = advisoryNames({ ecosystem: canonical ?? '', name, version, source })
  // Cursors of this list are numbers of rows.
  const start = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isInteger(start) || start < 0) {
    throw new ApiFailure(400, 'invalid_cursor', 'this cursor is invalid; request the first page again')
  }
  const data = rows.slice(start, start + limit)
  const end = start + data.length
  return {
    query: { purl: purl ?? null, ecosystem: canonical, name, version, matched_source, indexed },
    data,
    pagination: { limit, next_cursor: end < rows.length ? String(end) : null },
  }
}

/** Returns the package of a purl. The reader explains what is wrong with a malformed one. */
function purlOf(purl: string): PurlPackage {
  try {
    return packageOfPurl(purl)
  } catch (error) {
    if (!(error instanceof PurlError)) throw error
    return { ecosystem: null, name: '', version: null, source: null }
  }
}

async function snapshots(reader: Reader, options: Options): Promise<object> {
  const { limit = 25 } = options as { limit?: number }
  return { data: await reader.snapshots({ limit }), pagination: { limit, next_cursor: null } }
}
