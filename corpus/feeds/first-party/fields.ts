/** Field types of the operator's lines. Each error states the expected value. */
import { z } from 'zod'
import { parseCveId } from '../../model/ids/cve-id.ts'
import { weaknessId } from '../../model/ids/weakness.ts'
import { utcDate, utcTimestamp } from '../../model/values/date.ts'
import { isObject } from '../../model/values/json-value.ts'
import { shown } from '../json.ts'

/** Defines a field type. `read` returns null for invalid values. */
function kind<T extends object | string | number | boolean>(expected: string, read: (value: unknown) => T | null) {
  return z.unknown().transform((value, context): T => {
    const found = read(value)
    if (found !== null) return found
    const message =
      value === undefined ? `is missing; it must be ${expected}` : `must be ${expected}, not ${shown(value)}`
    context.issues.push({ code: 'custom', input: value, message })
    return z.NEVER
  })
}

/** Rejects lone surrogates, which UTF-8 cannot encode. */
const wellFormed = (value: unknown) => (typeof value === 'string' && value.isWellFormed() ? value : null)

export const text = kind('a string', (value) => wellFormed(value)?.trim() || null)

/** Not trimmed: its length is part of the answer, and blanks can matter in Markdown. */
export const body = kind('a string that is not blank', (value) => {
  const found = wellFormed(value)
  return found?.trim() ? found : null
})

export const flag = kind('true or false', (value) => (typeof value === 'boolean' ? value : null))

export const cveId = kind('a CVE id such as CVE-2024-3400', (value) =>
  typeof value === 'string' ? parseCveId(value.trim()) : null,
)

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const uuid = kind('a UUID such as 7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90', (value) => {
  const id = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return UUID.test(id) ? id : null
})

/** Converted to UTC with milliseconds. */
export const time = kind('a time (RFC 3339) such as 2024-10-24T08:00:00Z', (value) =>
  typeof value === 'string' ? utcTimestamp(value.trim()) : null,
)

/** The UTC day of a date or time. */
export const day = kind('a day such as 2024-10-24', (value) =>
  typeof value === 'string' ? utcDate(value.trim()) : null,
)

const CATALOG_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** `reserved` are the names of catalogs with a feed of their own. */
export const catalogName = (reserved: readonly string[]) =>
  kind(`a name of at most 64 letters, digits, _ and -, and none of ${reserved.join(', ')}`, (value): string | null => {
    const name = typeof value === 'string' ? value.trim().toLowerCase() : ''
    return CATALOG_NAME.test(name) && !reserved.includes(name) ? name : null
  })

export const url = kind('a URL that begins with http:// or https://', (value) => {
  const found = wellFormed(value)?.trim() ?? ''
  return /^https?:\/\//i.test(found) && URL.canParse(found) ? found : null
})

/** Accepts `79`, `CWE-79` and `cwe-79` (rule 1); returns `cwe-79`. */
export const cweId = kind('a CWE id such as CWE-79', (value) => {
  if (typeof value === 'number') return weaknessId(`cwe-${value}`)
  const stated = typeof value === 'string' ? value.trim() : ''
  return weaknessId(/^\d+$/.test(stated) ? `cwe-${stated}` : stated)
})

export const score = kind('a number from 0 to 10 with one decimal', (value) =>
  typeof value === 'number' && value >= 0 && value <= 10 && Number(value.toFixed(1)) === value ? value : null,
)

export const jsonSchema = kind('a JSON Schema: an object', (value) => (isObject(value) ? (value as object) : null))

/** One of a closed set, case-insensitive. */
export function oneOf<const Member extends string>(...members: Member[]) {
  return kind(`one of ${members.map((member) => `"${member}"`).join(', ')}`, (value): Member | null => {
    const stated = typeof value === 'string' ? value.trim().toLowerCase() : null
    return members.find((member) => member.toLowerCase() === stated) ?? null
  })
}

/** An object with only these fields. Null and blank texts count as missing (rule 29). */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ')
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' ? `has unknown fields (${issue.keys}); known fields are ${names}` : undefined
  return z.preprocess(withoutBlanks, z.strictObject(shape, { error }))
}

/** An object with these fields. Ignores others, which the full schema checks. */
export function someFields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutBlanks, z.object(shape))
}

function withoutBlanks(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && !isBlank(one)))
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

/** A list; null when missing or empty. */
export function listOf<Member extends z.ZodType>(member: Member) {
  return z
    .array(member, { error: (issue) => `must be a list, not ${shown(issue.input)}` })
    .optional()
    .transform((members) => (members && members.length > 0 ? members : null))
}

/** A field that may be missing; then it is null. */
export const orNull = <Member extends z.ZodType>(member: Member) =>
  member.optional().transform((value) => value ?? null)
