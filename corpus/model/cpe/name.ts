/**
 * Names of products as clients write them: CPE 2.3 formatted strings (NISTIR 7695, section 6.2) and CPE 2.2 URIs
 * (section 6.1). Feeds are read by `affected/cpe.ts`, which accepts every value.
 */
import { CodedError } from '../../errors/coded-error.ts'
import { CPE_ATTRIBUTES, type Cpe, type CpeAttribute } from '../affected/cpe.ts'

/** The message completes "the CPE is invalid: …" and names the attribute. */
export class CpeError extends CodedError<'malformed'> {}

const malformed = (fault: string) => new CpeError('malformed', fault)

/** The logical values (NISTIR 7695, section 5.3.1). */
export const ANY = '*'
export const NOT_APPLICABLE = '-'

/** Names of attributes as the specification writes them. */
export const ATTRIBUTE_NAMES: Record<CpeAttribute, string> = {
  part: 'part',
  vendor: 'vendor',
  product: 'product',
  version: 'version',
  update: 'update',
  edition: 'edition',
  language: 'language',
  swEdition: 'sw_edition',
  targetSw: 'target_sw',
  targetHw: 'target_hw',
  other: 'other',
}

const FORMATTED = 'cpe:2.3:'
const URI = 'cpe:/'

/**
 * Returns the attributes of a name in their canonical form: lower case, and escaped only where the character requires
 * it.
 * @throws CpeError for a malformed name
 */
export function readCpe(text: string): Cpe {
  const start = text.toLowerCase()
  if (start.startsWith(FORMATTED)) return readFormatted(text.slice(FORMATTED.length))
  if (start.startsWith(URI)) return readUri(text.slice(URI.length))
  throw malformed(`it begins neither with '${FORMATTED}' nor with '${URI}'`)
}

/** Splits at colons that no backslash precedes. */
function readFormatted(text: string): Cpe {
  const values: string[] = ['']
  for (const piece of text.match(PIECE) ?? []) {
    if (piece === ':') values.push('')
    else values[values.length - 1] += piece
  }
  const missing = CPE_ATTRIBUTES[values.length]
  if (missing) throw malformed(`attribute '${ATTRIBUTE_NAMES[missing]}' is missing; write '*' for any value`)
  if (values.length > CPE_ATTRIBUTES.length) {
    throw malformed(`${values.length - CPE_ATTRIBUTES.length} attributes follow 'other', the last one`)
  }
  return cpeOf((attribute, i) => formattedValue(values[i]!, attribute))
}

const cpeOf = (read: (attribute: CpeAttribute, index: number) => string): Cpe =>
  checkedPart(Object.fromEntries(CPE_ATTRIBUTES.map((attribute, i) => [attribute, read(attribute, i)])) as Cpe)

function checkedPart(cpe: Cpe): Cpe {
  if (!/^[aoh*-]$/.test(cpe.part)) {
    throw malformed(`attribute 'part' is '${cpe.part}'; it must be 'a', 'o', 'h', '*' or '-'`)
  }
  return cpe
}

/** Characters of a value, an escape with its backslash. */
const PIECE = /\\.|./gsu

function formattedValue(value: string, attribute: CpeAttribute): string {
  const name = ATTRIBUTE_NAMES[attribute]
  if (value === '') throw malformed(`attribute '${name}' is empty; write '*' for any value`)
  if (value === ANY || value === NOT_APPLICABLE) return value
  const { before, body, after } = wildcardsOf(value)
  for (const piece of body.match(PIECE) ?? []) {
    const fault = pieceFault(piece)
    if (fault !== null) throw malformed(`attribute '${name}' ${fault}`)
  }
  return before + canonicalBody(body) + after
}

