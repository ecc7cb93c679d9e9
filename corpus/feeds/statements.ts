/** Reads values that several feeds state in the same form: dates, descriptions by language, CVSS objects. */
import type { CvssClaim, RecordNote } from '../model/claim.ts'
import { severityOf } from '../model/scores/cvss.ts'
import { utcTimestamp } from '../model/values/date.ts'
import { isObject, objects, shown, statedText, text } from './json.ts'
import { addNote } from './notes.ts'

/** The date of records without one, when a date is required: the epoch. */
export const NO_DATE = new Date(0).toISOString()

/** Returns a time in UTC. An impossible time is null and noted (rule 29). */
export function readDate(value: unknown, where: string, notes: RecordNote[]): string | null {
  const stated = text(value)
  if (stated === null) return null
  const timestamp = utcTimestamp(stated)
  if (timestamp === null) addNote(notes, { code: 'date-impossible', detail: `${where} ${shown(stated)}` })
  return timestamp
}

/** Returns the first English description (`en`, `en-US`, `eng`), otherwise the first one (rule 29). */
export function firstEnglish(descriptions: unknown): string | null {
  let first: string | null = null
  for (const { lang, value } of objects(descriptions)) {
    const description = statedText(value)
    if (description === null) continue
    if (typeof lang === 'string' && /^en(?:g|[-_].*)?$/i.test(lang)) return description
    first ??= description
  }
  return first
}

const SEVERITIES = new Set(['NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])

/** Returns a CVSS object in FIRST's JSON form. Without vector or score it returns null and adds a note. */
export function readCvss(stated: unknown, version: CvssClaim['version'], notes: RecordNote[]): CvssClaim | null {
  const vector = isObject(stated) ? text(stated.vectorString) : null
  const score = isObject(stated) ? stated.baseScore : null
  if (!isObject(stated) || vector === null || typeof score !== 'number' || !(score >= 0 && score <= 10)) {
    addNote(notes, {
      code: 'cvss-unreadable',
      detail: `CVSS ${version} without vector or score of 0 to 10: ${shown(stated)}`,
    })
    return null
  }
  const band = severityOf(score, version).toUpperCase()
  const severity = text(stated.baseSeverity)?.toUpperCase() ?? band
  if (severity !== band) {
    addNote(notes, {
      code: 'severity-differs-from-score',
      detail: `CVSS ${version} ${score} is ${band}, stated ${severity}`,
    })
  }
  return {
    version,
    baseScore: score,
    baseSeverity: SEVERITIES.has(severity) ? severity : band,
    vector,
    statedAt: null,
    scoredBy: null,
  }
}
