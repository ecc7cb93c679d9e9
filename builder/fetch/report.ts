/** Formats the report of a fetch: a line for each feed, and one for each failure. */
import { counted, megabytes } from '../../corpus/command/format.ts'
import { printableLines } from '../../corpus/command/printable.ts'
import { dayOf } from '../../corpus/model/values/date.ts'
import type { FileReport } from './download.ts'
import { type FeedFetchReport, type FetchReport, PAST_EDITIONS } from './fetch.ts'

const count = (files: readonly unknown[]) => (files.length === 1 ? '1 file' : `${files.length} files`)

export function formatFetchReport({ feeds, received, seconds }: FetchReport): string {
  return printableLines([...feeds.map(formatFeed), `${megabytes(received)} downloaded in ${seconds.toFixed(1)} s`])
}

const WORDS: readonly [FileReport['status'], string][] = [
  ['fetched', 'fetched'],
  ['unchanged', 'unchanged'],
  ['missing', 'not published'],
  ['older', 'older than here'],
  ['failed', 'failed'],
]

function formatFeed({ title, files, error }: FeedFetchReport): string {
  const parts = WORDS.flatMap(([status, words]) => {
    const those = files.filter((file) => file.status === status)
    if (those.length === 0) return []
    const size = status === 'fetched' ? ` (${megabytes(those.reduce((sum, file) => sum + (file.bytes ?? 0), 0))})` : ''
    return [`${count(those)} ${words}${size}`]
  })
  const missing = files.filter(({ status }) => status === 'missing').map(({ path }) => dayIn(path))
  const days = title === PAST_EDITIONS ? missingDays(missing) : ''
  return `${title.padEnd(18)} ${error ? 'failed' : parts.join(', ') || 'nothing to download'}${days}`
}

const dayIn = (path: string) => /\d{4}-\d{2}-\d{2}/.exec(path)?.[0] ?? path
const SHOWN_DAYS = 5

/** `: no edition of 2021-05-01, 2021-05-02 and 3 more days`. The JSON report has all. */
function missingDays(days: readonly string[]): string {
  if (days.length === 0) return ''
  const more = days.length - SHOWN_DAYS
  return `: no edition of ${days.slice(0, SHOWN_DAYS).join(', ')}${more > 0 ? ` and ${counted(more, 'more day')}` : ''}`
}

/** Files of a feed with the same error share a line. A file that stays has its age. */
export function failures({ feeds }: Pick<FetchReport, 'feeds'>): string[] {
  return feeds.flatMap(({ title, files, error }) => {
    const alike = Map.groupBy(
      files.filter((file) => file.error),
      ({ error, stays, status }) =>
        stays && status === 'failed'
          ? `${error!.message}; the file of ${dayOf(stays.date)} stays, ${counted(stays.ageDays, 'day')} old`
          : error!.message,
    )
    const lines = [...alike].map(([message, [first, ...others]]) => {
      const more = others.length > 0 ? ` and ${others.length} more` : ''
      return `${first!.path}${more}: ${message}${first!.attempts > 1 ? ` (${first!.attempts} attempts)` : ''}`
    })
    return error ? [`${title}: ${error.message}`, ...lines] : lines
  })
}
