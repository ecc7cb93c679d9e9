/** A gateway for each corpus of the run, with the means to send and create requests for it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken } from '../../../gateway/auth/token.ts'
import type { BenchContext, BenchCorpus } from '../report/line.ts'
import { type Catalog, openCatalog } from './catalog.ts'
import { createClient } from './client.ts'
import { type Gateway, type Load, startGateway, startLoad } from './processes.ts'
import { settled } from './usage.ts'

export interface Site {
  corpus: BenchCorpus
  gateway: Gateway
  /** The gateway of another checkout (`--against`). */
  other: Gateway | null
  catalog: Catalog
}

/** Started processes are stopped at the end, the last one first. */
export interface Sites {
  sites: Site[]
  token: string
  /** Header lines of every request. */
  headers: string[]
  /** The key set of the token. */
  jwks: string
  load(): Load
  keep<T extends { stop(): Promise<void> }>(process: T): T
  close(): Promise<void>
}

/** Creates an administrator's token in `folder`. */
export async function tokenIn(folder: string, expires = '12h') {
  mkdirSync(folder, { recursive: true })
  const { token, jwksFile: jwks } = await makeToken({ dir: join(folder, 'keys'), expires })
  return { token, jwks, headers: ['Host: bench', `Authorization: Bearer ${token}`, 'Accept-Encoding: gzip'] }
}

/**
 * Resolves when all gateways are idle: after its start, a gateway reads and checks all its files. `options` are additional
 * options of their command.
 */
export async function openSites(
  { corpora, folder, root, against, profile }: BenchContext,
  name: string,
  options: readonly string[] = [],
): Promise<Sites> {
  const own = join(folder, name)
  const access = await tokenIn(own)
  const stops: (() => Promise<void> | void)[] = []
  const keep: Sites['keep'] = (process) => {
    stops.push(process.stop)
    return process
  }
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const sites: Site[] = []
    for (const corpus of corpora) {
      const { cves, dist, otherDist = dist } = corpus
      const start = { folder: own, jwks: access.jwks, options }
      const gateway = keep(await startGateway({ ...start, dist, name: `gateway-${cves}`, root, profile }))
      const other =
        against === undefined
          ? null
          : keep(await startGateway({ ...start, dist: otherDist, name: `other-${cves}`, root: against }))
      const client = createClient(gateway.port, access.token)
      const catalog = openCatalog(corpus.dist, client)
      stops.push(client.close, catalog.close)
      sites.push({ corpus, gateway, other, catalog })
    }
    for (const { gateway, other } of sites) for (const one of [gateway, other]) if (one) await settled(one.pid)
    return { ...access, sites, load: () => keep(startLoad()), keep, close }
  } catch (error) {
    await close()
    throw error
  }
}
