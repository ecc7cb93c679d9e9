/** What records of different feeds state in the same form: dates, descriptions by language, CVSS objects. */
import type { CvssClaim, RecordNote } from '../model/claim.ts'
import { severityOf } from '../model/cvss.ts'
import { utcTimestamp } from '../model/date.ts'
import { isObject, objects, shown, statedText, text } from './json.ts'
import { addNote } from './notes.ts'

/** The date of what gives none but must have one: the epoch says plainly that nobody did. */
export const NO_DATE = new Date(0).toISOString()

/** A time in UTC; one that is stated but impossible is null and noted (rule 29). */
export function readDate(value: unknown, where: string, notes: RecordNote[]): string | null {
  const stated = text(value)
  if (stated === null) return null
  const timestamp = utcTimestamp(stated)
  if (timestamp === null) addNote(notes, { code: 'date-impossible', detail: `${where} ${shown(stated)}` })
  return timestamp
}

/** The first description in any English (`en`, `en-US`, `eng`), else the first (rule 29). */
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

/** A CVSS object in FIRST's JSON form, or null, noted, where it has no vector or no score. */
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
