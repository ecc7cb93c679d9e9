/**
 * Whether text queries and requests for an earlier snapshot delay others: pages during endless scans, and the times of the
 * queries, eight at a time (README.md, "Budgets"). Pages are requested in an open loop, so that a stall counts for every delayed request.
 */
import { Random } from '../../../corpus/sample/random.ts'
import { idAt } from '../../../corpus/snapshot/index.ts'
import {
  type BenchContext,
  type BenchGroup,
  type BenchLine,
  comparedTo,
  isWanted,
  lineOf,
  median,
} from '../report/line.ts'
import type { LoadRequest, LoadResult } from './load.ts'
import type { Load } from './processes.ts'
import { kindOf } from './request-kinds.ts'
import { type CountedText, countTexts, FEW_MATCHES, shuffled } from './search-texts.ts'
import { openSites, type Site, type Sites } from './sites.ts'
import { latencyOf } from './turns.ts'

const PAGES_PER_SECOND = 500
const PAGE_CONNECTIONS = 16
const PAGES = 5000
const SCANS_AT_ONCE = 32
const QUERIES_AT_ONCE = 8
/** The queries begin this much earlier than the measured pages, and end later. */
const LEAD_SECONDS = 0.2
const WARM_UP_SECONDS = 0.5
const COUNTED = 3000
const COUNTING_MS = 15_000
/** Share of the texts that the scans use: those with most matches. */
const SCANNED = 0.15
const LEAST_LENGTH = 4
const MOST_SCANS = 20_000

/** Measured queries; the 503 answers of a full queue are counted. */
interface StallLine {
  name: string
  title: string
  atOnce: number
  /** Budget of the queries' own p99, in ms. */
  mostMs: number | null
  /** Budget of the p99 of pages, in times of the idle gateway. Default: 2.5. */
  mostTimes?: number
  targets(texts: readonly CountedText[], random: Random, site: Site): string[]
}

const isFew = ({ matches }: CountedText) => matches <= FEW_MATCHES

/** Filters that make a page of matches slow: few CVEs match them. */
const SCAN_FILTERS = ['kev=true', 'severity=none', 'has_detection=true', 'has_exploit=true&kev=false', 'epss_min=0.9']
const SCAN_SORTS = ['published', 'updated', '-cvss', 'cvss', 'epss', '-epss']

/** Returns every substring of some texts, each once. A substring has at least as many matches as its text. */
function substringsOf(texts: readonly CountedText[]): string[] {
  const found = new Set<string>()
  for (const { text } of texts) {
    for (let from = 0; from + LEAST_LENGTH <= text.length; from++) {
      for (let to = from + LEAST_LENGTH; to <= text.length; to++) found.add(text.slice(from, to))
    }
  }
  return [...found]
}

function scans(texts: readonly CountedText[], random: Random): string[] {
  const common = texts.slice(0, Math.max(1, Math.ceil(texts.length * SCANNED)))
  const queries = shuffled(substringsOf(common), random).slice(0, MOST_SCANS)
  return queries.map(
    (text) =>
      `cves?q=${encodeURIComponent(text)}&${random.pick(SCAN_FILTERS)}&sort=${random.pick(SCAN_SORTS)}&limit=100`,
  )
}

/** The gateway has the parent open, for requests with its full id. */
const PREFIX = 16
const EARLIER = ['cves', 'cves?sort=-cvss', 'cves?severity=critical&kev=true', 'cves?has_exploit=true&sort=-epss']

/** Records, pages, filters and searches of the snapshot before. */
function earlierTargets(texts: readonly CountedText[], random: Random, { catalog: { snapshot } }: Site): string[] {
  const at = `snapshot=${snapshot.manifest.parent!.snapshot.slice(0, PREFIX)}`
  const records = Array.from(
    { length: EARLIER_RECORDS },
    () => `cves/${idAt(snapshot.index, random.int(snapshot.index.count))}`,
  )
  const searches = texts.filter(isFew).map(({ text }) => `search?q=${encodeURIComponent(text)}`)
  const asked = [...records, ...searches.slice(0, EARLIER_RECORDS), ...records.map(() => random.pick(EARLIER))]
  return shuffled(asked, random).map((target) => `${target}${target.includes('?') ? '&' : '?'}${at}`)
}

const EARLIER_RECORDS = 500

const MATCHES = FEW_MATCHES.toLocaleString('en')

const LINES: readonly StallLine[] = [
  { name: 'scans', title: '32 endless scans with q', atOnce: SCANS_AT_ONCE, mostMs: null, targets: scans },
  {
    name: 'earlier',
    title: 'requests for an earlier snapshot, 8 at a time',
    atOnce: QUERIES_AT_ONCE,
    mostMs: null,
    mostTimes: 1.5,
    targets: earlierTargets,
  },
  ...(
    [
      ['q', 'cves', 30, 30],
      ['search', 'search', 60, 250],
      ['suggest', 'search/suggest', 60, 250],
    ] as const
  ).flatMap(([name, path, mostMs, mostMsOfMany]): StallLine[] => {
    const query = (texts: readonly string[], random: Random) =>
      shuffled(texts, random).map((text) => `${path}?q=${encodeURIComponent(text)}`)
    return [
      {
        name: `${name}-few`,
        title: `/${path}?q=, up to ${MATCHES} matches, 8 at a time`,
        atOnce: QUERIES_AT_ONCE,
        mostMs,
        targets: (texts, random) =>
          query(
            texts.filter(isFew).map(({ text }) => text),
            random,
          ),
      },
      {
        name: `${name}-many`,
        title: `/${path}?q=, more than ${MATCHES} matches, 8 at a time`,
        atOnce: QUERIES_AT_ONCE,
        mostMs: mostMsOfMany,
        targets: (texts, random) => query(substringsOf(texts.filter((text) => !isFew(text))), random),
      },
    ]
  }),
]

