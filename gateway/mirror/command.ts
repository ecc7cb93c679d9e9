/** Runs `vulnshelf-gateway mirror`: once, or at intervals. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { realEffects } from '../../corpus/command/effects.ts'
import { printable, printableJson } from '../../corpus/command/printable.ts'
import { clearProgress, noProgress, showProgress } from '../../corpus/command/progress.ts'
import { openSource } from '../../corpus/repository/source.ts'
import { readKeySetFile, type Subset } from '../../corpus/snapshot/index.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { MirrorError } from './error.ts'
import { FOLLOWED_BY_GATEWAY, follow } from './follow.ts'
import { type MirrorReport, mirror } from './mirror.ts'
import { formatMirrorReport } from './report.ts'

export interface MirrorFlags {
  keys?: string
  /** In seconds. */
  interval?: number
  parallel: number
  /** Bytes per second. */
  maxRate?: number
  maxBytes: number
  derive?: boolean
  jobs: number
  years?: Subset | 'all'
  bundle?: string
  keep?: number
  json?: boolean
}

/** Time limit to end after a signal. */
const END_MS = 5000

/** With an interval, runs until a signal. */
export async function mirrorFromCommand(sourceText: string, dist: string, flags: MirrorFlags): Promise<void> {
  const {
    keys,
    interval,
    parallel,
    maxRate = null,
    maxBytes,
    derive,
    jobs,
    years,
    bundle = null,
    keep = null,
    json,
  } = flags
  if (bundle !== null && interval !== undefined) {
    throw new MirrorError(
      'usage',
      '--bundle and --interval exclude each other, because each run would overwrite the bundle',
    )
  }
  if (bundle !== null && !existsSync(dirname(bundle))) {
    throw new MirrorError('usage', `cannot write ${bundle}: its folder does not exist; create it first`)
  }
  const followed = process.env[FOLLOWED_BY_GATEWAY]
  const { effects, close } = realNetworkEffects(realEffects())
  const progress = followed === undefined ? showProgress() : noProgress
  const sound = new Map<string, string>()
  const stop = new AbortController()
  let isFirst = true
  const run = async (): Promise<MirrorReport> => {
    // Keys can change between runs.
    const options = {
      dist,
      keys: keys === undefined ? null : await readKeySetFile(keys),
      parallel,
      maxRate,
      maxBytes,
      derive: derive ? jobs : null,
      ...(years === undefined ? {} : { years }),
      bundle,
      keep,
      sound,
      signal: stop.signal,
    }
    // Bundles can be replaced between runs.
    const source = openSource(followed ?? sourceText, effects)
    try {
      return await mirror(source, options, effects, progress)
    } finally {
      await source.close()
    }
  }
  const end = (why: string) => {
    stop.abort(new Error(why))
    // It may be waiting for a busy server; killing it is safe.
    setTimeout(() => process.exit(), END_MS).unref()
  }
  const print = (report: MirrorReport) => {
    clearProgress()
    process.stdout.write(
      `${json ? printableJson(report, interval || followed !== undefined ? 0 : 1) : printable(formatMirrorReport(report))}\n`,
    )
  }
  try {
    // The gateway has ended, perhaps by a kill.
    const leave = () => end('the gateway has ended')
    if (process.connected) process.once('disconnect', leave)
    else if (followed !== undefined) return leave()
    if (interval === undefined) return print(await run())
    // Invalid keys at the start end the command.
    if (keys !== undefined) await readKeySetFile(keys)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(signal))
    await follow(run, {
      intervalMs: interval * 1000,
      signal: stop.signal,
      random: effects.random,
      onReport: (report) => {
        if (isFirst || report.changed || report.fetched.files > 0) print(report)
        isFirst = false
      },
      onError: (error) => effects.log(`vulnshelf-gateway: ${error.message}; the local snapshot is unchanged`),
    })
  } finally {
    await close()
    if (process.connected) process.disconnect?.()
  }
}
