/** Reads values that several feeds state in the same form: dates, descriptions, CVSS objects, CVE ids. Adds notes. */
import type { CvssClaim, RecordNote } from '../model/claim.ts'
import { type CveId, compareCveIds, parseCveId } from '../model/ids/cve-id.ts'
import { severityOf } from '../model/scores/cvss.ts'
import { baseScore, canonicalVector } from '../model/scores/cvss-vector.ts'
import { utcTimestamp } from '../model/values/date.ts'
import { isObject, objects, text } from '../model/values/json-value.ts'
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
    const description = text(value)
    if (description === null) continue
    if (isEnglish(lang)) return description
    first ??= description
  }
  return first
}

/** Whether a language code is one of English: `en`, `en-US`, `eng`. */
export const isEnglish = (lang: unknown): boolean => typeof lang === 'string' && /^en(?:g|[-_].*)?$/i.test(lang)

const SEVERITIES = new Set(['NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])

/**
 * Returns a CVSS object in FIRST's JSON form, with the vector as stated. A missing or impossible score is computed, if the
 * vector is whole. Returns null without any score. Notes what is missing, impossible or misspelled (rule 18).
 */
export function readCvss(stated: unknown, version: CvssClaim['version'], notes: RecordNote[]): CvssClaim | null {
  const note = (code: RecordNote['code'], detail: string) =>
    addNote(notes, { code, detail: `CVSS ${version} ${detail}` })
  const vector = isObject(stated) ? text(stated.vectorString) : null
  const computed = vector === null ? null : scoreOfStated(vector, version, notes)
  const number = isObject(stated) ? numberOf(stated.baseScore) : null
  const isPossible = number !== null && number >= 0 && number <= 10
  const score = isPossible ? number : computed
  if (!isObject(stated) || score === null) {
    note('cvss-unreadable', `without a score of 0 to 10 and a whole vector: ${shown(stated)}`)
    return null
  }
  if (vector === null) note('cvss-vector-missing', `score ${score} without vector`)
  if (!isPossible) note('cvss-score-computed', `score ${shown(stated.baseScore)}, computed ${score} of ${vector}`)
  const band = severityOf(score, version).toUpperCase()
  const severity = (isPossible && text(stated.baseSeverity)?.toUpperCase()) || band
  if (severity !== band) note('severity-differs-from-score', `${score} is ${band}, stated ${severity}`)
  return {
    version,
    baseScore: score,
    baseSeverity: SEVERITIES.has(severity) ? severity : band,
    vector: vector ?? '',
    statedAt: null,
    scoredBy: null,
  }
}

/** Some sources state the score as text. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Returns the base score of a vector, also of a misspelled one, which it notes. Null if the vector is not whole. */
export function scoreOfStated(vector: string, version: CvssClaim['version'], notes: RecordNote[]): number | null {
  const canonical = canonicalVector(vector, version)
  const scored = baseScore(vector) ?? baseScore(canonical)
  // The case matters only if the vector as stated has no score: values of 4.0 such as `U:Red` have lower-case letters.
  const isClean = baseScore(vector) !== null && canonical.toUpperCase() === vector.toUpperCase()
  if (scored && !isClean) {
    addNote(notes, { code: 'cvss-vector-misspelled', detail: `CVSS ${version} ${shown(vector)}, read as ${canonical}` })
  }
  return scored?.score ?? null
}

/** An http(s) URL; its host may have any characters of a URL. */
const HTTP_URL = /^https?:\/\/[^\s/?#]/i

/** Returns the URL of a reference. What is no http(s) URL is no link: it is null and noted (rule 30). */
export function readUrl(value: unknown, notes: RecordNote[]): string | null {
  const url = text(value)
  if (url === null || (HTTP_URL.test(url) && URL.canParse(url))) return url
  addNote(notes, { code: 'reference-no-url', detail: `reference ${shown(url)} is no http(s) URL` })
  return null
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
