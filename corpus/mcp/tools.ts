/** The tools of the MCP server: read-only questions about one snapshot. */
import { z } from 'zod'
import { InventoryError } from '../inventory/error.ts'
import { findAdvisories, type PackageSource, sourceLookUp } from '../inventory/findings.ts'
import { inventoryOf } from '../inventory/read.ts'
import { SECTION_NAMES } from '../snapshot/index.ts'
import { ToolError, type ToolSnapshot } from './answer.ts'

/** What the tools ask: a reader, or a gateway in the name of a caller. */
export interface ToolSource extends PackageSource {
  /** The snapshot of the answers. After `request`, the one that it answered from. */
  readonly snapshot: ToolSnapshot
  /** Answers a request of the API without its prefix, errors included. */
  request(target: string): Promise<{ status: number; body: string }>
}

interface TypedTool<Input> {
  name: string
  title: string
  description: string
  /** Strict: an unknown argument is an error, because an agent would take it for a filter. */
  input: z.ZodType<Input>
  /** What helps if the answer is too long. */
  remedy: string
  /** @throws ToolError, and what the source throws */
  answer(source: ToolSource, input: Input): Promise<object>
}

export interface Tool extends Omit<TypedTool<unknown>, 'answer'> {
  /** Takes an input that fits the schema. */
  answer(source: ToolSource, input: unknown): Promise<object>
}

const tool = <Input>(one: TypedTool<Input>): Tool => ({
  ...one,
  answer: (source, input) => one.answer(source, input as Input),
})

const cveId = z.string().max(40).describe('CVE id, such as CVE-2024-3400')
const limit = z.int().min(1).max(100).default(25).describe('Rows of a page, 1 to 100')
const cursor = z
  .string()
  .max(2048)
  .optional()
  .describe('`next_cursor` of the previous page. Send the same other arguments with it')
type Scalar = string | number | boolean
const scalar = z.union([z.string().max(4096), z.number(), z.boolean()])
/** Arguments of `list_cves` other than `filters`. */
const LIST_ARGUMENTS = ['sort', 'fields', 'limit', 'cursor']
const snapshotChoice = 'its id, at least the first 7 digits of it, a date or an RFC 3339 timestamp'

