/** OSV's API, for its clients (`--compat osv`): the advisories that affect a version of a package, and the records. */

import { shownAliases } from '../../corpus/answers/advisory.ts'
import { invalidParameter, notFound } from '../../corpus/answers/errors.ts'
import { matchAdvisories } from '../../corpus/model/packages/match.ts'
import { compareText } from '../../corpus/model/sources.ts'
import { isIndexed } from '../../corpus/model/versions/ecosystems.ts'
import type { Piece } from '../../corpus/snapshot/index.ts'
import { notImplemented } from '../http/errors.ts'
import { WORK } from '../process/bounds.ts'
import type { CompatAnswer, CompatInterface, CompatRequest, PackageIndex } from './interface.ts'
import { parseJson } from './json.ts'
import { type PackageQuestion, pageToken, type Question, questionOf, questionsOf } from './osv-query.ts'
import { recordPiece, UNKNOWN_TIME } from './osv-record.ts'

/** Records of a page. */
const MOST_RECORDS = 3000
/** Advisories of a query of a batch. */
const MOST_IN_BATCH = 1000
/** An answer ends with the item that exceeds it. */
const ANSWER_BYTES = 10_000_000
/** Bytes of an item of a batch besides its id. */
const ITEM_BYTES = 52
const ID_LENGTH = 100

/** The requests of a body, and the keys of a query and of its package. Deeper values have no meaning. */
const BATCH_BOUNDS = [8, 20_000, 8, 4]
const QUERY_BOUNDS = BATCH_BOUNDS.slice(2)

/** A batch answers no further query after this number of comparisons. The last one can take as many. */
const MOST_COMPARISONS = WORK.most / 2

/** Codes of google.rpc.Code. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  413: 8,
  429: 8,
  500: 13,
  501: 12,
  503: 14,
}
const INVALID_ARGUMENT = 3

export function osvInterface(): CompatInterface {
  return {
    routes: [
      {
        name: '/v1/query',
        path: /^\/v1\/query$/,
        methods: ['POST'],
        body: { type: 'application/json', parse: (bytes) => parseJson(bytes, QUERY_BOUNDS) },
        handle: answerQuery,
      },
      {
        name: '/v1/querybatch',
        path: /^\/v1\/querybatch$/,
        methods: ['POST'],
        body: { type: 'application/json', parse: (bytes) => parseJson(bytes, BATCH_BOUNDS) },
        handle: answerBatch,
      },
      {
        name: '/v1/vulns/{id}',
        path: /^\/v1\/vulns\/[^/]+$/,
        methods: ['GET', 'HEAD'],
        // Clients request each record of a batch, and some omit a finding after an error.
        isFree: true,
        handle: ({ path, packages }) => recordAnswer(packages(), idIn(path)),
      },
    ],
    errorBody: ({ status, message }) => ({ code: CODES[status] ?? INVALID_ARGUMENT, message }),
  }
}

async function answerQuery({ body, packages, work }: CompatRequest): Promise<CompatAnswer> {
  const index = packages()
  const asked = questionOf(body, index.ecosystems)
  if (asked === 'commit') throw notImplemented('queries by commit are not supported; query by package and version')
  const skipped = noneSkipped()
  const found = findingsOf(asked, index, skipped)
  await work(skipped.compared)
  const pieces: Piece[] = []
  let bytes = 0
  let last: string | null = null
  for (const finding of found) {
    if (pieces.length === MOST_RECORDS || bytes >= ANSWER_BYTES) break
    const piece = pieceOf(finding, index)
    const length = typeof piece === 'string' ? piece.length : piece.segment.plainLength
    pieces.push(piece)
    bytes += length
    last = finding.id
    await work(Math.ceil(length / WORK.bytes))
  }
  return {
    status: 200,
    body: last === null ? {} : listed(pieces, pieces.length < found.length ? pageToken(last) : null),
    headers: warningOf(skipped),
    servedFrom: 'merge',
  }
}

function listed(records: readonly Piece[], token: string | null): Piece[] {
  const separated = records.flatMap((record, i): Piece[] => (i === 0 ? [record] : [',', record]))
  return ['{"vulns":[', ...separated, token === null ? ']}' : `],"next_page_token":"${token}"}`]
}

async function answerBatch({ body, packages, work }: CompatRequest): Promise<CompatAnswer> {
  const index = packages()
  const questions = questionsOf(body, index.ecosystems)
  const skipped = noneSkipped()
  const results: object[] = []
  let bytes = 0
  for (const asked of questions) {
    const { compared } = skipped
    if ((bytes >= ANSWER_BYTES || compared >= MOST_COMPARISONS) && typeof asked === 'object') {
      results.push({ next_page_token: pageToken(asked.after) })
      continue
    }
    const found = findingsOf(asked, index, skipped)
    const page = found.slice(0, MOST_IN_BATCH)
    results.push(batchResult(page, page.length < found.length))
    bytes += page.reduce((sum, { id }) => sum + id.length + ITEM_BYTES, 0)
    await work(skipped.compared - compared)
  }
  return { status: 200, body: { results }, headers: warningOf(skipped), servedFrom: 'merge' }
}

const batchResult = (page: readonly Finding[], hasMore: boolean): object => ({
  ...(page.length === 0 ? {} : { vulns: page }),
  ...(hasMore ? { next_page_token: pageToken(page.at(-1)!.id) } : {}),
})

interface Finding {
  id: string
  modified: string
}

/** What an answer does not list, and cannot state in its body. */
interface Skipped {
  commits: number
  unknownTypes: number
  /** Ecosystems and releases that the snapshot has no advisories of. */
  notIndexed: number
  undecided: number
  /** Comparisons with advisories so far. */
  compared: number
}

