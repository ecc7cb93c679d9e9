/** The report of a night as plain data, and as text. */
import { counted, duration, megabytes, shortened, table } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import type { PruneReport } from '../../corpus/repository/prune.ts'
import type { VerifyReport } from '../../corpus/snapshot/derived.ts'
import type { FetchReport } from '../fetch/fetch.ts'
import { formatCorpus } from '../ingest/format-report.ts'
import type { IngestReport } from '../ingest/report.ts'
import type { PublishReport } from '../publish/publish.ts'
import { formatPruneReport } from '../report.ts'
import type { BuildReport } from '../snapshot/build.ts'
import type { FeedAge } from './feed-ages.ts'

/** What each step reports, in the order of the steps. */
export interface StepReports {
  fetch: FetchReport
  ingest: IngestReport
  build: BuildReport
  verify: VerifyReport
  publish: PublishReport
  prune: PruneReport
}

export type StepName = keyof StepReports
export const STEPS: readonly StepName[] = ['fetch', 'ingest', 'build', 'verify', 'publish', 'prune']

export interface StepError {
  code: string
  message: string
}

export interface StepReport<Name extends StepName = StepName> {
  name: Name
  /** `skipped`: not requested, or an earlier step failed. */
  state: 'done' | 'failed' | 'skipped'
  seconds: number
  /** A failed step has one if it counts its faults. */
  report?: StepReports[Name]
  error?: StepError
}

export interface CurrentSnapshot {
  snapshot: string
  version: number
}

export interface NightlyReport {
  state: 'done' | 'failed'
  /** The first step that failed, or null. */
  failed: StepName | null
  warnings: string[]
  /** Empty if ingest failed. */
  feeds: FeedAge[]
  startedAt: string
  endedAt: string
  seconds: number
  /** The current snapshots of the `dist`. Null if there is none, or its pointer is malformed. */
  before: CurrentSnapshot | null
  after: CurrentSnapshot | null
  /** One for each of `STEPS`. */
  steps: StepReport[]
  /** Lists in the reports of the steps that are cut, the longest first, with their full lengths. */
  shortened: { path: string; items: number }[]
}

/** Returns the report without the reports of the steps, which can be large. */
export const withoutStepReports = ({ steps, ...rest }: NightlyReport): NightlyReport => ({
  ...rest,
  steps: steps.map(({ report: _, ...step }) => step),
})

/** As in the report of `snapshots`. */
const ID_SHOWN = 12
const ERROR_SHOWN = 160

const SUMMARIES: { [Name in StepName]: (report: StepReports[Name]) => string } = {
  fetch: ({ feeds, failed, partial, received }) =>
    `${counted(feeds.length, 'feed')}, ${failed + partial} failed, ${megabytes(received)} downloaded`,
  ingest: formatCorpus,
  build: ({ snapshot, version, changed }) =>
    `snapshot ${snapshot.slice(0, ID_SHOWN)} ${changed ? 'activated as' : 'is already current,'} version ${version}`,
  verify: ({ files, bytes }) => `${counted(files, 'file')}, ${megabytes(bytes)}, intact`,
  publish: ({ target, version, changed }) =>
    `version ${version} ${changed ? 'published to' : 'is already at'} ${target}`,
  prune: formatPruneReport,
}

/** Warnings come first: the end of a long log is read last. */
export function formatNightlyReport({ state, startedAt, seconds, after, steps, warnings }: NightlyReport): string {
  const current = after === null ? 'no snapshot' : `snapshot ${after.snapshot.slice(0, ID_SHOWN)} is current`
  const rows = steps.map((step) => [step.name, step.state, duration(step.seconds), summary(step)])
  return printableLines([
    ...warnings.map((warning) => `warning: ${warning}`),
    ...table(rows, [0, 1, 3]).map((line) => line.trimEnd()),
    `night of ${startedAt} ${state} in ${duration(seconds)}; ${current}`,
  ])
}

function summary<Name extends StepName>({ name, report, error }: StepReport<Name>): string {
  if (error) return shortened(error.message, ERROR_SHOWN)
  return report === undefined ? '' : SUMMARIES[name](report)
}
