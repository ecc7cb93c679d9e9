/** EPSS: daily scores, one gzipped CSV (`cve,epss,percentile`) with the model's version and date in its first line. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { constants, gunzipSync } from 'node:zlib'
import type { EpssScore } from '../model/claim.ts'
import { parseCveId } from '../model/cve-id.ts'
import { utcTimestamp } from '../model/date.ts'
import { dateInName, findFiles } from './choice.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedSkip } from './feed.ts'

export const EPSS_ADAPTER = 1

/** 350,000 lines have some 13 MB. */
const MAX_PLAIN_BYTES = 256 << 20
/** Enough of a file to hold its first line. */
const HEAD_BYTES = 4096

const HEADER = 'cve,epss,percentile'

/** Scores without their day cannot be answered with, so a file that has none is refused, not passed over. */
export function findEpss(feedsFolder: string): FeedFile[] {
  const found = findFiles(
    feedsFolder,
    'epss',
    (entry) => entry.isFile() && /^epss_scores.*\.csv(\.gz)?$/.test(entry.name),
  )
  return found.map(({ path, name }) => {
    const { model, date: stated } = readRelease(path)
    const date = stated ?? dateInName(name)
    if (date === null) {
      throw new FeedError('file_invalid', `${name} is dated neither by its first line (score_date) nor by its name`)
    }
    return { path, name, role: 'baseline', part: '', date, version: model, folder: false }
  })
}

/** `#model_version:v2025.03.14,score_date:2025-08-30T12:55:00Z`; files before 2022 do not have the line. */
function readRelease(path: string): { model: string | null; date: string | null } {
  const line = head(path).split('\n', 1)[0]!
  const date = /score_date:([^,\s]+)/.exec(line)?.[1]
  return { model: /model_version:([^,\s]+)/.exec(line)?.[1] ?? null, date: date ? utcTimestamp(date) : null }
}

function head(path: string): string {
  const bytes = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    const read = bytes.subarray(0, readSync(file, bytes))
    return path.endsWith('.gz')
      ? gunzipSync(read, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1')
      : read.toString('latin1')
  } catch {
    // Damaged from the start: its name has to date it, and reading it says what is wrong.
    return ''
  } finally {
    closeSync(file)
  }
}

/** The scores in the file's order. The CSV has neither quotes nor blanks, so a line is split at its commas. */
export function* readEpss(file: FeedFile): Iterable<({ kind: 'score' } & EpssScore) | FeedSkip> {
  const csv = readCsv(file)
  let line = 0
  let headerSeen = false
  for (let start = 0; start < csv.length; ) {
    const end = csv.indexOf('\n', start)
    const stop = end < 0 ? csv.length : end
    const row = csv.slice(start, csv[stop - 1] === '\r' ? stop - 1 : stop)
    start = stop + 1
    line++
    if (row === '' || row[0] === '#') continue
    if (!headerSeen) {
      if (row !== HEADER) throw new FeedError('file_invalid', `${file.name}: line ${line} is not "${HEADER}"`)
      headerSeen = true
      continue
    }
    yield readRow(row, line)
  }
  if (!headerSeen) throw new FeedError('file_invalid', `${file.name} has no line "${HEADER}"`)
}

function readRow(row: string, line: number): ({ kind: 'score' } & EpssScore) | FeedSkip {
  const fields = row.split(',')
  const cveId = parseCveId(fields[0]!)
  const [score, percentile] = [unitNumber(fields[1]), unitNumber(fields[2])]
  if (cveId && score !== null && percentile !== null && fields.length === 3) {
    return { kind: 'score', cveId, score, percentile }
  }
  const detail = `line ${line} is no id and two numbers from 0 to 1: ${JSON.stringify(row.slice(0, 80))}`
  return { kind: 'skip', key: cveId ?? `line ${line}`, reason: 'item_invalid', detail }
}

function unitNumber(text: string | undefined): number | null {
  const number = text ? Number(text) : Number.NaN
  return number >= 0 && number <= 1 ? number : null
}

function readCsv(file: FeedFile): string {
  try {
    const bytes = readFileSync(file.path)
    const plain = file.path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_PLAIN_BYTES }) : bytes
    return plain.toString('latin1')
  } catch (cause) {
    throw new FeedError('file_damaged', `${file.name} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
