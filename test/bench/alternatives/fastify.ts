/**
 * The alternative that a user would write, as a process: Fastify and better-sqlite3 over a database filled for it. The
 * database has the JSON of rows, sections and packages, statements are prepared once, tokens are cached, gzip runs outside the
 * event loop, and each request logs one line.
 *
 *     tsx test/bench/alternatives/fastify.ts <database> <jwks.json> <log> [gzip level, or none]
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import pino from 'pino'
import { foldName } from '../../../corpus/model/packages/name.ts'
import type { PackageEntry } from '../../../corpus/model/packages/package-entry.ts'
import { npmAdvisories } from '../../../gateway/compat/npm-advisories.ts'
import { openDatabase } from './database.ts'
import { type ListParameters, listRequest, listSchema } from './list-parameters.ts'
import { cursorOf, listQueries, pageJson } from './list-query.ts'
import { SECTION_COLUMNS } from './schema.ts'
import { tokenCache } from './token-cache.ts'

const gzipAsync = promisify(gzip)
/** Below this size, compression costs more than it saves: the threshold of @fastify/compress. */
const LEAST_COMPRESSED = 1024

/** The sections in the order of the answer: the name in `include`, the column and the member. */
const SECTIONS = ['cvss', 'epss', 'affected', 'references', 'exploits', 'evidence', 'timeline', 'analysis'] as const
type Section = (typeof SECTIONS)[number]
const memberOf = (section: Section) => (section === 'epss' ? 'epss_detail' : section)

const detailSchema = {
  params: { type: 'object', properties: { id: { type: 'string', pattern: '^[Cc][Vv][Ee]-\\d{4}-\\d{4,19}$' } } },
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      include: {
        type: 'string',
        pattern: `^((${SECTIONS.join('|')})(,(${SECTIONS.join('|')}))*)?$`,
        default: 'cvss,epss',
      },
    },
  },
}

const [databasePath = '', jwksFile = '', logFile = '', level = 'none'] = process.argv.slice(2)
const database = openDatabase(databasePath)
const list = listQueries(database)
const isKnown = tokenCache(jwksFile)

const find = database.prepare('SELECT n FROM cve WHERE id = ?').pluck()
const summary = database.prepare('SELECT json FROM summary WHERE n = ?').pluck()
const sections = Object.fromEntries(
  [...SECTION_COLUMNS, 'epss_detail' as const].map((column) => [
    column,
    database.prepare(`SELECT "${column}" FROM detail WHERE n = ?`).pluck(),
  ]),
)

const stream = pino.destination({ dest: logFile, sync: false, minLength: 4096 })
const app = fastify({
  loggerInstance: pino({ base: null }, stream),
  logController: new LogController({ disableRequestLogging: true }),
})

app.addHook('onRequest', async (request, reply) => {
  const known = isKnown(request.headers.authorization)
  if (known === true || (await known)) return
  reply.code(401).header('WWW-Authenticate', 'Bearer')
  return reply.send({ error: 'unauthenticated', message: 'a valid token is needed' })
})

app.addHook('onResponse', (request, reply, done) => {
  const { method, url } = request
  request.log.info({ method, url, status: reply.statusCode, ms: reply.elapsedTime }, 'request')
  done()
})

app.get<{ Querystring: ListParameters }>('/api/v1/cves', { schema: listSchema }, (request, reply) => {
  const asked = listRequest(request.query)
  const page = list(asked)
  return sendJson(request, reply, pageJson(page, asked.limit, page.next && cursorOf(page.next)))
})

app.get<{ Params: { id: string }; Querystring: { include: string } }>(
  '/api/v1/cves/:id',
  { schema: detailSchema },
  (request, reply) => {
    const n = find.get(request.params.id.toUpperCase())
    if (n === undefined) return reply.code(404).send({ error: 'not_found', message: 'there is no such CVE' })
    const included = new Set(request.query.include.split(','))
    let json = (summary.get(n) as string).slice(0, -1)
    for (const section of SECTIONS) {
      if (!included.has(section)) continue
      const member = memberOf(section)
      json += `,"${member}":${sections[member]!.get(n)}`
    }
    return sendJson(request, reply, `${json}}`)
  },
)

const findPackage = database.prepare('SELECT json FROM package WHERE ecosystem = ? AND name = ?').pluck()
const findAliases = database.prepare('SELECT ids FROM alias WHERE id = ?').pluck()
const aliasesOf = (id: string): string[] | null => JSON.parse((findAliases.get(id) as string | undefined) ?? 'null')

const bulkSchema = { body: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } } }

app.post<{ Body: Record<string, string[]> }>(
  '/-/npm/v1/security/advisories/bulk',
  { schema: bulkSchema },
  ({ body }, reply) => {
    const found: Record<string, object[]> = {}
    for (const [name, versions] of Object.entries(body)) {
      const json = findPackage.get('npm', foldName('npm', name)) as string | undefined
      if (json === undefined) continue
      const advisories = npmAdvisories(JSON.parse(json) as PackageEntry, versions, aliasesOf)
      if (advisories.length > 0) found[name] = advisories
    }
    return reply.send(found)
  },
)

async function sendJson(request: FastifyRequest, reply: FastifyReply, json: string): Promise<FastifyReply> {
  const compressed =
    level !== 'none' && json.length >= LEAST_COMPRESSED && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const tag = `"${createHash('sha1').update(json).digest('base64url')}${compressed ? '-gz' : ''}"`
  reply.headers({
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept-Encoding',
    ETag: tag,
  })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  if (!compressed) return reply.send(json)
  reply.header('Content-Encoding', 'gzip')
  return reply.send(await gzipAsync(json, { level: Number(level) }))
}

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: Number(new URL(address).port) })