const pagesName = (line: StallLine) => `stall/pages-under-${line.name}`
const queriesName = (line: StallLine) => `stall/${line.name}`

export const stallLines: BenchGroup = async function* (context) {
  const wanted = LINES.filter((line) => [pagesName(line), queriesName(line)].some((name) => isWanted(context, name)))
  if (wanted.length === 0) return
  const sites = await openSites(context, 'stall')
  try {
    const bench: Bench = { ...sites, context, pages: sites.load(), queries: sites.load() }
    for (const site of sites.sites) yield* measureSite(site, wanted, bench)
  } finally {
    await sites.close()
  }
}

interface Bench extends Sites {
  context: BenchContext
  pages: Load
  queries: Load
}

async function* measureSite(site: Site, wanted: readonly StallLine[], bench: Bench): AsyncGenerator<BenchLine> {
  const { cves } = site.corpus
  const { say } = bench.context
  const random = new Random('stall')
  const texts = countTexts(site.catalog.snapshot, random, COUNTED, COUNTING_MS)
  say(`${cves} CVEs: counted the matches of ${texts.length} texts, ${texts.filter(isFew).length} of them have few`)
  const draw = await kindOf('page25').draw(site.catalog)
  bench.pages.prepare('pages', Array.from({ length: PAGES }, draw), bench.headers)
  for (const line of wanted) {
    const requests: LoadRequest[] = line.targets(texts, random, site).map((target) => ({ target: `/api/v1/${target}` }))
    if (requests.length === 0) {
      say(`stall/${line.name}: no text has so many matches in ${cves} CVEs`)
      continue
    }
    say(`stall/${line.name}: ${line.title}`)
    bench.queries.prepare('queries', requests, bench.headers)
    yield* linesOf(line, cves, requests.length, await measure(line, site, bench))
  }
}

/** Rounds of pages alone, of pages during queries, and of those queries. */
interface Rounds {
  idle: LoadResult[]
  under: LoadResult[]
  queries: LoadResult[]
}

async function measure({ atOnce }: StallLine, { gateway: { port } }: Site, bench: Bench): Promise<Rounds> {
  const { rounds, seconds } = bench.context
  const expectPages = { of: 'pages', port, connections: PAGE_CONNECTIONS, expect: [200] }
  const pages = (length: number) =>
    bench.pages.run({ kind: 'open', ...expectPages, seconds: length, perSecond: PAGES_PER_SECOND })
  // The query thread needs the core that polling would take.
  const expectQueries = { polling: false, of: 'queries', port, connections: atOnce, expect: [200, 503] }
  const queries = (length: number) => bench.queries.run({ kind: 'closed', ...expectQueries, seconds: length })
  await pages(WARM_UP_SECONDS)
  await queries(WARM_UP_SECONDS)
  const all: Rounds = { idle: [], under: [], queries: [] }
  for (let round = 0; round < rounds; round++) {
    all.idle.push(await pages(seconds))
    const running = queries(seconds + 2 * LEAD_SECONDS)
    await new Promise((resolve) => setTimeout(resolve, LEAD_SECONDS * 1000))
    all.under.push(await pages(seconds))
    all.queries.push(await running)
  }
  return all
}

function* linesOf(line: StallLine, cves: number, different: number, { idle, under, queries }: Rounds) {
  const p99s = (rounds: readonly LoadResult[]) => rounds.map((round) => latencyOf([round]).p99)
  const sum = (of: (round: LoadResult) => number, rounds: readonly LoadResult[]) =>
    rounds.reduce((total, round) => total + of(round), 0)
  const [own, pagesUnder] = [latencyOf(queries), latencyOf(under)]
  const common = {
    'queries/s': median(queries.map(({ requests, seconds }) => requests / seconds)),
    'queries answered': sum(({ requests }) => requests, queries),
    'queries refused (503)': sum(({ statuses }) => statuses[503] ?? 0, queries),
    'different queries': different,
  }
  yield lineOf({
    name: pagesName(line),
    title: `p99 of pages under ${line.title}`,
    cves,
    unit: 'ms',
    ...comparedTo('p99 of pages alone', p99s(under), p99s(idle)),
    budget: { of: 'ratio', most: line.mostTimes ?? 2.5 },
    details: {
      'p50 ms': pagesUnder.p50,
      'p50 ms alone': latencyOf(idle).p50,
      'most ms': pagesUnder.most,
      'pages/s due': PAGES_PER_SECOND,
      'pages unanswered': sum(({ unanswered }) => unanswered, under),
      ...common,
    },
  })
  yield lineOf({
    name: queriesName(line),
    title: `p99 of ${line.title}`,
    cves,
    unit: 'ms',
    figure: own.p99,
    budget: line.mostMs === null ? null : { of: 'figure', most: line.mostMs },
    details: { 'p50 ms': own.p50, 'most ms': own.most, ...common },
  })
}
