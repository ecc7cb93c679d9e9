/** Identifier parameters, in every accepted form (rule 1). */
import { type CveId, parseCveId } from '../../model/ids/cve-id.ts'
import { DATE_BOUND_FORM, type DateBound, untilMs } from '../../model/values/date-bound.ts'
import { invalidParameter } from '../errors.ts'
import { date } from './date.ts'
import { type JsonSchema, type ParameterType, parameterType, refuse } from './parameter.ts'

const CVE_PATTERN = '^[Cc][Vv][Ee]-\\d{4}-\\d{4,19}$'
const CVE_FORM = 'a CVE id such as CVE-2024-3400'

/** The value is in upper case. */
export function cveId(): ParameterType<CveId, 'optional'> {
  return parameterType({ type: 'string', pattern: CVE_PATTERN }, readCveId)
}

/** Separated by commas; the order is kept, duplicates are removed (API 9.10). */
export function cveIds({ max }: { max: number }): ParameterType<CveId[], 'optional'> {
  const schema = { type: 'array', items: { type: 'string', pattern: CVE_PATTERN }, minItems: 1, maxItems: max }
  const once = (given: readonly CveId[], name: string) => {
    const ids = [...new Set(given)]
    if (ids.length > max) {
      throw invalidParameter(name, `parameter '${name}' takes at most ${max} CVE ids, not ${ids.length}`)
    }
    return ids
  }
  const read = (text: string, name: string) =>
    once(
      text.split(',').map((part) => readCveId(part.trim(), name)),
      name,
    )
  return { ...parameterType(schema, read), union: (some, more, name) => once([...some, ...more], name) }
}

/** `79` or `CWE-79`, in any case; the value is `cwe-79`. */
export function cweId(): ParameterType<`cwe-${string}`, 'optional'> {
  return catalogId('CWE')
}

/** `66` or `CAPEC-66`, in any case; the value is `capec-66`. */
export function capecId(): ParameterType<`capec-${string}`, 'optional'> {
  return catalogId('CAPEC')
}

/** The id of a snapshot or its first digits, in lower case; or a time. */
export type SnapshotChoice = string | DateBound

const SNAPSHOT_PATTERN = '^[0-9A-Fa-f]{7,64}$'

/** The id of a snapshot (64 hexadecimal digits) or at least its first 7; or a day or instant (rule 4). */
export function snapshotOrDate(): ParameterType<SnapshotChoice, 'optional'> {
  const dates = date()
  const schema = { type: 'string', anyOf: [{ pattern: SNAPSHOT_PATTERN }, ...(dates.schema.anyOf as JsonSchema[])] }
  return parameterType(schema, (text, name) => {
    if (new RegExp(SNAPSHOT_PATTERN).test(text)) return text.toLowerCase()
    // It gets the error for dates.
    if (/^\d{4}-/.test(text)) return dates.read(text, name)
    const allowed = `the id of a snapshot (64 hexadecimal digits, or its first 7 or more), or ${DATE_BOUND_FORM}`
    throw refuse(name, text, allowed)
  })
}

/** As `snapshotOrDate`. A day means its last moment. */
export function snapshotAt(): ParameterType<SnapshotChoice, 'optional'> {
  const { schema, read } = snapshotOrDate()
  return parameterType(schema, (text, name) => {
    const choice = read(text, name)
    return typeof choice === 'string' ? choice : { kind: 'instant', ms: untilMs(choice) }
  })
}

function readCveId(text: string, name: string): CveId {
  const id = parseCveId(text)
  if (id === null) throw refuse(name, text, CVE_FORM)
  return id
}

function catalogId<C extends 'CWE' | 'CAPEC'>(catalog: C): ParameterType<`${Lowercase<C>}-${string}`, 'optional'> {
  const lower = catalog.toLowerCase() as Lowercase<C>
  const prefix = [...catalog].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('')
  const pattern = new RegExp(`^(?:${prefix}-)?(0|[1-9]\\d{0,18})$`)
  return parameterType({ type: 'string', pattern: pattern.source }, (text, name) => {
    const digits = pattern.exec(text)?.[1]
    if (digits === undefined) throw refuse(name, text, `of the form 79, ${catalog}-79 or ${lower}-79`)
    return `${lower}-${digits}` as const
  })
}
