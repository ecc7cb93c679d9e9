/** Runs `nightly` with the real disk, network and environment. */
import { realEffects } from '../../corpus/command/effects.ts'
import { noProgress, showProgress } from '../../corpus/command/progress.ts'
import type { KeepRules } from '../../corpus/repository/retention.ts'
import { realNetworkEffects } from '../../corpus/transfer/network.ts'
import { fetchOptions } from '../fetch/command.ts'
import type { IngestOptions } from '../ingest/ingest.ts'
import { readMinimumCounts } from '../ingest/judge.ts'
import { keepRules } from '../keep-options.ts'
import { type Night, nightly } from './nightly.ts'
import type { NightlyFlags } from './options.ts'

/** Without any rule in the options. */
const DEFAULT_RULES: KeepRules = { last: 7 }

/** @throws errors of wrong usage */
export async function nightlyFromCommand(feeds: string, flags: NightlyFlags): Promise<Night> {
  const { corpus, out: dist, floor, mission, acceptShrink = false, acceptOlder = false, jobs } = flags
  const floors = floor === undefined ? {} : readMinimumCounts(floor)
  const ingest: IngestOptions = { feeds, corpus, acceptShrink, acceptOlder, floors, mission }
  const { effects, close } = realNetworkEffects(realEffects())
  try {
    const options = {
      fetch: flags.skipFetch ? null : fetchOptions(feeds, flags),
      allowStale: flags.allowStale ?? false,
      ingest,
      dist,
      sign: flags,
      publish: flags.publish ?? null,
      site: flags.siteUrl ?? null,
      keep: keepRules(flags) ?? DEFAULT_RULES,
      keepDerived: flags.keepDerived,
      jobs,
      report: flags.report ?? null,
      ping: { success: flags.ping ?? null, failure: flags.pingFailure ?? null },
    }
    // A log file needs only the report.
    return await nightly(options, effects, process.stderr.isTTY ? showProgress() : noProgress)
  } finally {
    await close()
  }
}
