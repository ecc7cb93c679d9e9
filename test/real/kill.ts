/**
 * `npx tsx test/real/kill.ts [times] [seed]`: a night on the real feeds, killed with SIGKILL at random moments of
 * ingest and build. After each kill, yesterday's snapshot must verify and open for serving, and the corpus must be
 * yesterday's or today's. The next run without a kill must give the same snapshot as a night without kills. Not part of
 * `npm test`: it takes some minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../corpus/sample/random.ts'
import { readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { openRegistry } from '../../gateway/snapshots/registry.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { listLog } from '../support/server.ts'
import { BASELINE, linkFeeds, NEWEST } from './feeds-folder.ts'

const YESTERDAY = [
  BASELINE,
  'kev/2025-04-07/known_exploited_vulnerabilities.json',
  'epss/epss_scores-2024-10-26.csv.gz',
  'cna/CNAsList.json',
]
const TODAY = [NEWEST, 'kev/known_exploited_vulnerabilities.json', 'epss/epss_scores-2025-08-30.csv.gz']

const times = Number(process.argv[2] ?? 20)
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31))
const cli = join(import.meta.dirname, '../../builder/bin.js')

interface Night {
  corpus: string
  dist: string
}

const ingest = ({ corpus }: Night): ChildProcess => command(['ingest', feeds, '--corpus', corpus])
const build = ({ corpus, dist }: Night): ChildProcess => command(['build', '--corpus', corpus, '--out', dist])

function command(args: string[]): ChildProcess {
  return spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Waits for the end of a command, or kills it after `ms`. Returns whether it was killed, and its duration. */
async function end(child: ChildProcess, ms = Number.POSITIVE_INFINITY): Promise<{ killed: boolean; ms: number }> {
  const began = performance.now()
  let err = ''
  child.stderr!.on('data', (text) => (err += text))
  const timer = Number.isFinite(ms) ? setTimeout(() => child.kill('SIGKILL'), ms) : undefined
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...how) => resolve(how)),
  )
  clearTimeout(timer)
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`a command failed: ${err}`)
  return { killed: signal === 'SIGKILL', ms: performance.now() - began }
}

/** Returns a digest of everything that a build reads from a corpus. */
function stateOf(path: string): string {
  const corpus = openCorpus(path)
  const digest = createHash('sha256')
  for (const { block } of corpus.blocks()) {
    for (const { cveId, version, digest: record, parts } of corpus.records(block)) {
      digest.update(`${cveId} ${version} `).update(record).update(Object.values(parts).join('\n'))
    }
  }
  const { release, scores } = corpus.epss()
  digest.update(JSON.stringify([corpus.state(), corpus.rejected(), corpus.catalog('cna'), release]))
  for (const row of scores) digest.update(JSON.stringify(row))
  corpus.close()
  return digest.digest('hex')
}

/**
 * Returns the id of the snapshot in `dist`.
 * @throws Error unless it is one of `ids`, verifies, and opens for serving
 */
async function soundSnapshot(dist: string, ids: string[]): Promise<string> {
  const { snapshot, faults } = await verify(dist, { jobs: 2 })
  if (faults.length > 0) throw new Error(`the snapshot does not verify: ${faults.join('; ')}`)
  if (!ids.includes(snapshot)) throw new Error(`the snapshot is ${snapshot}, which is none of ${ids.join(', ')}`)
  const registry = openRegistry(dist, { log: listLog().log, pollMs: 0 })
  const served = registry.current.id
  registry.close()
  if (served !== snapshot) throw new Error(`${served} is served, not ${snapshot}`)
  return snapshot
}

function expectOnly(folder: string, names: readonly string[]): void {
  const others = readdirSync(folder).filter((name) => !names.includes(name))
  if (others.length > 0) throw new Error(`left behind in ${folder}: ${others.join(', ')}`)
}

const folder = temporaryFolder('kill')
const feeds = join(folder.path, 'feeds')
const nightIn = (name: string): Night => ({
  corpus: join(folder.path, name, 'corpus.db'),
  dist: join(folder.path, name, 'dist'),
})

async function main(): Promise<void> {
  needs('real feeds')
  linkFeeds(feeds, YESTERDAY)
  const yesterday = nightIn('yesterday')
  await end(ingest(yesterday))
  await end(build(yesterday))
  const before = { corpus: stateOf(yesterday.corpus), snapshot: readCurrent(yesterday.dist).manifest.snapshot }

  linkFeeds(feeds, TODAY)
  cpSync(join(yesterday.dist, '..'), join(folder.path, 'today'), { recursive: true })
  const today = nightIn('today')
  const { ms: ingestMs } = await end(ingest(today))
  const { ms: buildMs } = await end(build(today))
  const after = { corpus: stateOf(today.corpus), snapshot: readCurrent(today.dist).manifest.snapshot }
  console.log(`seed ${seed}; undisturbed: ingest ${ingestMs.toFixed(0)} ms, build ${buildMs.toFixed(0)} ms`)
  console.log(`yesterday ${before.snapshot.slice(0, 16)}, today ${after.snapshot.slice(0, 16)}`)

  const random = new Random(seed)
  for (let round = 1, kills = 0; kills < times; round++) {
    const name = `round-${round}`
    const night = nightIn(name)
    cpSync(join(yesterday.dist, '..'), join(folder.path, name), { recursive: true })
    const moment = random.float() * (ingestMs + buildMs)
    const inIngest = moment < ingestMs
    if (!inIngest) await end(ingest(night))
    const { killed } = await end((inIngest ? ingest : build)(night), inIngest ? moment : moment - ingestMs)
    // A command that ended before its kill is checked too, but does not count as a kill.
    if (killed) kills++

    const corpus = stateOf(night.corpus)
    if (corpus !== before.corpus && corpus !== after.corpus) throw new Error('the corpus is neither of the two')
    const snapshot = await soundSnapshot(night.dist, inIngest ? [before.snapshot] : [before.snapshot, after.snapshot])

    await end(ingest(night))
    await end(build(night))
    await soundSnapshot(night.dist, [after.snapshot])
    if (stateOf(night.corpus) !== after.corpus) throw new Error('the corpus is not that of an undisturbed night')
    expectOnly(night.dist, ['latest.json', 'lock', 'manifests', 'objects'])
    expectOnly(join(folder.path, name), ['corpus.db', 'corpus.db-wal', 'corpus.db-shm', 'corpus.db.lock', 'dist'])
    rmSync(join(folder.path, name), { recursive: true })
    const day = (is: boolean) => (is ? "yesterday's" : "today's")
    console.log(
      `${killed ? String(kills).padStart(2) : ' -'} ${inIngest ? 'ingest' : 'build '} ${killed ? 'killed' : 'ended '} at ` +
        `${(inIngest ? moment : moment - ingestMs).toFixed(0).padStart(5)} ms: corpus ${day(corpus === before.corpus)}, ` +
        `snapshot ${day(snapshot === before.snapshot)}, both sound; the next run ends in today's`,
    )
  }
  console.log(`${times} kills, nothing lost`)
}

await main().finally(() => folder.remove())
