/**
 * Whether text queries delay other requests: pages during endless scans, and the times of the queries, eight at a time
 * (README.md, "Budgets"). Pages are requested in an open loop, so that a stall counts for every delayed request.
 */
import { Random } from '../../../corpus/sample/random.ts'
import { type BenchContext, type BenchGroup, type BenchLine, type Budget, isWanted } from '../report/line.ts'
import { median, ratioOf } from '../report/spread.ts'
import { latencyOf } from './figures.ts'
import type { LoadRequest } from './load.ts'
import type { Load } from './processes.ts'
import { kindOf } from './request-kinds.ts'
import { type CountedText, countTexts, FEW_MATCHES, shuffled } from './search-texts.ts'
import { openSites, type Site, type Sites } from './sites.ts'
import type { LoadResult } from './tally.ts'

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
const LEAST_RANGE = 4
const MOST_SCANS = 20_000

/** Measured text queries; the 503 answers of a full queue are counted. */
interface StallLine {
  name: string
  title: string
  atOnce: number
  /** Budget of the queries' own p99, in ms. */
  budget: number | null
  requests(texts: readonly CountedText[], random: Random): LoadRequest[]
}

const isFew = ({ matches }: CountedText) => matches <= FEW_MATCHES
const asking = (path: string) => (texts: readonly string[], random: Random) =>
  shuffled(texts, random).map((text) => ({ target: `/api/v1/${path}${encodeURIComponent(text)}` }))

/** Filters that make a page of matches slow: few CVEs match them. */
const SCAN_FILTERS = ['kev=true', 'severity=none', 'has_detection=true', 'has_exploit=true&kev=false', 'epss_min=0.9']
const SCAN_SORTS = ['published', 'updated', '-cvss', 'cvss', 'epss', '-epss']

/** Returns every substring of some texts, each once. A substring has at least as many matches as its text. */
function rangesOfAll(texts: readonly CountedText[]): string[] {
  return [...new Set(texts.flatMap(({ text }) => rangesOf(text)))]
}

function rangesOf(text: string): string[] {
  const found: string[] = []
  for (let from = 0; from + LEAST_RANGE <= text.length; from++) {
    for (let to = from + LEAST_RANGE; to <= text.length; to++) found.push(text.slice(from, to))
  }
  return found
}

function scans(texts: readonly CountedText[], random: Random): LoadRequest[] {
  const common = texts.slice(0, Math.max(1, Math.ceil(texts.length * SCANNED)))
  return shuffled(rangesOfAll(common), random)
    .slice(0, MOST_SCANS)
    .map((text) => {
      const query = `q=${encodeURIComponent(text)}&${random.pick(SCAN_FILTERS)}&sort=${random.pick(SCAN_SORTS)}&limit=100`
      return { target: `/api/v1/cves?${query}` }
    })
}

const ENDPOINTS = [
  { name: 'q', title: '/cves?q=', path: 'cves?q=' },
  { name: 'search', title: '/search', path: 'search?q=' },
  { name: 'suggest', title: '/search/suggest', path: 'search/suggest?q=' },
]

const LINES: readonly StallLine[] = [
  { name: 'scans', title: '32 endless scans with q', atOnce: SCANS_AT_ONCE, budget: null, requests: scans },
  ...ENDPOINTS.flatMap(({ name, title, path }) => [
    {
      name: `${name}-few`,
      title: `${title}, up to ${FEW_MATCHES.toLocaleString('en')} matches, 8 at a time`,
      atOnce: QUERIES_AT_ONCE,
      budget: 10,
      requests: (texts: readonly CountedText[], random: Random) =>
        asking(path)(
          texts.filter(isFew).map(({ text }) => text),
          random,
        ),
    },
    {
      name: `${name}-many`,
      title: `${title}, more than ${FEW_MATCHES.toLocaleString('en')} matches, 8 at a time`,
      atOnce: QUERIES_AT_ONCE,
      budget: 60,
      requests: (texts: readonly CountedText[], random: Random) =>
        asking(path)(rangesOfAll(texts.filter((text) => !isFew(text))), random),
    },
  ]),
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
    const requests = line.requests(texts, random)
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
  const pages = (length: number) =>
    bench.pages.run({
      kind: 'open',
      of: 'pages',
      port,
      connections: PAGE_CONNECTIONS,
      seconds: length,
      perSecond: PAGES_PER_SECOND,
      expect: [200],
    })
  const queries = (length: number) =>
    bench.queries.run({
      kind: 'closed',
      // The query thread needs the core that polling would take.
      polling: false,
      of: 'queries',
      port,
      connections: atOnce,
      seconds: length,
      expect: [200, 503],
    })
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
  const answered = queries.reduce((sum, { requests }) => sum + requests, 0)
  const refused = queries.reduce((sum, { statuses }) => sum + (statuses[503] ?? 0), 0)
  const own = latencyOf(queries)
  const common = {
    'queries/s': median(queries.map(({ requests, seconds }) => requests / seconds)),
    'queries answered': answered,
    'queries refused (503)': refused,
    'different queries': different,
  }
  const pagesUnder = latencyOf(under)
  yield {
    name: pagesName(line),
    title: `p99 of pages under ${line.title}`,
    cves,
    unit: 'ms',
    figure: median(p99s(under)),
    reference: { title: 'p99 of pages alone', figure: median(p99s(idle)) },
    ratio: ratioOf(p99s(under), p99s(idle)),
    growth: null,
    budget: { of: 'ratio', most: 2.5 } satisfies Budget,
    details: {
      'p50 ms': pagesUnder.p50,
      'p50 ms alone': latencyOf(idle).p50,
      'most ms': pagesUnder.most,
      'pages/s asked for': PAGES_PER_SECOND,
      'pages unanswered': under.reduce((sum, { unanswered }) => sum + unanswered, 0),
      ...common,
    },
  }
  yield {
    name: queriesName(line),
    title: `p99 of ${line.title}`,
    cves,
    unit: 'ms',
    figure: own.p99,
    reference: null,
    ratio: null,
    growth: null,
    budget: line.budget === null ? null : ({ of: 'figure', most: line.budget } satisfies Budget),
    details: { 'p50 ms': own.p50, 'most ms': own.most, ...common },
  }
}