function pieceFault(piece: string): string | null {
  if (piece === '*' || piece === '?') return `has '${piece}' within its value; a wildcard must be at an end`
  if (piece === '\\') return 'ends in a backslash'
  if (piece.length > 1 && piece[0] === '\\') {
    return /^\\[!-/:-@[-`{-~]$/.test(piece) ? null : `escapes '${piece.slice(1)}', which is no punctuation mark`
  }
  if (/^[\w.-]$/.test(piece)) return null
  if (/^[!-~]$/.test(piece)) return `has an unescaped '${piece}'; write '\\${piece}'`
  return /\s/.test(piece) ? "has a blank; write '_'" : `has the character '${piece}', which CPE does not allow`
}

/** Wildcards at the ends (one `*`, or any number of `?`), and the literal text between them, with its escapes. */
export function wildcardsOf(value: string): { before: string; body: string; after: string } {
  const pieces = value.match(PIECE) ?? []
  const count = (list: readonly string[]) => {
    if (list[0] === '*') return 1
    const literal = list.findIndex((piece) => piece !== '?')
    return literal < 0 ? list.length : literal
  }
  const start = count(pieces)
  const end = pieces.length - count(pieces.slice(start).reverse())
  return {
    before: pieces.slice(0, start).join(''),
    body: pieces.slice(start, end).join(''),
    after: pieces.slice(end).join(''),
  }
}

/** Returns whether a value contains an unescaped wildcard. `*` alone is ANY. */
export function hasWildcard(value: string): boolean {
  if (value === ANY) return false
  if (!/[*?]/.test(value)) return false
  const { before, after } = wildcardsOf(value)
  return before !== '' || after !== ''
}

/** Returns the value of an attribute of a feed, in the form in which `readCpe` returns it. */
export function canonicalValue(value: string): string {
  if (value === ANY || value === NOT_APPLICABLE) return value
  const { before, body, after } = wildcardsOf(value)
  return before + canonicalBody(body) + after
}

/** Returns plain text as the value of an attribute. */
export const attributeValue = (text: string): string => canonicalBody(text.trim().replace(/[^\w.-]/gsu, '\\$&'))

/** Letters, digits, `_`, `.` and `-` need no escape. A hyphen alone is not the logical value. */
function canonicalBody(body: string): string {
  const text = body.toLowerCase().replace(/\\([\w.-])/g, '$1')
  return text === NOT_APPLICABLE ? '\\-' : text
}

const URI_ATTRIBUTES = CPE_ATTRIBUTES.slice(0, 7)
const PACKED = ['edition', 'swEdition', 'targetSw', 'targetHw', 'other'] as const

/** Absent and empty components mean any value. */
function readUri(text: string): Cpe {
  const components = text.split(':')
  if (components.length > URI_ATTRIBUTES.length) {
    throw malformed(`${components.length - URI_ATTRIBUTES.length} attributes follow 'language', the last one of a URI`)
  }
  const stated = new Map<CpeAttribute, string>(URI_ATTRIBUTES.map((attribute, i) => [attribute, components[i] ?? '']))
  const edition = stated.get('edition')!
  if (edition.startsWith('~')) {
    const parts = edition.slice(1).split('~')
    if (parts.length !== PACKED.length) {
      throw malformed(`attribute 'edition' has ${parts.length} packed values instead of ${PACKED.length}`)
    }
    PACKED.forEach((attribute, i) => {
      stated.set(attribute, parts[i]!)
    })
  }
  return cpeOf((attribute) => uriValue(stated.get(attribute) ?? '', attribute))
}

/** `%01` is `?` and `%02` is `*`. Punctuation that should be percent-encoded is accepted. */
function uriValue(component: string, attribute: CpeAttribute): string {
  const name = ATTRIBUTE_NAMES[attribute]
  if (component === '') return ANY
  if (component === NOT_APPLICABLE) return component
  const pieces = component.match(/%[\da-f]{2}|./gisu) ?? []
  const value = pieces.map((piece) => {
    if (piece === '%01') return '?'
    if (piece === '%02') return '*'
    if (piece === '%') throw malformed(`attribute '${name}' has a '%' that two hexadecimal digits do not follow`)
    if (piece === '*' || piece === '?') {
      throw malformed(`attribute '${name}' has '${piece}'; write ${piece === '*' ? '%02' : '%01'}`)
    }
    const char = piece.length === 3 ? String.fromCharCode(Number.parseInt(piece.slice(1), 16)) : piece
    return /^[!-/:-@[-`{-~]$/.test(char) && !/^[_.-]$/.test(char) ? `\\${char}` : char
  })
  return formattedValue(value.join(''), attribute)
}

/** Returns a name as a formatted string. */
export function formatCpe(cpe: Cpe): string {
  return FORMATTED + CPE_ATTRIBUTES.map((attribute) => cpe[attribute]).join(':')
}
