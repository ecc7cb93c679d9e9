/** Reads values that several feeds state in the same form: dates, descriptions, CVSS objects, CVE ids. Adds notes. */
import type { CvssClaim, RecordNote } from '../model/claim.ts'
import { type CveId, compareCveIds, parseCveId } from '../model/ids/cve-id.ts'
import { severityOf } from '../model/scores/cvss.ts'
import { utcTimestamp } from '../model/values/date.ts'
import { isObject, objects, statedText, text } from '../model/values/json-value.ts'
import { shown } from './json.ts'

/** Date for records that state none but need one: the epoch. */
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

/**
 * Maximum notes per item. An item of 32 MiB could have millions, and the corpus stores all notes of a feed in one text.
 */
const MAX_NOTES = 100
const MAX_DETAIL = 200

/** Adds a note, unless the item has too many. Truncates a long detail. */
export function addNote(notes: RecordNote[], { code, detail }: RecordNote): void {
  if (notes.length >= MAX_NOTES) return
  notes.push({ code, detail: detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL).toWellFormed()}…` : detail })
}

/** Year and number in order, with any separators: `CVE-2019–9193`, `CVE-2015- 5698`, `CVE-cve : 2023-30367`. */
const SLIP = /^CVE[^0-9A-Z]+(?:CVE[^0-9A-Z]+)?(\d{4})[^0-9A-Z]+(\d{4,19})[^0-9A-Z]*$/i
const MEANT_AS_CVE = /^CVE\b/i

/**
 * Returns the ids sorted by year and number, without duplicates. Ignores identifiers of other kinds; notes corrected
 * and unreadable ids.
 */
export function readCveIds(identifiers: Iterable<string>, notes: RecordNote[]): CveId[] {
  const found = new Set<CveId>()
  for (const identifier of identifiers) {
    const text = identifier.trim()
    const cveId = parseCveId(text) ?? (MEANT_AS_CVE.test(text) ? mended(text, notes) : null)
    if (cveId) found.add(cveId)
  }
  return [...found].sort(compareCveIds)
}

function mended(text: string, notes: RecordNote[]): CveId | null {
  const [, year, number] = SLIP.exec(text) ?? []
  const cveId = year && number ? parseCveId(`CVE-${year}-${number}`) : null
  addNote(
    notes,
    cveId
      ? { code: 'cve-id-mended', detail: `${shown(text)} is read as ${cveId}` }
      : { code: 'cve-id-unreadable', detail: `${shown(text)} names no CVE` },
  )
  return cveId
}