/** Characters of a file of `check`. */
const MAX_FILE_LENGTH = 2_000_000
/** Findings, and other packages, in an answer of `check`. */
const CHECK_ROWS = 50
/** Packages that are looked up at the same time. */
const AT_ONCE = 32

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'get_cve',
    title: 'Get a CVE',
    description:
      'Returns the record of a CVE: title, description, severity, CVSS, EPSS, KEV, SSVC, patch and exploit flags, and the requested sections',
    input: z.strictObject({
      cve_id: cveId,
      include: z
        .array(z.enum(SECTION_NAMES))
        .max(SECTION_NAMES.length)
        .optional()
        .describe('Sections. Default: cvss, epss'),
    }),
    remedy: 'Ask for fewer sections with `include`.',
    answer: (source, { cve_id, include }) => ask(source, `/cves/${encodeURIComponent(cve_id)}`, { include }),
  }),
  tool({
    name: 'search',
    title: 'Search',
    description: 'Searches CVEs, weaknesses, vendors, products, CNAs, exploits and packages by ids, names and titles',
    input: z.strictObject({
      q: z.string().min(2).max(200).describe('Text, 2 to 200 characters'),
      types: z.array(z.string().max(40)).max(12).optional().describe('Types of results, such as cve or package'),
      limit: z.int().min(1).max(25).default(5).describe('Results of each type, 1 to 25'),
    }),
    remedy: 'Use a smaller `limit`.',
    answer: (source, { q, types, limit }) => ask(source, '/search', { q, types, limit }),
  }),
  tool({
    name: 'list_cves',
    title: 'List CVEs',
    description:
      'Lists CVEs that match all filters, page by page. Example: filters {"severity": ["critical", "high"], "kev": true}, sort "-epss"',
    input: z.strictObject({
      filters: z
        .record(z.string().max(60), z.union([scalar, z.array(scalar).max(200)]))
        .default({})
        .describe(
          'Filters of /cves: q, text, severity, kev, has_exploit, has_patch, vendor, product, package, cwe, assigner, cvss_min, epss_min, published_since, published_until, updated_since, kev_since, attack_vector, ids, and others. An unknown name gets an error with all names',
        ),
      sort: z
        .string()
        .max(60)
        .optional()
        .describe('published, updated, cvss, epss or epss_change; - before it: descending'),
      fields: z.array(z.string().max(60)).max(30).optional().describe('Fields of the rows. Default: all'),
      limit,
      cursor,
    }),
    remedy: 'Use a smaller `limit`, or name `fields`.',
    answer(source, { filters, ...others }) {
      const misplaced = LIST_ARGUMENTS.find((name) => name in filters)
      if (misplaced) throw new ToolError(`'${misplaced}' is no filter; state it as an argument of the tool`)
      return ask(source, '/cves', { ...filters, ...others })
    },
  }),
  tool({
    name: 'affected',
    title: 'Is a package affected?',
    description:
      'Returns the advisories that affect a version of a package (purl), or the CVEs that affect a version of a product (cpe), with fixed versions. `indexed: false` means that nothing is known about the ecosystem: it does not mean that the package is safe',
    input: z.strictObject({
      purl: z.string().max(4096).optional().describe('Package URL with a version: pkg:npm/lodash@4.17.0'),
      cpe: z.string().max(4096).optional().describe('CPE 2.3 name with a version'),
      limit,
      cursor,
    }),
    remedy: 'Use a smaller `limit`.',
    answer: (source, { purl, cpe, limit, cursor }) => ask(source, '/affected', { purl, cpe, limit, cursor }),
  }),
  tool({
    name: 'check',
    title: 'Check a lock file or SBOM',
    description:
      'Returns which advisories affect the packages of a lock file or SBOM, given as text. Packages that are undecided or not checked may be affected too',
    input: z.strictObject({
      name: z.string().min(1).max(255).describe('Name of the file, which decides its format: package-lock.json'),
      content: z.string().min(1).max(MAX_FILE_LENGTH).describe('Text of the file'),
      cursor: z
        .string()
        .regex(/^\d{1,7}$/)
        .optional()
        .describe('`next_cursor` of the previous page, with the same file'),
    }),
    remedy: 'Check a smaller file.',
    answer: checkFile,
  }),
  tool({
    name: 'changes',
    title: 'What changed',
    description: 'Lists the CVEs that were added, changed or removed since an earlier snapshot',
    input: z.strictObject({
      since: z.string().max(64).describe(`Earlier snapshot: ${snapshotChoice}`),
      until: z
        .string()
        .max(64)
        .optional()
        .describe('Later snapshot, in the same forms. Default: the one of this server'),
      limit,
      cursor,
    }),
    remedy: 'Use a smaller `limit`.',
    answer: (source, { since, until, limit, cursor }) => ask(source, '/changes', { since, until, limit, cursor }),
  }),
  tool({
    name: 'explain',
    title: 'Explain a CVE',
    description:
      'Returns what each source states about a CVE: CVSS metrics (`is_primary` marks the one behind the severity), evidence of exploitation, affected versions by source, and entries of KEV catalogs',
    input: z.strictObject({ cve_id: cveId }),
    remedy: 'Use `get_cve` with one of the sections cvss, evidence, affected, kev.',
    answer: (source, { cve_id }) =>
      ask(source, `/cves/${encodeURIComponent(cve_id)}`, { include: 'cvss,evidence,affected,kev' }),
  }),
]

/** Answers a request of the API. An array is a csv value. @throws ToolError with the message of the API, and what the source throws */
async function ask(
  source: ToolSource,
  path: string,
  parameters: Record<string, Scalar | readonly Scalar[] | undefined>,
): Promise<object> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const query = given.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`,
  )
  const { status, body } = await source.request(query.length === 0 ? path : `${path}?${query.join('&')}`)
  const answer = JSON.parse(body) as object & { message?: string }
  if (status === 200) return answer
  throw new ToolError(answer.message ?? `status ${status}`)
}

interface CheckInput {
  name: string
  content: string
  cursor?: string | undefined
}

async function checkFile(source: ToolSource, { name, content, cursor }: CheckInput): Promise<object> {
  try {
    const inventory = inventoryOf(name, name.split('/').at(-1)!, Buffer.from(content))
    const found = await findAdvisories([inventory], sourceLookUp(source), AT_ONCE, () => {})
    const from = Number(cursor ?? 0)
    const to = from + CHECK_ROWS
    const { findings, undecided, notChecked, counts } = found
    const rows = Math.max(findings.length, undecided.length, notChecked.length)
    // Empty lists would look like the answer for packages that are not affected.
    if (from > 0 && from >= rows) {
      throw new ToolError(
        `cursor ${from} is beyond the ${rows} rows of this file; use the next_cursor of its last page`,
      )
    }
    return {
      file: { name, format: inventory.format },
      counts,
      findings: findings.slice(from, to),
      undecided: undecided.slice(from, to).map(({ advisories, ...one }) => ({
        ...one,
        advisories: advisories.map(({ advisory_id }) => advisory_id),
      })),
      not_checked: notChecked.slice(from, to),
      pagination: { limit: CHECK_ROWS, next_cursor: rows <= to ? null : String(to) },
    }
  } catch (error) {
    throw error instanceof InventoryError ? new ToolError(error.message) : error
  }
}
