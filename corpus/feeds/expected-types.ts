/**
 * Compares the types of a record's values with those that its adapter reads. A value of another type counts as missing,
 * so it becomes a defect in the report.
 */
import type { RecordNote } from '../model/claim.ts'
import { isObject, type JsonObject } from '../model/values/json-value.ts'
import { shown } from './json.ts'
import { addNote } from './statements.ts'

/** A type, the fields of an object, or a list of objects with these fields. The adapter does not read `any`. */
export type ExpectedType = 'any' | 'text' | 'number' | 'boolean' | 'texts' | ExpectedFields | readonly [ExpectedFields]

/** Marks an object whose other fields are defects too, except extensions (`x_…`). */
export const CLOSED = Symbol('closed')

export interface ExpectedFields {
  readonly [field: string]: ExpectedType
  readonly [CLOSED]?: true
}

/** Adds a note for each value of another type, and for each unknown field of a closed object. Null counts as missing. */
export function noteTypes(json: JsonObject, expected: ExpectedFields, notes: RecordNote[], path = ''): void {
  for (const [name, value] of Object.entries(json)) {
    const at = path === '' ? name : `${path}.${name}`
    if (Object.hasOwn(expected, name)) {
      if (value !== null) noteType(value, expected[name]!, notes, at)
    } else if (expected[CLOSED] && !name.startsWith('x_')) {
      addNote(notes, { code: 'field-unknown', detail: `${at}: ${shown(value)}` })
    }
  }
}

const SCALARS = {
  text: ['string', 'a text'],
  number: ['number', 'a number'],
  boolean: ['boolean', 'a boolean'],
} as const

function noteType(value: unknown, type: ExpectedType, notes: RecordNote[], at: string): void {
  const noteWrong = (what: string, found: unknown = value, where = at) =>
    addNote(notes, { code: 'type-wrong', detail: `${where} is not ${what}: ${shown(found)}` })
  if (type === 'any') return
  if (type === 'text' || type === 'number' || type === 'boolean') {
    const [expected, what] = SCALARS[type]
    if (typeof value !== expected) noteWrong(what)
  } else if (type === 'texts' || isList(type)) {
    if (!Array.isArray(value)) noteWrong('a list')
    else {
      for (const [index, member] of value.entries()) {
        const where = `${at}[${index}]`
        if (type === 'texts') {
          if (typeof member !== 'string') noteWrong('a text', member, where)
        } else if (isObject(member)) noteTypes(member, type[0], notes, where)
        else noteWrong('an object', member, where)
      }
    }
  } else if (isObject(value)) noteTypes(value, type, notes, at)
  else noteWrong('an object')
}

const isList = (type: ExpectedFields | readonly [ExpectedFields]): type is readonly [ExpectedFields] =>
  Array.isArray(type)
