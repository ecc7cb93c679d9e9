/**
 * npm's bulk endpoint: one request at a time for all packages of a lock file. In turn with Fastify and better-sqlite3,
 * which has the same answers: one row for each package, with the JSON of its advisories.
 */
import type { Random } from '../../../corpus/sample/random.ts'
import { expectEqual, startFastify } from '../alternatives/lines.ts'
import type { Catalog } from '../http/catalog.ts'
import { createClient } from '../http/client.ts'
import type { LoadRequest } from '../http/load.ts'
import { versionsOf } from '../http/package-requests.ts'
import { shuffled } from '../http/search-texts.ts'
import { openSites } from '../http/sites.ts'
import { type Contestant, costOf, latenciesOf, takeTurns } from '../http/turns.ts'
import { type BenchGroup, comparedTo, isWanted, lineOf } from '../report/line.ts'

const OPTIONS = ['--compat', 'npm', '--compat-port', '0']
const TARGET = '/-/npm/v1/security/advisories/bulk'
const NAMES = 3000
/** Different requests of a line. Together they name more packages than a gateway caches. */
const REQUESTS = 20
const MOST_MS = 100

interface BulkLine {
  name: string
  title: string
  /** Share of the names that have advisories. */
  known: number
  /** Draws them from the packages with the most advisories. */
  most: number
}

const LINES: readonly BulkLine[] = [
  { name: 'compat/bulk', title: 'one in ten has advisories, often several', known: 0.1, most: 1000 },
  { name: 'compat/bulk-all', title: 'each has advisories', known: 1, most: Number.POSITIVE_INFINITY },
]

export const compatLines: BenchGroup = async function* (context) {
  const wanted = LINES.filter(({ name }) => isWanted(context, name))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'compat', OPTIONS)
  try {
    const load = sites.load()
    for (const site of sites.sites) {
      const { gateway, catalog, corpus } = site
      const port = gateway.compatPort!
      const client = createClient(port, sites.token)
      const servers = [{ ...gateway, port }, await startFastify(site, sites, context)]
      for (const line of wanted) {
        const title = `npm audit of ${NAMES.toLocaleString('en')} packages, ${line.title}`
        context.say(`${line.name}: ${title}`)
        const requests = Array.from({ length: REQUESTS }, bulkRequests(line, catalog))
        await expectEqual(client, servers[1]!.port, sites.token, requests)
        const of = `${line.name} ${corpus.cves}`
        load.prepare(of, requests, sites.headers)
        const contestants = servers.map((server): Contestant => ({ server, of, turns: [] }))
        await takeTurns(load, contestants, context, 1)
        const [ours, theirs] = contestants.map(({ turns }) => turns)
        const [p50s, theirP50s] = [latenciesOf(ours!, 'p50'), latenciesOf(theirs!, 'p50')]
        const [{ body = '' }] = requests as [LoadRequest]
        yield lineOf({
          name: line.name,
          title,
          cves: corpus.cves,
          unit: 'ms',
          ...comparedTo('Fastify + better-sqlite3, a row for each package', p50s, theirP50s),
          budget: { of: 'figure', most: MOST_MS },
          details: {
            ...costOf(ours!),
            ...costOf(theirs!, 'its '),
            packages: Object.keys(JSON.parse(body)).length,
            'request bytes': body.length,
          },
        })
      }
      await client.close()
    }
  } finally {
    await sites.close()
  }
}

/**
 * Returns a function that draws requests with one or two versions of each package.
 * @throws Error if the snapshot has too few packages of npm
 */
export function bulkRequests({ known, most }: Pick<BulkLine, 'known' | 'most'>, catalog: Catalog): () => LoadRequest {
  const { snapshot, random } = catalog
  const draw = versionsOf(snapshot, random)
  const ordinals = snapshot.openLists.packages.filters.ecosystem!.of('npm').subarray(0, most)
  const count = Math.min(Math.round(NAMES * known), Math.floor(ordinals.length / 2))
  if (count === 0) throw new Error('this snapshot is too small: it has no packages of npm')
  return () => {
    const asked = new Map<string, string[]>()
    while (asked.size < count) {
      const { entry, version } = draw(ordinals[random.int(ordinals.length)]!)
      asked.set(entry.name, [...new Set([version, ...(asked.get(entry.name) ?? [])])])
    }
    while (known < 1 && asked.size < NAMES) asked.set(`${unknownName(random)}-${asked.size}`, ['1.2.3'])
    const body = JSON.stringify(Object.fromEntries(shuffled([...asked], random)))
    return { target: TARGET, headers: ['Content-Type: application/json'], body }
  }
}

const unknownName = (random: Random) => `no-advisory-names-${random.hex(6)}`
