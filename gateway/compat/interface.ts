/** An interface of another tool: one module with its routes, selected with `--compat`. */

import type { IncomingHttpHeaders } from 'node:http'
import type { ServedFrom } from '../../corpus/answers/answer.ts'
import type { ApiError } from '../../corpus/answers/errors.ts'
import type { PackageEntry } from '../../corpus/model/packages/package-entry.ts'
import type { IndexedEcosystems } from '../../corpus/model/versions/ecosystems.ts'
import type { Piece, ReadMember } from '../../corpus/snapshot/index.ts'
import type { HeaderList } from '../http/reply.ts'
import type { BODY_BOUNDS } from '../process/bounds.ts'
import type { ApiIndex } from './api-index.ts'
import type { ScoreIndex } from './epss-scores.ts'

export interface CompatInterface {
  /** In order of precedence. */
  routes: readonly CompatRoute[]
  /** The media type of its answers and errors. Default: JSON with a charset. */
  type?: string
  /** Bounds of its bodies, which then do not count with those of other interfaces. */
  bodies?: typeof BODY_BOUNDS
  /** Returns the body of an error in the form of the protocol. */
  errorBody(error: ApiError): object
}

export interface CompatRoute {
  /** The path template, for metrics. */
  name: string
  path: RegExp
  methods: readonly ('GET' | 'HEAD' | 'POST')[]
  /** Whether its answers use no quota, at most as many times per window as the quota. */
  isFree?: boolean
  /** The format of the body of a POST. Absent if the route reads no body. */
  body?: BodyFormat
  /** @throws or rejects with ApiError */
  handle(request: CompatRequest): CompatAnswer | Promise<CompatAnswer>
}

export interface BodyFormat {
  /** The accepted media type, in lower case. */
  type: string
  /** Gets at most `BODY_BOUNDS.bytes`. @throws ApiError 400 or 413 */
  parse(bytes: Buffer): unknown
}

export interface CompatRequest {
  path: string
  /** Includes the `?`, or empty. */
  search: string
  headers: IncomingHttpHeaders
  /** What the body format returned. Undefined for a GET. */
  body: unknown
  /** Returns the URL of this listener as the client sees it, without a path: `https://audit.example.com`. */
  origin(): string
  /** The packages of the current snapshot, which stay open until the answer. @throws ApiError 503 if it has none */
  packages(): PackageIndex
  /** The EPSS scores of the current snapshot, as `packages`. @throws ApiError 503 if it has none */
  scores(): ScoreIndex
  /** The API for the caller, with the current snapshot, which stays open until the answer. */
  api(): ApiIndex
  /**
   * Counts work that follows, in comparisons of a version with an advisory. Takes quota for it, and lets other requests
   * be handled. @throws ApiError 413 beyond `WORK.most`; ClientGone if the client has closed the connection
   */
  work(comparisons: number): void | Promise<void>
}

export interface PackageIndex extends IndexedEcosystems {
  /** Returns null for an unknown package. */
  package(ecosystem: string, name: string): PackageEntry | null
  /** Returns null for an unknown id, and above the tier of the caller. Withdrawn records are included. */
  advisory(id: string): ReadMember | null
  /** Returns all ids of the alias set of an id; null for an id without an alias. */
  aliasesOf(id: string): readonly string[] | null
}

export interface CompatAnswer {
  status: number
  /** Sent as JSON. A text is JSON. A list of pieces is spliced, and sent compressed to clients that accept it. */
  body: object | string | readonly Piece[]
  headers?: HeaderList
  /** The media type. Default: that of the interface. */
  type?: string
  servedFrom: ServedFrom | null
}

/** The client has closed the connection, so that nobody reads an answer. */
export class ClientGone extends Error {}