const noneSkipped = (): Skipped => ({ commits: 0, unknownTypes: 0, notIndexed: 0, undecided: 0, compared: 0 })

/**
 * Returns the advisories of a question that are not on earlier pages, by id. As osv.dev, it lists an advisory of which
 * no order of versions decides only if the advisory enumerates the version; others are counted.
 */
function findingsOf(asked: Question, index: PackageIndex, skipped: Skipped): Finding[] {
  if (asked === 'commit') skipped.commits++
  else if (asked === 'unknown_type') skipped.unknownTypes++
  else return packageFindings(asked, index, skipped)
  return []
}

function packageFindings(asked: PackageQuestion, index: PackageIndex, skipped: Skipped): Finding[] {
  const { names, version, after } = asked
  const found = new Map<string, Finding>()
  for (const ecosystem of asked.ecosystem === null ? index.ecosystems : [asked.ecosystem]) {
    const matches = names.flatMap((name) => {
      const advisories = index.package(ecosystem, name)?.advisories ?? []
      skipped.compared += 1 + advisories.length
      return matchAdvisories(advisories, { ecosystem, version }, { preferList: false })
    })
    for (const { advisory, verdict } of matches) {
      const { id, modified } = advisory
      if (version !== null && verdict === 'undecided') skipped.undecided++
      else if (compareText(id, after) > 0) found.set(id, { id, modified: modified ?? UNKNOWN_TIME })
    }
  }
  if (asked.ecosystem !== null && !isIndexed(asked.ecosystem, index)) skipped.notIndexed++
  return [...found.values()].sort((a, b) => compareText(a.id, b.id))
}

/** A record that is too large for a snapshot, or above the tier of the caller, has its id alone. */
function pieceOf(finding: Finding, { advisory }: PackageIndex): Piece {
  const member = advisory(finding.id)
  return member ? recordPiece(member) : JSON.stringify(finding)
}

function warningOf({ commits, unknownTypes, notIndexed, undecided }: Skipped): string[] {
  const warnings = [
    ...(commits === 0 ? [] : [`queries by commit, which are not supported: ${commits}`]),
    ...(unknownTypes === 0 ? [] : [`purls of an unknown type: ${unknownTypes}`]),
    ...(notIndexed === 0 ? [] : [`packages of ecosystems or releases without data: ${notIndexed}`]),
    ...(undecided === 0 ? [] : [`undecided advisories that are not listed: ${undecided}`]),
  ]
  return warnings.length === 0 ? [] : ['Warning', `299 - "${warnings.join('; ')}"`]
}

/** @throws ApiError 400 or 404 */
function idIn(path: string): string {
  const text = path.slice(path.lastIndexOf('/') + 1)
  let id: string
  try {
    id = decodeURIComponent(text)
  } catch {
    throw notFound(NOT_FOUND)
  }
  if (id.length > ID_LENGTH) throw invalidParameter(undefined, 'ID is too long')
  return id
}

const NOT_FOUND = 'Vulnerability not found'

function recordAnswer(index: PackageIndex, id: string): CompatAnswer {
  const member = index.advisory(id)
  if (member) return { status: 200, body: [recordPiece(member)], servedFrom: 'shard' }
  const aliases = shownAliases(index.aliasesOf(id)).filter((alias) => index.advisory(alias) !== null)
  throw notFound(
    aliases.length === 0 ? NOT_FOUND : `${NOT_FOUND}, but the following aliases were: ${aliases.join(' ')}`,
  )
}
