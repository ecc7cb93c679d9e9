/** The gateway over HTTP, compared to Fastify with better-sqlite3 in the same rounds. These lines have no budget. */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { type Client, createClient, headerOf } from '../http/client.ts'
import { CONNECTIONS, MANY } from '../http/http.ts'
import type { LoadRequest } from '../http/load.ts'
import { type Measured, startServer } from '../http/processes.ts'
import { type KindName, kindOf } from '../http/request-kinds.ts'
import { openSites, type Site, type Sites } from '../http/sites.ts'
import { type Contestant, costOf, ratesOf, takeTurns } from '../http/turns.ts'
import { type BenchContext, type BenchGroup, comparedTo, isWanted, lineOf } from '../report/line.ts'
import { databaseOf } from './database.ts'

const KINDS: readonly KindName[] = [
  'page25',
  'page100',
  'detail',
  'detail-all',
  'any-sort',
  'ascending',
  'critical',
  'kev',
  'narrow',
  'combined',
  'nothing',
]

const nameOf = (kind: KindName) => `alternatives/${kind}-fastify`

export const alternativeLines: BenchGroup = async function* (context) {
  const wanted = KINDS.filter((kind) => isWanted(context, nameOf(kind)))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'alternatives')
  try {
    const load = sites.load()
    const all: { site: Site; fastify: Measured }[] = []
    for (const site of sites.sites) all.push({ site, fastify: await startFastify(site, sites, context) })
    for (const kind of wanted) {
      context.say(`${nameOf(kind)}: ${kindOf(kind).title}`)
      const pairs: { site: Site; gateway: Contestant; other: Contestant }[] = []
      for (const { site, fastify } of all) {
        const requests = Array.from({ length: MANY }, await kindOf(kind).draw(site.catalog))
        await expectEqual(site.catalog.client, fastify.port, sites.token, requests)
        const of = `${kind} ${site.corpus.cves}`
        load.prepare(of, requests, sites.headers)
        const [gateway, other] = [site.gateway, fastify].map((server): Contestant => ({ server, of, turns: [] }))
        pairs.push({ site, gateway: gateway!, other: other! })
      }
      await takeTurns(
        load,
        pairs.flatMap(({ gateway, other }) => [gateway, other]),
        context,
        CONNECTIONS,
      )
      for (const { site, gateway, other } of pairs) {
        const growsFrom = site === pairs[0]!.site ? null : ratesOf(pairs[0]!.gateway.turns)
        yield lineOf({
          name: nameOf(kind),
          title: kindOf(kind).title,
          cves: site.corpus.cves,
          unit: 'requests/s',
          ...comparedTo('Fastify + better-sqlite3, gzip -6', ratesOf(gateway.turns), ratesOf(other.turns), growsFrom),
          details: { ...costOf(gateway.turns), ...costOf(other.turns, 'its ') },
        })
      }
    }
  } finally {
    await sites.close()
  }
}

/** Starts the Fastify server for a corpus. It stops with the sites. */
export async function startFastify({ corpus }: Site, sites: Sites, { folder, say }: BenchContext): Promise<Measured> {
  const log = join(folder, `fastify-${corpus.cves}.log`)
  const file = join(import.meta.dirname, 'fastify.ts')
  return sites.keep(await startServer(file, [corpus.dist, databaseOf(corpus.dist, say), sites.jwks, log]))
}

/** Answers that are compared before a measurement. */
const SAMPLES = 50

/**
 * Sends the first of the requests to the gateway and to a server on `port`.
 * @throws Error if an answer differs
 */
export async function expectEqual(
  gateway: Client,
  port: number,
  token: string,
  requests: readonly LoadRequest[],
): Promise<void> {
  const other = createClient(port, token)
  try {
    for (const request of requests.slice(0, SAMPLES)) {
      const [ours, theirs] = [await answerOf(gateway, request), await answerOf(other, request)]
      if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${request.target}: the answer of Fastify differs`)
    }
  } finally {
    await other.close()
  }
}

async function answerOf(client: Client, request: LoadRequest): Promise<unknown> {
  const received = await client.receive(request, 'gzip')
  const { status, body } = received
  if (status !== 200) throw new Error(`${request.target} was answered ${status}: ${body}`)
  return JSON.parse((headerOf(received, 'content-encoding') === 'gzip' ? gunzipSync(body) : body).toString())
}
