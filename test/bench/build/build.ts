/** The lines of ingest and build: cost of a night, its download size, and the size of pages. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { cvePageAnswer } from '../../../corpus/answers/plan/cve-page.ts'
import { finished } from '../../../corpus/runtime/steps.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { cursorBinding } from '../../../corpus/snapshot/cursor/cursor.ts'
import { STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { orderView } from '../../../corpus/snapshot/filter/order-view.ts'
import { openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import { encoded } from '../../../gateway/http/encoded-answer.ts'
import {
  type BenchContext,
  type BenchCorpus,
  type BenchGroup,
  type BenchLine,
  comparedTo,
  isWanted,
  lineOf,
  median,
  ratioOf,
} from '../report/line.ts'
import { fetchedOf } from './fetched.ts'
import { cpuSecondsOf, type Night, type Nights, peakBytesOf, runNights, secondsOf } from './nights.ts'
import { type Run, runProgram } from './program.ts'

const MEGABYTE = 1e6
/** CVEs ingested and built in all rounds together: at 350,000, one round takes minutes. */
const CVES_OF_ALL_ROUNDS = 250_000
const NIGHT_LINES = ['build/full', 'build/memory', 'build/night', 'build/written']

export const buildLines: BenchGroup = async function* (context) {
  for (const corpus of context.corpora) {
    if (NIGHT_LINES.some((name) => isWanted(context, name))) yield* nightLines(corpus, context)
    if (isWanted(context, 'build/mirror')) yield mirrorLine(corpus)
    for (const limit of [25, 50, 100]) if (isWanted(context, `build/wire${limit}`)) yield wireLine(corpus, limit)
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
  const { cves } = corpus
  const count = longRounds ?? Math.max(1, Math.min(usual, Math.floor(CVES_OF_ALL_ROUNDS / cves)))
  if (count < usual) say(`ingest and build of ${cves.toLocaleString('en')} CVEs: ${count} of ${usual} rounds`)
  const rounds: Round[] = []
  for (let round = 0; round < count; round++) rounds.push(await measureRound(corpus, context, round))
  const [full, after] = [rounds.map(({ ours }) => ours.full), rounds.map(({ ours }) => ours.after)]
  const plain = rounds.map((round) => round.plain)
  const plainSeconds = plain.map(({ seconds }) => seconds)
  const plainCpu = plain.map(({ cpuSeconds }) => cpuSeconds)
  yield lineOf({
    name: 'build/full',
    title: 'full ingest and build',
    cves,
    unit: 's',
    ...comparedTo('records unpacked, JSON.parse, zlib level 6, one thread', full.map(secondsOf), plainSeconds),
    budget: { of: 'ratio', most: 2.5 },
    details: { ...nightDetails(rounds, 'full', plainCpu), 'reference CPU s': median(plainCpu) },
  })
  const peakOf = (of: (ours: Nights) => number) => median(rounds.map(({ ours }) => of(ours))) / MEGABYTE
  yield lineOf({
    name: 'build/memory',
    title: 'peak memory of ingest and build, of both nights',
    cves,
    unit: 'MB',
    figure: peakOf(({ full, after }) => Math.max(peakBytesOf(full), peakBytesOf(after))),
    budget: { of: 'figure', most: 2000 },
    details: {
      'full ingest MB': peakOf(({ full }) => full.ingest.peakBytes),
      'full build MB': peakOf(({ full }) => full.build.peakBytes),
      'next night, ingest MB': peakOf(({ after }) => after.ingest.peakBytes),
      'next night, build MB': peakOf(({ after }) => after.build.peakBytes),
    },
  })
  yield lineOf({
    name: 'build/night',
    title: 'ingest and build of the next night',
    cves,
    unit: 's',
    ...comparedTo('full ingest and build', after.map(secondsOf), full.map(secondsOf)),
    budget: { of: 'ratio', most: 0.25 },
    details: nightDetails(rounds, 'after', full.map(cpuSecondsOf)),
  })
  const { objects, members, shards } = after.at(-1)!.report
  const [written, whole] = [objects.writtenBytes, full.at(-1)!.report.objects.writtenBytes].map((b) => b / MEGABYTE)
  yield lineOf({
    name: 'build/written',
    title: 'bytes written by the next night',
    cves,
    unit: 'MB',
    ...comparedTo('bytes written by a full build', [written!], [whole!]),
    details: {
      'objects written': objects.written,
      'objects reused': objects.reused,
      'MB reused': objects.reusedBytes / MEGABYTE,
      'members encoded': members.encoded,
      members: members.total,
      'unchanged shards': shards.unchanged,
      shards: shards.total,
    },
  })
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
    async () => {
      if (against !== undefined) made.theirs = await runNights(corpus, { folder, root: against })
    },
  ]
  for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  const { plain, ours } = made as Round
  const seconds = [plain.seconds, secondsOf(ours.full), secondsOf(ours.after)].map((some) => some.toFixed(1))
  say(`  round ${round + 1}: reference ${seconds[0]} s, full ${seconds[1]} s, next night ${seconds[2]} s`)
  return made as Round
}

