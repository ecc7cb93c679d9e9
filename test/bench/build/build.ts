/** The lines of ingest and build: cost of a night, its download size, and the size of pages. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, type BenchCorpus, type BenchGroup, type BenchLine, isWanted } from '../report/line.ts'
import { median, ratioOf, spreadOf } from '../report/spread.ts'
import { type AdvisoryNight, advisoryNight } from './advisory-night.ts'
import { fetchedOf } from './fetched.ts'
import { cpuSecondsOf, type Night, type Nights, peakBytesOf, runNights, secondsOf } from './nights.ts'
import { type Run, runProgram } from './program.ts'
import { wirePages } from './wire.ts'

const MEGABYTE = 1e6
/** CVEs ingested and built in all rounds together: at 350,000, one round takes minutes. */
const CVES_OF_ALL_ROUNDS = 250_000
const PAGE_LIMITS = [25, 50, 100]
const NIGHT_LINES = ['build/full', 'build/memory', 'build/night', 'build/written']

export const buildLines: BenchGroup = async function* (context) {
  for (const corpus of context.corpora) {
    if (NIGHT_LINES.some((name) => isWanted(context, name))) yield* nightLines(corpus, context)
    if (['build/mirror', 'build/mirror-objects'].some((name) => isWanted(context, name))) yield* fetchedLines(corpus)
    if (isWanted(context, 'build/mirror-advisories')) yield* advisoryLines(corpus, context)
    for (const limit of PAGE_LIMITS) if (isWanted(context, `build/wire${limit}`)) yield wireLine(corpus, limit)
  }
}

/** Results of one round: the reference, our two nights, and those of another checkout if there is one. */
interface Round {
  plain: Run
  ours: Nights
  theirs: Nights | null
}

async function* nightLines(corpus: BenchCorpus, context: BenchContext): AsyncGenerator<BenchLine> {
  const { longRounds, rounds: usual, say } = context
  const count = longRounds ?? Math.max(1, Math.min(usual, Math.floor(CVES_OF_ALL_ROUNDS / corpus.cves)))
  if (count < usual) say(`ingest and build of ${corpus.cves.toLocaleString('en')} CVEs: ${count} of ${usual} rounds`)
  const rounds: Round[] = []
  for (let round = 0; round < count; round++) rounds.push(await measureRound(corpus, context, round))
  yield fullLine(corpus, rounds)
  yield memoryLine(corpus, rounds)
  yield nightLine(corpus, rounds)
  yield writtenLine(corpus, rounds.at(-1)!.ours)
}

/** The order alternates with each round. */
async function measureRound(corpus: BenchCorpus, context: BenchContext, round: number): Promise<Round> {
  const { folder, root, against, profile, say } = context
  const { feeds, nights } = corpus
  const made: Partial<Round> = { theirs: null }
  const turns = [
    async () => {
      made.plain = await runProgram(join(import.meta.dirname, 'plain-pass.ts'), [feeds, nights[0]], { folder })
    },
    async () => {
      made.ours = await runNights(corpus, { folder, root, profile })
    },
  ]
  if (against !== undefined) {
    turns.push(async () => {
      made.theirs = await runNights(corpus, { folder, root: against })
    })
  }
  if (round % 2 === 1) turns.reverse()
  for (const turn of turns) await turn()
  const { plain, ours } = made as Round
  say(
    `  round ${round + 1}: one pass ${plain.seconds.toFixed(1)} s, full ${secondsOf(ours.full).toFixed(1)} s, night after ${secondsOf(ours.after).toFixed(1)} s`,
  )
  return made as Round
}

function fullLine({ cves }: BenchCorpus, rounds: readonly Round[]): BenchLine {
  const full = rounds.map(({ ours }) => ours.full)
  const plain = rounds.map((round) => round.plain)
  const theirs = (of: (night: Night) => number) => toOthers(rounds, ({ full }) => of(full))
  return {
    name: 'build/full',
    title: 'full ingest and build',
    cves,
    unit: 's',
    figure: median(full.map(secondsOf)),
    reference: {
      title: 'each record of the same files unpacked, JSON.parse, zlib level 6, one thread',
      figure: median(plain.map(({ seconds }) => seconds)),
    },
    ratio: ratioOf(
      full.map(secondsOf),
      plain.map(({ seconds }) => seconds),
    ),
    growth: null,
    budget: { of: 'ratio', most: 2.5 },
    details: {
      rounds: rounds.length,
      'ingest s': median(full.map(({ ingest }) => ingest.seconds)),
      'build s': median(full.map(({ build }) => build.seconds)),
      'CPU s': median(full.map(cpuSecondsOf)),
      'reference CPU s': median(plain.map(({ cpuSeconds }) => cpuSeconds)),
      'ratio of CPU': ratioOf(
        full.map(cpuSecondsOf),
        plain.map(({ cpuSeconds }) => cpuSeconds),
      ).median,
      ...theirs(secondsOf),
      ...cpuNamed(theirs(cpuSecondsOf)),
    },
  }
}

