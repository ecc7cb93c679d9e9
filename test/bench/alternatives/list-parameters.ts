/** The parameters of `/cves` for Fastify: a schema for its own validator, and the corresponding filters. */
import type { Severity } from '../../../corpus/model/record.ts'
import { fold } from '../../../corpus/snapshot/codec/fold.ts'
import { CVE_SORTS, type CveSort } from '../../../corpus/snapshot/cursor/order.ts'
import type { CveFilters } from '../../../corpus/snapshot/filter/filters.ts'
import type { ListRequest, SqlKey } from './list-query.ts'

const boolean = { type: 'boolean' }
const date = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d(T.*)?$' }
const band = '(critical|high|medium|low|none)'

export const listSchema = {
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      q: { type: 'string', minLength: 1, maxLength: 200 },
      severity: { type: 'string', pattern: `^${band}(,${band})*$` },
      kev: boolean,
      has_exploit: boolean,
      has_patch: boolean,
      has_detection: boolean,
      assigner: { type: 'string', minLength: 1 },
      cwe: { type: 'string', pattern: '^(?:[Cc][Ww][Ee]-)?\\d+$' },
      epss_min: { type: 'number', minimum: 0, maximum: 1 },
      published_since: date,
      published_until: date,
      updated_since: date,
      ids: { type: 'string', maxLength: 3000 },
      sort: { type: 'string', enum: CVE_SORTS.flatMap((key) => [key, `-${key}`]), default: '-published' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      cursor: { type: 'string', maxLength: 512 },
    },
  },
}

/** Values that the schema accepts. */
export interface ListParameters {
  q?: string
  severity?: string
  kev?: boolean
  has_exploit?: boolean
  has_patch?: boolean
  has_detection?: boolean
  assigner?: string
  cwe?: string
  epss_min?: number
  published_since?: string
  published_until?: string
  updated_since?: string
  ids?: string
  sort: string
  limit?: number
  cursor?: string
}

const DAY_MS = 86_400_000
const DAY_LENGTH = 'YYYY-MM-DD'.length

const from = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))
/** A day includes the whole day. */
const until = (text: string | undefined) =>
  text === undefined ? undefined : Date.parse(text) + (text.length === DAY_LENGTH ? DAY_MS - 1 : 0)

export function listRequest(given: ListParameters): ListRequest {
  const { q, severity, assigner, cwe, ids, sort, cursor } = given
  const filters: CveFilters = {
    q: q === undefined ? undefined : fold(q),
    severity: severity?.split(',') as Severity[] | undefined,
    kev: given.kev,
    has_exploit: given.has_exploit,
    has_patch: given.has_patch,
    has_detection: given.has_detection,
    assigner: assigner === undefined ? undefined : fold(assigner),
    cwe: cwe === undefined ? undefined : { number: Number(cwe.replace(/^cwe-/i, '')), scope: 'primary' },
    epss_min: given.epss_min,
    published_since: from(given.published_since),
    published_until: until(given.published_until),
    updated_since: from(given.updated_since),
    ids: ids?.toUpperCase().split(',') as CveFilters['ids'],
  }
  const descending = sort.startsWith('-')
  const key = (descending ? sort.slice(1) : sort) as CveSort
  const limit = given.limit ?? (ids === undefined ? 25 : (filters.ids?.length ?? 25))
  const after = cursor === undefined ? null : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as SqlKey)
  return { sort: { key, descending }, filters, limit, after }
}