/** Returns the parts of a night, and its ratios of CPU time to the reference and to the other checkout. */
function nightDetails(rounds: readonly Round[], which: keyof Nights, referenceCpu: readonly number[]) {
  const nights = rounds.map(({ ours }) => ours[which])
  const others = rounds.flatMap(({ theirs }) => theirs?.[which] ?? [])
  const toOther = (of: (night: Night) => number) => ratioOf(nights.map(of), others.map(of)).median
  return {
    rounds: rounds.length,
    'ingest s': median(nights.map(({ ingest }) => ingest.seconds)),
    'build s': median(nights.map(({ build }) => build.seconds)),
    'CPU s': median(nights.map(cpuSecondsOf)),
    'ratio of CPU': ratioOf(nights.map(cpuSecondsOf), referenceCpu).median,
    ...(others.length > 0 && { 'to other': toOther(secondsOf), 'to other, CPU': toOther(cpuSecondsOf) }),
  }
}

function mirrorLine({ cves, dist }: BenchCorpus): BenchLine {
  const { membersOf, ...fetched } = fetchedOf(dist)
  const roles = Object.entries(membersOf).map(([role, bytes]) => [`members ${role} MB`, bytes / MEGABYTE])
  const reference = 'the JSON of the changed members, each by gzip -6, and the EPSS columns'
  return lineOf({
    name: 'build/mirror',
    title: 'download of the next night for a mirror, with its delta pack (computed from the files)',
    cves,
    unit: 'MB',
    ...comparedTo(reference, [fetched.delta / MEGABYTE], [fetched.reference / MEGABYTE]),
    budget: { of: 'ratio', most: 1.3 },
    details: {
      'members changed': fetched.memberCount,
      ...Object.fromEntries(roles),
      'delta pack MB': fetched.pack / MEGABYTE,
      'whole shards MB': fetched.whole / MEGABYTE,
      'EPSS, about and rejected MB': fetched.tables / MEGABYTE,
      'manifest MB': fetched.manifest / MEGABYTE,
      'whole objects': fetched.objectCount,
      'MB as whole objects': fetched.objects / MEGABYTE,
      'MB as whole objects, none derived': fetched.objectsUnderived / MEGABYTE,
    },
  })
}

/** Pages of each sort; a small corpus has fewer. */
const PAGES_OF_A_SORT = 50

/**
 * Measures pages as sent by the shard plan: random pages of every sort, at the positions of a walk from the first page.
 * @throws Error if the shard plan does not answer a page
 */
function wireLine({ cves, dist }: BenchCorpus, limit: number): BenchLine {
  const snapshot = openSnapshot(dist, readCurrent(dist).manifest, { checkQuery: false })
  const [wire, gzip, plain]: [number[], number[], number[]] = [[], [], []]
  for (const key of STORED_SORTS) {
    const order = orderView(snapshot, key, true)
    const random = new Random('wire', key, limit)
    const pages = Math.floor(order.count / limit)
    for (let i = 0; i < Math.min(PAGES_OF_A_SORT, pages); i++) {
      const start = random.int(pages) * limit
      const after = start === 0 ? null : order.keyOf(order.ordinal(start - 1))
      const sort = { key, descending: true }
      const request = { binding: cursorBinding('cves', sort, {}), sort, filters: {}, limit, after }
      const answer = encoded(finished(cvePageAnswer(snapshot, request)))
      const way = answer.servedFrom
      if (way !== 'shard') throw new Error(`a page of ${limit} from ${start} by ${key} is planned as ${way}`)
      const json = answer.identity()
      wire.push(answer.gzip().length)
      gzip.push(gzipSync(json, { level: 6 }).length)
      plain.push(json.length)
    }
  }
  snapshot.close()
  if (wire.length === 0) throw new Error(`a corpus of ${cves} CVEs has no page of ${limit} rows`)
  return lineOf({
    name: `build/wire${limit}`,
    title: `page of ${limit} rows as sent, without HTTP headers: shard plan, random pages of every sort`,
    cves,
    unit: 'bytes',
    ...comparedTo('gzip -6 of the same JSON', wire, gzip),
    budget: { of: 'ratio', most: 1.3 },
    details: { pages: wire.length, 'plain bytes': median(plain) },
  })
}