function memoryLine({ cves }: BenchCorpus, rounds: readonly Round[]): BenchLine {
  const peakOf = (of: (ours: Nights) => number) => median(rounds.map(({ ours }) => of(ours))) / MEGABYTE
  return {
    name: 'build/memory',
    title: 'most memory that an ingest or a build takes, of both nights',
    cves,
    unit: 'MB',
    figure: peakOf(({ full, after }) => Math.max(peakBytesOf(full), peakBytesOf(after))),
    reference: null,
    ratio: null,
    growth: null,
    budget: { of: 'figure', most: 2000 },
    details: {
      'full ingest MB': peakOf(({ full }) => full.ingest.peakBytes),
      'full build MB': peakOf(({ full }) => full.build.peakBytes),
      'night after, ingest MB': peakOf(({ after }) => after.ingest.peakBytes),
      'night after, build MB': peakOf(({ after }) => after.build.peakBytes),
    },
  }
}

function nightLine({ cves }: BenchCorpus, rounds: readonly Round[]): BenchLine {
  const full = rounds.map(({ ours }) => ours.full)
  const after = rounds.map(({ ours }) => ours.after)
  const theirs = (of: (night: Night) => number) => toOthers(rounds, ({ after }) => of(after))
  return {
    name: 'build/night',
    title: 'ingest and build of the night after',
    cves,
    unit: 's',
    figure: median(after.map(secondsOf)),
    reference: { title: 'full ingest and build', figure: median(full.map(secondsOf)) },
    ratio: ratioOf(after.map(secondsOf), full.map(secondsOf)),
    growth: null,
    budget: { of: 'ratio', most: 0.25 },
    details: {
      rounds: rounds.length,
      'ingest s': median(after.map(({ ingest }) => ingest.seconds)),
      'build s': median(after.map(({ build }) => build.seconds)),
      'CPU s': median(after.map(cpuSecondsOf)),
      'ratio of CPU': ratioOf(after.map(cpuSecondsOf), full.map(cpuSecondsOf)).median,
      ...theirs(secondsOf),
      ...cpuNamed(theirs(cpuSecondsOf)),
    },
  }
}

/** Returns the ratio of our figure to that of the other checkout, if there is one. */
function toOthers(rounds: readonly Round[], of: (nights: Nights) => number): Record<string, number> {
  const both = rounds.flatMap(({ ours, theirs }) => (theirs === null ? [] : [{ ours, theirs }]))
  if (both.length === 0) return {}
  const ratio = ratioOf(
    both.map(({ ours }) => of(ours)),
    both.map(({ theirs }) => of(theirs)),
  )
  return { 'ratio to the other checkout': ratio.median }
}

const cpuNamed = (details: Record<string, number>) =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [`${name}, CPU`, value]))

function writtenLine({ cves }: BenchCorpus, { full, after }: Nights): BenchLine {
  const { objects, members, shards } = after.report
  const written = objects.writtenBytes / MEGABYTE
  const whole = full.report.objects.writtenBytes / MEGABYTE
  return {
    name: 'build/written',
    title: 'what the night after writes',
    cves,
    unit: 'MB',
    figure: written,
    reference: { title: 'what a full build writes', figure: whole },
    ratio: spreadOf([written / whole]),
    growth: null,
    budget: null,
    details: {
      'objects written': objects.written,
      'objects reused': objects.reused,
      'MB reused': objects.reusedBytes / MEGABYTE,
      'members encoded': members.encoded,
      members: members.total,
      'shards as they were': shards.unchanged,
      shards: shards.total,
    },
  }
}

