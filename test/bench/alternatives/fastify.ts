/**
 * The alternative that a user would write, as a process: Fastify and better-sqlite3 over a database filled for it. The
 * database has the JSON of rows, sections and packages, statements are prepared once, tokens are cached, gzip runs
 * outside the event loop, and each request logs one line. Parameters, cursors and the matching of npm versions are the
 * gateway's, so that both get the same requests and give the same answers.
 *
 *     tsx test/bench/alternatives/fastify.ts <dist> <database> <jwks.json> <log>
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { createLocalJWKSet, jwtVerify } from 'jose'
import pino from 'pino'
import { ApiError, notFound } from '../../../corpus/answers/errors.ts'
import { parseParams } from '../../../corpus/answers/parameters/parse.ts'
import type { CveListRequest } from '../../../corpus/answers/plan/cve-page.ts'
import { getCve } from '../../../corpus/answers/routes/cve.ts'
import { listCves } from '../../../corpus/answers/routes/cves.ts'
import { foldName } from '../../../corpus/model/packages/name.ts'
import type { PackageEntry } from '../../../corpus/model/packages/package-entry.ts'
import { cursorBinding, decodeCursor, SNAPSHOT_PREFIX_LENGTH } from '../../../corpus/snapshot/cursor/cursor.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { canonicalFilters, type GivenFilters } from '../../../corpus/snapshot/filter/filters.ts'
import { SECTION_NAMES, type Section } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { LOCAL } from '../../../gateway/auth/token.ts'
import { npmAdvisories } from '../../../gateway/compat/npm-advisories.ts'
import { unauthenticated } from '../../../gateway/http/errors.ts'
import { openDatabase } from './database.ts'
import { listQueries } from './list-query.ts'

const gzipAsync = promisify(gzip)
/** Below this size, compression costs more than it saves: the threshold of @fastify/compress. */
const LEAST_COMPRESSED = 1024
const LEVEL = 6

const [dist = '', databasePath = '', jwksFile = '', logFile = ''] = process.argv.slice(2)
const database = openDatabase(databasePath)
const { manifest } = readCurrent(dist)
const snapshot = {
  prefix: manifest.snapshot.slice(0, SNAPSHOT_PREFIX_LENGTH),
  createdAt: Date.parse(manifest.created_at),
}

const stream = pino.destination({ dest: logFile, sync: false, minLength: 4096 })
const app = fastify({
  loggerInstance: pino({ base: null }, stream),
  logController: new LogController({ disableRequestLogging: true }),
})

const keys = createLocalJWKSet(JSON.parse(readFileSync(jwksFile, 'utf8')))
/** Tokens that were verified, and when they expire, in seconds. */
const known = new Map<string, number>()

app.addHook('onRequest', async ({ headers: { authorization = '' } }) => {
  if ((known.get(authorization) ?? 0) * 1000 > Date.now()) return
  const { issuer, audience } = LOCAL
  const verified = jwtVerify(authorization.replace(/^Bearer /, ''), keys, { issuer, audience, algorithms: ['ES256'] })
  const { payload } = await verified.catch(() => ({ payload: null }))
  if (payload?.exp === undefined || payload.role !== 'admin') throw unauthenticated('a valid token is needed', 'claims')
  known.set(authorization, payload.exp)
})

app.addHook('onResponse', (request, reply, done) => {
  const { method, url } = request
  request.log.info({ method, url, status: reply.statusCode, ms: reply.elapsedTime }, 'request')
  done()
})

app.setErrorHandler((error, _request, reply) => {
  if (error instanceof ApiError) return reply.code(error.status).send(error.body)
  return reply.code(500).send({ error: 'internal', message: String(error) })
})

interface ListParameters extends GivenFilters, Pick<CveListRequest, 'sort'> {
  limit?: number
  cursor?: string
}

const queryOf = ({ url }: FastifyRequest) => url.split('?', 2)[1] ?? ''
const list = listQueries(database, snapshot)

app.get('/api/v1/cves', (request, reply) => {
  // The table of routes has no types of parameters.
  const given = parseParams(listCves.params, {}, queryOf(request)) as object as ListParameters
  const { sort, cursor, limit = given.ids?.length ?? 25 } = given
  const filters = canonicalFilters(given)
  const after = cursor === undefined ? null : decodeCursor(cursor)!.after
  return sendJson(request, reply, list({ binding: cursorBinding('cves', sort, filters), sort, filters, limit, after }))
})

const find = database.prepare('SELECT n FROM cve WHERE id = ?').pluck()
const summary = database.prepare('SELECT json FROM summary WHERE n = ?').pluck()
const sections = new Map(
  SECTION_NAMES.map((name) => [name, database.prepare(`SELECT "${name}" FROM section WHERE n = ?`).pluck()]),
)

app.get<{ Params: { id: string } }>('/api/v1/cves/:id', (request, reply) => {
  const given = parseParams(getCve.params, { cveId: request.params.id }, queryOf(request))
  const { cveId, include } = given as { cveId: string; include: Section[] }
  const n = find.get(cveId)
  if (n === undefined) throw notFound(`no record exists for ${cveId}`)
  const chosen = include.map((name) => sections.get(name)!.get(n) as string)
  return sendJson(request, reply, `${(summary.get(n) as string).slice(0, -1)}${chosen.join('')}}`)
})

const findPackage = database.prepare('SELECT json FROM package WHERE name = ?').pluck()
const findAliases = database.prepare('SELECT ids FROM alias WHERE id = ?').pluck()
const aliasesOf = (id: string): string[] | null => JSON.parse((findAliases.get(id) as string | undefined) ?? 'null')

const bulkSchema = { body: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } } }

app.post<{ Body: Record<string, string[]> }>(
  '/-/npm/v1/security/advisories/bulk',
  { schema: bulkSchema },
  ({ body }, reply) => {
    const found: Record<string, object[]> = {}
    for (const [name, versions] of Object.entries(body)) {
      const json = findPackage.get(foldName('npm', name)) as string | undefined
      if (json === undefined) continue
      const advisories = npmAdvisories(JSON.parse(json) as PackageEntry, versions, aliasesOf)
      if (advisories.length > 0) found[name] = advisories
    }
    return reply.send(found)
  },
)

async function sendJson(request: FastifyRequest, reply: FastifyReply, json: string): Promise<FastifyReply> {
  const compressed = json.length >= LEAST_COMPRESSED && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const tag = `"${createHash('sha1').update(json).digest('base64url')}${compressed ? '-gz' : ''}"`
  reply.headers({
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept-Encoding',
    ETag: tag,
  })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  if (!compressed) return reply.send(json)
  return reply.header('Content-Encoding', 'gzip').send(await gzipAsync(json, { level: LEVEL }))
}

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: Number(new URL(address).port) })
