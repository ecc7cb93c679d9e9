/** `vulnshelf-gateway mirror` from its words: once, or again and again. */
import { realEffects } from '../../corpus/command/effects.ts'
import { printable } from '../../corpus/command/printable.ts'
import { showProgress } from '../../corpus/command/progress.ts'
import { readKeySetFile } from '../../corpus/snapshot/key-files.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { follow } from './follow.ts'
import { type MirrorReport, mirror } from './mirror.ts'
import { mirrorWords } from './report.ts'
import { openSource } from './source.ts'

export interface MirrorFlags {
  keys?: string
  /** In seconds. */
  interval?: number
  parallel: number
  /** Bytes per second. */
  maxRate?: number
  maxBytes: number
  json?: boolean
}

/** Mirrors once; with an interval until the process is told to stop. */
export async function mirrorFromCommand(sourceText: string, dist: string, flags: MirrorFlags): Promise<void> {
  const { keys, interval, parallel, maxRate = null, maxBytes, json } = flags
  const { effects, close } = realNetworkEffects(realEffects())
  const progress = showProgress()
  const sound = new Map<string, string>()
  const stop = new AbortController()
  const run = async (): Promise<MirrorReport> => {
    // Read anew each time: keys change while a mirror follows.
    const options = {
      dist,
      keys: keys === undefined ? null : await readKeySetFile(keys),
      parallel,
      maxRate,
      maxBytes,
      sound,
      signal: stop.signal,
    }
    return mirror(openSource(sourceText, effects), options, effects, progress)
  }
  const print = (report: MirrorReport) =>
    void process.stdout.write(
      `${json ? JSON.stringify(report, null, interval ? 0 : 1) : printable(mirrorWords(report))}\n`,
    )
  try {
    if (interval === undefined) return print(await run())
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error(signal)))
    await follow(run, {
      intervalMs: interval * 1000,
      signal: stop.signal,
      random: effects.random,
      onReport: (report) => {
        if (report.changed || report.fetched.files > 0) print(report)
      },
      onError: (error) => effects.log(`vulnshelf-gateway: ${error.message}; what is here stays`),
    })
  } finally {
    await close()
  }
}
