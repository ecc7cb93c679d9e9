/** Reads EPSS: daily scores in one gzipped CSV (`cve,epss,percentile`). The first line has model version and date. */
import type { EpssScore, PastEpssScore } from '../model/claim.ts'
import { parseCveId } from '../model/ids/cve-id.ts'
import { utcTimestamp } from '../model/values/date.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedSkip } from './feed.ts'
import { dateInName, findFiles } from './files/choice.ts'
import { headOf, readPlain } from './files/plain-file.ts'

export const EPSS_ADAPTER = 1

/** 350,000 lines have about 13 MB. */
const MAX_PLAIN_BYTES = 256 << 20

const HEADER = 'cve,epss,percentile'
/** Editions of the first months have no percentiles. */
const FIRST_HEADER = 'cve,epss'

/** Answers need the date of scores, so a file without a date is an error. */
export function findEpss(feedsFolder: string): FeedFile[] {
  const found = findFiles(
    feedsFolder,
    'epss',
    (entry) => entry.isFile() && /^epss_scores.*\.csv(\.gz)?$/.test(entry.name),
  )
  return found.map(({ path, name }) => {
    const { model, date: stated } = readRelease(path)
    const namedDay = dateInName(name)
    const date = stated ?? namedDay
    if (date === null) {
      throw new FeedError('file_invalid', `${name} has no date in its first line (score_date) or in its name`)
    }
    return { path, name, role: 'baseline', part: '', date, namedDay, version: model, folder: false }
  })
}

/** The first line: `#model_version:v2025.03.14,score_date:2025-08-30T12:55:00Z`. Files before 2022 do not have it. */
function readRelease(path: string): { model: string | null; date: string | null } {
  const line = headOf({ path }).split('\n', 1)[0]!
  const date = /score_date:([^,\s]+)/.exec(line)?.[1]
  return { model: /model_version:([^,\s]+)/.exec(line)?.[1] ?? null, date: date ? utcTimestamp(date) : null }
}

/** Yields the scores in file order. The CSV has neither quotes nor blanks, so lines are split at commas. */
export function readEpss(file: FeedFile): Iterable<({ kind: 'score' } & EpssScore) | FeedSkip> {
  return readLines(file, [HEADER]) as Iterable<({ kind: 'score' } & EpssScore) | FeedSkip>
}

/** As `readEpss`, also for editions without percentiles. */
export function readPastEpss(file: FeedFile): Iterable<({ kind: 'score' } & PastEpssScore) | FeedSkip> {
  return readLines(file, [HEADER, FIRST_HEADER])
}

function* readLines(
  file: FeedFile,
  headers: readonly string[],
): Iterable<({ kind: 'score' } & PastEpssScore) | FeedSkip> {
  const csv = readPlain(file, MAX_PLAIN_BYTES).toString('latin1')
  let line = 0
  let header = ''
  for (let start = 0; start < csv.length; ) {
    const end = csv.indexOf('\n', start)
    const stop = end < 0 ? csv.length : end
    const row = csv.slice(start, csv[stop - 1] === '\r' ? stop - 1 : stop)
    start = stop + 1
    line++
    if (row === '' || row[0] === '#') continue
    if (header === '') {
      if (!headers.includes(row)) {
        throw new FeedError('file_invalid', `${file.name}: line ${line} is not "${HEADER}"`)
      }
      header = row
      continue
    }
    yield readRow(row, line, header === HEADER)
  }
  if (header === '') throw new FeedError('file_invalid', `${file.name} has no line "${HEADER}"`)
}

function readRow(row: string, line: number, hasPercentile: boolean): ({ kind: 'score' } & PastEpssScore) | FeedSkip {
  const fields = row.split(',')
  const cveId = parseCveId(fields[0]!)
  const [score, percentile] = [unitNumber(fields[1]), unitNumber(fields[2])]
  if (cveId && score !== null && (percentile !== null || !hasPercentile) && fields.length === (hasPercentile ? 3 : 2)) {
    return { kind: 'score', cveId, score, percentile }
  }
  const numbers = hasPercentile ? 'two numbers' : 'a number'
  const detail = `line ${line} is not a CVE id and ${numbers} from 0 to 1: ${JSON.stringify(row.slice(0, 80))}`
  return { kind: 'skip', key: cveId ?? `line ${line}`, reason: 'item_invalid', detail }
}

/** Rejects `0x1`, ` 1` and `Infinity`, which `Number` accepts. */
const NUMBER = /^(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?$/i

function unitNumber(text: string | undefined): number | null {
  const number = text && NUMBER.test(text) ? Number(text) : Number.NaN
  return number >= 0 && number <= 1 ? number : null
}
