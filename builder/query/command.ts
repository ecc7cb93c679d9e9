/** Runs `vulnshelf query`. */
import { type Api, type ApiFlags, openApi } from './api.ts'
import { type Column, type Endpoint, endpointOf, isApiDocument, selectColumns } from './columns.ts'
import { QueryError } from './error.ts'
import { type Format, objectLines, rowFormatter } from './output.ts'
import { assertWalkable, type QuestionFlags, questionOf } from './question.ts'
import { answerOf, noAnswer, pagesOf } from './walk.ts'

export interface QueryFlags extends ApiFlags, QuestionFlags {
  format: Format
  limit: number
}

export interface Output {
  /** Whether a person sees it, so that control characters must be escaped. */
  isTerminal: boolean
  /** Resolves when more can be written. */
  write(text: string): Promise<void>
  /** Writes a line about the answer, apart from it. */
  note(text: string): void
}

/** @throws QueryError, KeyError, SnapshotError, TransferError */
export async function queryFromCommand(address: string, text: string, flags: QueryFlags, out: Output): Promise<void> {
  const api = await openApi(address, flags)
  try {
    await query(api, text, flags, out)
  } finally {
    await api.close()
  }
}

/** Fields of a table of CVEs, in any list of them. The others do not fit on a line. */
const CVE_TABLE_FIELDS = 'severity,cvss_score,epss,kev,title'

/** The rows alone would look like the answer for a package that is not affected. */
const NOT_INDEXED =
  'the snapshot knows neither advisories of this ecosystem nor this product (query.indexed is false), so no rows does not mean not affected'

type Asked = Omit<QueryFlags, keyof ApiFlags>

/** Writes the answer to a target, page by page. @throws QueryError, SnapshotError, TransferError */
export async function query(api: Api, text: string, { format, limit, ...flags }: Asked, out: Output): Promise<void> {
  let question = questionOf(text, flags)
  const document = await answerOf(api, '/openapi.json', '')
  if (!isApiDocument(document)) throw noAnswer('/openapi.json', 'without the description of the API')
  const endpoint = endpointOf(document, question.path)
  if (endpoint?.isPaged) assertWalkable(question.query)
  if (format === 'table' && question.path.endsWith('/cves') && question.fields === null) {
    question = questionOf(text, { ...flags, fields: CVE_TABLE_FIELDS })
  }
  if (endpoint?.isPaged) {
    const rows = rowFormatter(format, rowColumns(endpoint, question.fields, format), out.isTerminal)
    let isFirst = true
    for await (const page of pagesOf(api, question, limit)) {
      if (isFirst && page.query?.indexed === false) out.note(NOT_INDEXED)
      await out.write(`${isFirst ? rows.head(page.data) : ''}${page.data.map(rows.line).join('')}`)
      isFirst = false
    }
    return
  }
  if (endpoint !== null && limit !== Number.POSITIVE_INFINITY) {
    throw new QueryError('usage', `the answer to ${question.path} has no pages; leave out --limit`)
  }
  const answer = await answerOf(api, question.path, question.query)
  const stated = statedColumns(endpoint, answer)
  if (format === 'table') return out.write(objectLines(answer, stated))
  const one = rowFormatter(format, stated, out.isTerminal)
  await out.write(one.head([answer]) + one.line(answer))
}

/** Returns the columns of the members that an answer has. */
function statedColumns(endpoint: Endpoint | null, answer: object): readonly Column[] {
  const names = Object.keys(answer)
  return selectColumns(endpoint?.columns ?? [], names)
}

function rowColumns({ columns }: Endpoint, fields: readonly string[] | null, format: Format): readonly Column[] {
  if (fields === null) return format === 'table' ? columns.filter(({ path }) => path.length === 1) : columns
  const id = columns.find(({ name }) => name === 'cve_id')
  return selectColumns(columns, id && !fields.includes('cve_id') ? ['cve_id', ...fields] : fields)
}