function* fetchedLines({ cves, dist }: BenchCorpus): Generator<BenchLine> {
  const fetched = fetchedOf(dist)
  const reference = {
    title: 'the JSON of the members that changed, each by gzip -6, and the EPSS columns',
    figure: fetched.reference / MEGABYTE,
  }
  const line = { cves, unit: 'MB', reference, growth: null }
  yield {
    ...line,
    name: 'build/mirror',
    title: 'what a mirror fetches of the night after, with its delta pack (reckoned, not fetched)',
    figure: fetched.delta / MEGABYTE,
    ratio: spreadOf([fetched.delta / fetched.reference]),
    budget: { of: 'ratio', most: 1.3 },
    details: {
      'members changed': fetched.memberCount,
      'members MB': fetched.members / MEGABYTE,
      ...Object.fromEntries(
        Object.entries(fetched.membersOf).map(([role, bytes]) => [`members ${role} MB`, bytes / MEGABYTE]),
      ),
      'of which the former ones lack, carried MB': fetched.carried / MEGABYTE,
      'recipes MB': fetched.recipes / MEGABYTE,
      'shards that come whole MB': fetched.whole / MEGABYTE,
      'EPSS MB': fetched.epss / MEGABYTE,
      'about and rejected MB': fetched.tables / MEGABYTE,
      'manifest MB': fetched.manifest / MEGABYTE,
      'ratio to one gzip of all that changed': fetched.delta / fetched.referenceTogether,
      'ratio to the members as they lie and EPSS': fetched.delta / (fetched.members + fetched.epss),
    },
  }
  yield {
    ...line,
    name: 'build/mirror-objects',
    title: 'what a mirror fetches of the night after by whole objects',
    figure: fetched.objects / MEGABYTE,
    ratio: spreadOf([fetched.objects / fetched.reference]),
    budget: null,
    details: { objects: fetched.objectCount, 'MB without what is derived': fetched.objectsUnderived / MEGABYTE },
  }
}

async function* advisoryLines(corpus: BenchCorpus, { folder, root, say }: BenchContext): AsyncGenerator<BenchLine> {
  const night = await advisoryNight(corpus, { folder: join(folder, 'advisory-night'), root })
  rmSync(join(folder, 'advisory-night'), { recursive: true, force: true })
  if (night === null) return say('build/mirror-advisories: the feeds have no zip of OSV')
  yield advisoryLine(corpus, night)
}

function advisoryLine({ cves }: BenchCorpus, { records, reference, fetched }: AdvisoryNight): BenchLine {
  const { delta, membersOf } = fetched
  return {
    name: 'build/mirror-advisories',
    title: `what a mirror fetches of a night in which ${records} advisories change (reckoned, not fetched)`,
    cves,
    unit: 'MB',
    figure: delta / MEGABYTE,
    reference: { title: 'the JSON of these advisories, each by gzip -6', figure: reference / MEGABYTE },
    ratio: spreadOf([delta / reference]),
    growth: null,
    budget: null,
    details: {
      'delta pack MB': fetched.pack / MEGABYTE,
      'manifest MB': fetched.manifest / MEGABYTE,
      'shards that come whole MB': fetched.whole / MEGABYTE,
      'members cve MB': membersOf.cve / MEGABYTE,
      'members advisories MB': membersOf.advisories / MEGABYTE,
      'members packages MB': membersOf.packages / MEGABYTE,
      'members changed': fetched.memberCount,
      'MB by whole objects': fetched.objects / MEGABYTE,
    },
  }
}

function wireLine({ cves, dist }: BenchCorpus, limit: number): BenchLine {
  const pages = wirePages(dist, limit)
  if (pages.length === 0) throw new Error(`a corpus of ${cves} CVEs has no page of ${limit} rows`)
  return {
    name: `build/wire${limit}`,
    title: `page of ${limit} rows on the wire, shard plan, random pages of every sort`,
    cves,
    unit: 'bytes',
    figure: median(pages.map(({ wire }) => wire)),
    reference: { title: 'gzip -6 of the same JSON', figure: median(pages.map(({ gzip }) => gzip)) },
    ratio: spreadOf(pages.map(({ wire, gzip }) => wire / gzip)),
    growth: null,
    budget: { of: 'ratio', most: 1.3 },
    details: { pages: pages.length, 'plain bytes': median(pages.map(({ plain }) => plain)) },
  }
}
