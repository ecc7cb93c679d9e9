/**
 * Request performance over HTTP: the gateway of each corpus, compared to a polka server that sends a typical answer.
 * All take turns in the same rounds (README.md, "Budgets").
 */
import { type BenchGroup, type BenchLine, comparedTo, isWanted, lineOf, median, ratioOf } from '../report/line.ts'
import { type Load, type ReferenceServer, startReference } from './processes.ts'
import type { Constant } from './reference.ts'
import { type KindName, kindOf } from './request-kinds.ts'
import { typicalAnswer } from './sample-answers.ts'
import { openSites, type Site, type Sites } from './sites.ts'
import { type Contestant, costOf, latenciesOf, ratesOf, takeTurns } from './turns.ts'

export const CONNECTIONS = 16
/**
 * More than a gateway caches at 350,000 CVEs: about 130,000 rows, pages of 150,000 rows, and 16,000 filters. At a few
 * ten thousand CVEs, the caches hold everything after the warm-up.
 */
export const MANY = 20_000
/** Few enough to be cached at any size. */
const WARM = 200
const TAGGED = 2000

interface HttpLine {
  kind: KindName
  /** Added to the name of the kind. */
  suffix?: 'warm' | 'p99'
  /** Least share of the polka server's requests/s. */
  least?: number
  /** Sends one request at a time and measures the p99 of the latency; most ms. */
  mostMs?: number
  /** Number of different requests, sent in turn. */
  different: number
}

const ratios = (kinds: readonly KindName[], least: number): HttpLine[] =>
  kinds.map((kind) => ({ kind, least, different: MANY }))
const warm = (kind: KindName, least: number): HttpLine => ({ kind, suffix: 'warm', least, different: WARM })
const latency = (kind: KindName): HttpLine[] => [
  { kind, different: MANY },
  { kind, suffix: 'p99', mostMs: 2, different: MANY },
]

const HTTP_LINES: readonly HttpLine[] = [
  ...ratios(['page25', 'page100', 'detail', 'detail-all', 'detail-any', 'advisory'], 0.6),
  warm('page25', 0.6),
  warm('detail', 0.6),
  { kind: 'unchanged-page', different: TAGGED },
  { kind: 'unchanged-detail', different: TAGGED },
  ...ratios(['critical', 'kev', 'narrow', 'weakness', 'combined', 'nothing', 'any-sort', 'ascending'], 0.35),
  warm('combined', 0.35),
  ...latency('affected'),
  ...latency('affected-popular'),
  ...latency('epss-history'),
]

const nameOf = ({ kind, suffix }: HttpLine) => `http/${[kind, suffix].filter(Boolean).join('-')}`
const SUFFIXES = { warm: 'the same few', p99: 'p99, one at a time' }
const titleOf = ({ kind, suffix }: HttpLine) =>
  suffix ? `${kindOf(kind).title}: ${SUFFIXES[suffix]}` : kindOf(kind).title

export const httpLines: BenchGroup = async function* (context) {
  const { say } = context
  const wanted = HTTP_LINES.filter((line) => isWanted(context, nameOf(line)))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'http')
  try {
    const bench: Bench = { ...sites, generator: sites.load(), polka: sites.keep(await startReference()) }
    for (const line of wanted) {
      say(`${nameOf(line)}: ${titleOf(line)}`)
      const all: Measuring[] = []
      for (const site of bench.sites) {
        try {
          all.push(await prepare(line, site, bench))
        } catch (error) {
          // A line that needs a larger corpus is omitted and reported.
          say(`  ${site.corpus.cves} CVEs: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
      const servers = all.flatMap(({ gateway, other, polka }) => [gateway, ...(other ? [other] : []), polka])
      await takeTurns(bench.generator, servers, context, line.mostMs === undefined ? CONNECTIONS : 1)
      for (const measuring of all) yield benchLine(line, measuring, all[0]!)
    }
  } finally {
    await sites.close()
  }
}

interface Bench extends Sites {
  generator: Load
  polka: ReferenceServer
}

/** The measurements at one site. */
interface Measuring {
  site: Site
  constant: Constant
  gateway: Contestant
  /** The gateway of another checkout. */
  other: Contestant | null
  polka: Contestant
}

async function prepare(line: HttpLine, site: Site, { generator, headers, polka }: Bench): Promise<Measuring> {
  const draw = await kindOf(line.kind).draw(site.catalog)
  const requests = Array.from({ length: line.different }, draw)
  const constant = await typicalAnswer(site.catalog.client, kindOf(line.kind), requests)
  const of = `${nameOf(line)} ${site.corpus.cves}`
  generator.prepare(of, requests, headers)
  return {
    site,
    constant,
    gateway: { server: site.gateway, of, turns: [] },
    other: site.other && { server: site.other, of, turns: [] },
    polka: { server: polka, of, turns: [], before: () => polka.answer(constant) },
  }
}

function benchLine(line: HttpLine, { site, constant, ...servers }: Measuring, smallest: Measuring): BenchLine {
  const [gateway, polka] = [servers.gateway.turns, servers.polka.turns]
  const other = servers.other?.turns
  const { least, mostMs, different } = line
  const figures = (turns: typeof gateway) => (mostMs === undefined ? ratesOf(turns) : latenciesOf(turns, 'p99'))
  const growsFrom = site === smallest.site ? null : figures(smallest.gateway.turns)
  return lineOf({
    name: nameOf(line),
    title: titleOf(line),
    cves: site.corpus.cves,
    unit: mostMs === undefined ? 'requests/s' : 'ms',
    ...comparedTo('polka, a typical answer as a constant', figures(gateway), figures(polka), growsFrom),
    budget: mostMs !== undefined ? { of: 'figure', most: mostMs } : least === undefined ? null : { of: 'ratio', least },
    details: {
      ...costOf(gateway),
      ...costOf(polka, 'polka '),
      'constant bytes': constant.body.length,
      'different requests': different,
      'generator busy, at most': Math.max(...[...gateway, ...polka].map(({ result }) => result.busy)),
      ...(other && {
        'other requests/s': median(ratesOf(other)),
        'to other': ratioOf(ratesOf(gateway), ratesOf(other)).median,
      }),
    },
  })
}
