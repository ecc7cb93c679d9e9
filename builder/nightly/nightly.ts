/**
 * `vulnshelf nightly`: fetch, ingest, build, verify, publish and prune. It stops at the first fault. If the new snapshot
 * has faults, the pointer of the previous one is restored.
 */
import { isUsageError } from '../../corpus/command/command-line.ts'
import { type Effects, replaceFile } from '../../corpus/command/effects.ts'
import { counted, shortened } from '../../corpus/command/format.ts'
import { printableJson } from '../../corpus/command/printable.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import type { KeepRules } from '../../corpus/repository/retention.ts'
import { type VerifyReport, verify } from '../../corpus/snapshot/derived.ts'
import { readPointer } from '../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { type FetchOptions, type FetchReport, fetchFeeds } from '../fetch/fetch.ts'
import { failures } from '../fetch/report.ts'
import { type IngestOptions, type IngestReport, ingest } from '../ingest/ingest.ts'
import { signingOf } from '../keys.ts'
import { prune } from '../prune.ts'
import { publish } from '../publish/publish.ts'
import { parseTarget } from '../publish/target.ts'
import { assertDist, type BuildReport, build } from '../snapshot/build.ts'
import { lockNight } from '../snapshot/lock.ts'
import { NightlyError } from './error.ts'
import { feedAges, feedWarnings } from './feed-ages.ts'
import { withinLimit } from './limit.ts'
import { type PingOptions, ping } from './ping.ts'
import { type CurrentSnapshot, type NightlyReport, STEPS, type StepName, type StepReports } from './report.ts'
import { copyPointer, removeCopy, removeEqualCopy, restorePointer } from './verified-pointer.ts'

export interface NightlyOptions {
  /** Null skips the download. */
  fetch: FetchOptions | null
  /** Continues with the previous files of feeds whose download fails. */
  allowStale?: boolean
  ingest: IngestOptions
  dist: string
  /** As `build` and `publish` take them. */
  sign: { signKey?: string[]; expires: string; unsigned?: boolean }
  /** Null publishes nothing. */
  publish: string | null
  /** The public URL of the target, for its Atom feeds. Null writes none. */
  site?: URL | null
  /** Which snapshots stay in `dist`. */
  keep: KeepRules
  /** Number of snapshots that keep their derived files. Default: all. */
  keepDerived?: number | undefined
  jobs: number
  /** File that receives the report as JSON, or null. */
  report: string | null
  ping: PingOptions
}

export interface Night {
  report: NightlyReport
  /** The first fault, or null. */
  error: unknown
}

interface Fault {
  step: StepName
  error: unknown
}

/**
 * Runs a night. A fault does not throw; the report names it.
 * @throws KeyError, PublishError, TransferError with the code `usage`; then nothing was done
 */
export async function nightly(options: NightlyOptions, effects: NetworkEffects, progress: Progress): Promise<Night> {
  const startedAt = effects.now()
  const started = performance.now()
  const before = currentSnapshot(options.dist)
  const warnings: string[] = []
  const steps: NightlyReport['steps'] = []
  const { fault: refused, unlock } = await prepare(options, effects)
  let fault: Fault | null = refused
  try {
    const works = worksOf(options, effects, progress, warnings)
    for (const name of STEPS) {
      const work = works[name]
      if (refused?.step === name) steps.push({ name, state: 'failed', seconds: 0, error: stepError(refused.error) })
      else if (fault !== null || work === null) steps.push({ name, state: 'skipped', seconds: 0 })
      else {
        effects.log(`starting ${name}`)
        const begun = performance.now()
        const seconds = () => (performance.now() - begun) / 1000
        try {
          const report = await work()
          steps.push({ name, state: 'done', seconds: seconds(), report })
        } catch (error) {
          fault = { step: name, error }
          const report = error instanceof NightlyError ? { report: error.report as StepReports[StepName] } : {}
          steps.push({ name, state: 'failed', seconds: seconds(), ...report, error: stepError(error) })
        }
      }
    }
  } finally {
    unlock()
  }
  const report = withinLimit({
    state: fault === null ? 'done' : 'failed',
    failed: fault?.step ?? null,
    warnings,
    feeds: feedAges(steps.find(({ name }) => name === 'ingest')?.report as IngestReport | undefined, effects.now()),
    startedAt: startedAt.toISOString(),
    endedAt: effects.now().toISOString(),
    seconds: (performance.now() - started) / 1000,
    before,
    after: currentSnapshot(options.dist),
    steps,
    shortened: [],
  })
  const unwritten = await announce(report, options, effects)
  return { report, error: fault?.error ?? unwritten }
}

/**
 * Checks what can fail a later step, before hours of work, and takes the lock of the night.
 * @throws errors of wrong usage
 */
async function prepare(
  { dist, sign, publish: to, site = null }: NightlyOptions,
  effects: Effects,
): Promise<{ fault: Fault | null; unlock: () => void }> {
  if (to !== null) parseTarget(to, { site })
  try {
    await signingOf(dist, sign)
    assertDist(dist)
    await writingTo(dist, () => effects.mkdir(dist))
    return { fault: null, unlock: lockNight(dist) }
  } catch (error) {
    if (isUsageError(error)) throw error
    return { fault: { step: 'build', error }, unlock: () => {} }
  }
}

