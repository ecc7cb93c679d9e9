/** The lines of mirrors: speed of a full mirror over loopback, and the actual download of the next night. */
import { spawn } from 'node:child_process'
import { createReadStream, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { objectPath, readManifest } from '../../../corpus/snapshot/files/layout.ts'
import type { MirrorReport } from '../../../gateway/mirror/mirror.ts'
import { haveNginx, startNginx } from '../../support/nginx.ts'
import { NO_NGINX } from '../alternatives/nginx.ts'
import { fetchedOf } from '../build/fetched.ts'
import { type ProgramOptions, type Run, runProgram } from '../build/program.ts'
import { type DistView, lastPointers, viewOf } from '../http/dist-view.ts'
import { type BenchContext, type BenchCorpus, type BenchGroup, type BenchLine, isWanted } from '../report/line.ts'
import { median, ratioOf, spreadOf } from '../report/spread.ts'

const MEGABYTE = 1e6
const LINES = ['mirror/whole', 'mirror/night']

export const mirrorLines: BenchGroup = async function* (context) {
  if (!LINES.some((name) => isWanted(context, name))) return
  if (!haveNginx()) return context.say(NO_NGINX)
  for (const corpus of context.corpora) {
    const folder = join(context.folder, `mirror-${corpus.cves}`)
    try {
      yield* linesOf(corpus, folder, context)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

async function* linesOf(corpus: BenchCorpus, folder: string, context: BenchContext): AsyncGenerator<BenchLine> {
  const { first, second } = lastPointers(corpus.dist)
  const view = viewOf(corpus.dist, join(folder, 'repository'), [second, first])
  const nginx = await startNginx(folder, (port) => webServer(view.path, folder, port))
  try {
    const url = `http://127.0.0.1:${nginx.port}/`
    if (isWanted(context, 'mirror/whole')) yield await wholeLine(corpus, url, folder, context)
    if (isWanted(context, 'mirror/night')) yield await nightLine(corpus, view, url, { folder, root: context.root })
  } finally {
    await nginx.stop()
  }
}

const ONE_FILE = 'one-file'

const webServer = (repository: string, folder: string, port: number): string => `
  access_log off;
  sendfile on;
  tcp_nopush on;
  server {
    listen 127.0.0.1:${port};
    root ${repository};
    location = /${ONE_FILE} { root ${folder}; }
  }
`

interface Mirrored extends Run {
  report: MirrorReport
}

/** Runs a mirror with its command, as an operator does. */
async function mirrorBy(
  url: string,
  dist: string,
  options: ProgramOptions,
  words: readonly string[] = [],
): Promise<Mirrored> {
  const run = await runProgram('gateway/bin.js', ['mirror', url, dist, '--json', ...words], options)
  return { ...run, report: JSON.parse(run.output) as MirrorReport }
}

async function wholeLine(
  { cves, dist }: BenchCorpus,
  url: string,
  folder: string,
  { root, rounds, say }: BenchContext,
): Promise<BenchLine> {
  await writeOneFile(dist, join(folder, ONE_FILE))
  const [ours, theirs]: [Mirrored[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => {
        const copy = join(folder, 'copy')
        ours.push(await mirrorBy(url, copy, { folder, root }))
        rmSync(copy, { recursive: true })
      },
      async () => {
        const copy = join(folder, 'copy-of-one-file')
        theirs.push(await secondsOfCurl(`${url}${ONE_FILE}`, copy))
        rmSync(copy)
      },
    ]
    if (round % 2 === 1) turns.reverse()
    for (const turn of turns) await turn()
    say(`  round ${round + 1}: mirror ${ours.at(-1)!.report.seconds.toFixed(2)} s, curl ${theirs.at(-1)!.toFixed(2)} s`)
  }
  rmSync(join(folder, ONE_FILE))
  const bytes = ours[0]!.report.fetched.bytes / MEGABYTE
  const rates = ours.map(({ report }) => bytes / report.seconds)
  const references = theirs.map((seconds) => bytes / seconds)
  return {
    name: 'mirror/whole',
    title: 'a whole snapshot over loopback from nginx, every byte digested, every file synced',
    cves,
    unit: 'MB/s',
    figure: median(rates),
    reference: { title: 'curl of one file with the same bytes', figure: median(references) },
    ratio: ratioOf(rates, references),
    growth: null,
    budget: null,
    details: {
      MB: bytes,
      files: ours[0]!.report.fetched.files,
      s: median(ours.map(({ report }) => report.seconds)),
      's with the start of node': median(ours.map(({ seconds }) => seconds)),
      'CPU s': median(ours.map(({ cpuSeconds }) => cpuSeconds)),
      'memory MB': median(ours.map(({ peakBytes }) => peakBytes)) / MEGABYTE,
    },
  }
}

/** Writes all files of the snapshot into one file. */
async function writeOneFile(dist: string, file: string): Promise<void> {
  const { second } = lastPointers(dist)
  const digests = new Set(readManifest(dist, second.manifest.sha256).files.map(({ sha256 }) => sha256))
  for (const sha256 of digests) await appendFile(file, createReadStream(objectPath(dist, sha256)))
}

async function secondsOfCurl(url: string, file: string): Promise<number> {
  const began = performance.now()
  const child = spawn('curl', ['--silent', '--fail', '--noproxy', '*', '--output', file, url], { stdio: 'ignore' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`curl ended with ${code}`)
  return (performance.now() - began) / 1000
}

/** Measures the download of the next night with derived files rebuilt. The details have the download without. */
async function nightLine(
  { cves, dist }: BenchCorpus,
  view: DistView,
  url: string,
  options: ProgramOptions,
): Promise<BenchLine> {
  const { folder } = options
  const { first, second } = lastPointers(dist)
  const [deriving, fetching] = [join(folder, 'deriving'), join(folder, 'fetching')]
  view.activate(first)
  for (const mirror of [deriving, fetching]) await mirrorBy(url, mirror, options)
  view.activate(second)
  const derived = await mirrorBy(url, deriving, options, ['--derive'])
  const fetched = await mirrorBy(url, fetching, options)
  const bytesOf = ({ report }: Mirrored) => report.received + second.manifest.size
  const changed = fetchedOf(dist).reference
  return {
    name: 'mirror/night',
    title: 'what a mirror fetches of the night after, deriving what is derived (fetched, over HTTP)',
    cves,
    unit: 'MB',
    figure: bytesOf(derived) / MEGABYTE,
    reference: {
      title: 'the JSON of the members that changed, each by gzip -6, and the EPSS columns',
      figure: changed / MEGABYTE,
    },
    ratio: spreadOf([bytesOf(derived) / changed]),
    growth: null,
    budget: { of: 'ratio', most: 1.3 },
    details: {
      files: derived.report.fetched.files,
      'made with packs': derived.report.made.files,
      'derived files': derived.report.derived.files,
      s: derived.report.seconds,
      'memory MB': derived.peakBytes / MEGABYTE,
      'MB without deriving': bytesOf(fetched) / MEGABYTE,
      's without deriving': fetched.report.seconds,
    },
  }
}