/** The work of each step; null if it is not requested. */
function worksOf(
  options: NightlyOptions,
  effects: NetworkEffects,
  progress: Progress,
  warnings: string[],
): { [Name in StepName]: (() => Promise<StepReports[Name]>) | null } {
  const { fetch, allowStale = false, dist, sign, jobs, keep, keepDerived, publish: to, site = null } = options
  const { unsigned = false } = sign
  const { corpus } = options.ingest
  let built: BuildReport | null = null
  return {
    fetch: fetch && (async () => judgeFetch(await fetchFeeds(fetch, effects, progress), allowStale, warnings)),
    async ingest() {
      const report = await ingest({ ...options.ingest, jobs }, effects, progress)
      warnings.push(...feedWarnings(report, effects.now()))
      return report
    },
    async build() {
      await copyPointer(dist, effects)
      try {
        built = await build({ corpus, dist, jobs, signing: await signingOf(dist, sign) }, effects, progress)
        return built
      } catch (error) {
        await removeEqualCopy(dist, effects)
        throw error
      }
    },
    async verify() {
      const onProgress = (done: number, total: number) => progress('files', done, total)
      try {
        // A pointer that this night cannot verify reaches no mirror.
        const signing = await signingOf(dist, sign)
        const keys = signing ? { keys: signing.keys.map(({ publicKey }) => publicKey) } : {}
        const report = await verify(dist, { jobs, onProgress, now: effects.now, ...keys })
        const { snapshot, faults } = report
        if (signing) faults.push(...rejectedSignatures(report))
        if (faults.length > 0) {
          const message = `snapshot ${snapshot} has ${counted(faults.length, 'fault')}: ${joined(faults)}`
          throw new NightlyError('faults', message, report)
        }
        if (readPointer(dist)?.snapshot !== snapshot) {
          const message = `another program activated a snapshot in ${dist} while ${snapshot} was verified; start again`
          throw new NightlyError('replaced', message, report)
        }
        await removeCopy(dist, effects)
        return report
      } catch (error) {
        const restored = restorePointer(dist, built!.snapshot, effects)
        await restored.catch((cause: Error) => warnings.push(`cannot restore the previous pointer: ${cause.message}`))
        throw error
      }
    },
    publish: to === null ? null : () => publish({ dist, to, unsigned, site }, effects, progress),
    prune: () => prune(dist, { keep, keepDerived }, effects),
  }
}

const rejectedSignatures = ({ signatures }: VerifyReport) =>
  signatures
    .filter(({ status }) => status === 'rejected')
    .map(({ kid, reason }) => `the signature of key ${kid ?? 'without an id'} is rejected: ${reason}`)

/** @throws NightlyError `feeds-failed` */
function judgeFetch(report: FetchReport, allowStale: boolean, warnings: string[]): FetchReport {
  const [failed, others] = [true, false].map((isFailed) =>
    failures({ feeds: report.feeds.filter(({ status }) => (status === 'failed') === isFailed) }),
  ) as [string[], string[]]
  warnings.push(...others)
  if (report.failed === 0) return report
  const reasons = failed
  if (!allowStale) {
    const remedy = isOffline(report)
      ? 'check the network and the proxy variables; --skip-fetch uses the files in the feeds folder, without a download'
      : 'start again, or use --allow-stale to continue with their previous files'
    const message = `${counted(report.failed, 'feed')} failed: ${joined(reasons)}; ${remedy}`
    throw new NightlyError('feeds-failed', message, report)
  }
  warnings.push(...reasons.map((reason) => `${reason}; --allow-stale uses the previous files`))
  return report
}

/** Whether no publisher of a feed that failed could be reached. */
const isOffline = ({ feeds }: FetchReport): boolean =>
  feeds
    .filter(({ status }) => status === 'failed')
    .flatMap(({ files, error }) => [error, ...files.map((file) => file.error)])
    .every((error) => error === undefined || error.code === 'network')

/** A message is one line of a log; the report of the step has all. */
const REASONS_SHOWN = 1000
const joined = (reasons: readonly string[]) => shortened(reasons.join('; '), REASONS_SHOWN)

/**
 * Writes the report and pings. Returns the error of writing, which makes the night fail. A failed ping is a warning in
 * the report.
 */
async function announce(
  report: NightlyReport,
  { report: file, ping: to }: NightlyOptions,
  effects: NetworkEffects,
): Promise<unknown> {
  const write = async (): Promise<unknown> => {
    if (file === null) return null
    const bytes = Buffer.from(`${printableJson(report, 1)}\n`)
    try {
      await writingTo(file, () => replaceFile(file, bytes, `${file}.new`, effects))
      return null
    } catch (error) {
      report.state = 'failed'
      report.warnings.push(`cannot write the report: ${(error as Error).message}`)
      return error
    }
  }
  const unwritten = await write()
  const unheard = await ping(report, to, effects)
  if (unheard === null) return unwritten
  report.warnings.push(unheard)
  return unwritten ?? (await write())
}

function stepError(error: unknown): { code: string; message: string } {
  const { message, name } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : name
  return { code, message }
}

/** Returns null for an unreadable pointer too; the build reports it. */
function currentSnapshot(dist: string): CurrentSnapshot | null {
  try {
    const pointer = readPointer(dist)
    return pointer && { snapshot: pointer.snapshot, version: pointer.version }
  } catch {
    return null
  }
}
