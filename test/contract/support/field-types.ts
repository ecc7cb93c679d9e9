/** Checks of the type of a field, and how tests read the XML of the catalogs. */
import * as assert from 'uvu/assert'
import { childrenOf, type XmlElement } from './sample-feeds.ts'

export type Is = (value: unknown) => boolean

export const string: Is = (value) => typeof value === 'string'
export const boolean: Is = (value) => typeof value === 'boolean'
export const number: Is = (value) => typeof value === 'number' && Number.isFinite(value)
export const integer: Is = (value) => Number.isInteger(value)
export const onlyNull: Is = (value) => value === null
/** 0 to 1. */
export const fraction: Is = (value) => typeof value === 'number' && value >= 0 && value <= 1

/** ISO 8601 in UTC, a moment that exists. */
export const timestamp: Is = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
  new Date(value).toISOString().startsWith(value.slice(0, 19))

/** `YYYY-MM-DD`, a day that exists. */
export const day: Is = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toISOString().startsWith(value)

export const matching =
  (pattern: RegExp): Is =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

export const oneOf =
  (...values: readonly unknown[]): Is =>
  (value) =>
    values.includes(value)

export const nullable =
  (is: Is): Is =>
  (value) =>
    value === null || is(value)

export const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is)

/** An object with these fields and no other, but those of `optional`. */
export const object =
  (fields: Record<string, Is>, optional: Record<string, Is> = {}): Is =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const given = value as Record<string, unknown>
    return (
      Object.entries(fields).every(([name, is]) => Object.hasOwn(given, name) && is(given[name])) &&
      Object.entries(given).every(([name, one]) => Object.hasOwn(fields, name) || optional[name]?.(one) === true)
    )
  }

/** All of `items`, of which there are some, have the field, and it is of this type in each. */
export function expectField(items: readonly object[], name: string, is: Is): void {
  assert.ok(items.length > 0, `there is nothing with ${name} to look at`)
  for (const item of items) {
    assert.ok(Object.hasOwn(item, name), `${name} is missing in ${shown(item)}`)
    const value = (item as Record<string, unknown>)[name]
    assert.ok(is(value), `${name} is ${shown(value)} in ${shown(item)}`)
  }
}

/** The same for a field that may be null, and is so in some of the items and not in others. */
export function expectNullable(items: readonly object[], name: string, is: Is): void {
  expectField(items, name, nullable(is))
  const values = items.map((item) => (item as Record<string, unknown>)[name])
  assert.ok(values.includes(null), `${name} is never null`)
  assert.ok(
    values.some((value) => value !== null),
    `${name} is always null`,
  )
}

/** Every one of these values is met, and no other. */
export function expectValues(values: readonly unknown[], expected: readonly unknown[]): void {
  assert.equal([...new Set(values)].sort(), [...expected].sort())
}

/** Each of these values is met; there may be others. */
export function expectSeen(values: readonly unknown[], expected: readonly unknown[]): void {
  const seen = new Set(values)
  for (const value of expected) assert.ok(seen.has(value), `${value} is never met among ${[...seen].slice(0, 40)}`)
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 300) ?? 'undefined'

export const text: Is = matching(/\S/)
export const textOrNull = nullable(text)
export const texts = listOf(text)

export const consequence = object({ scopes: texts, impacts: texts, note: textOrNull })
export const alternateTerm = object({ term: text, description: textOrNull })
export const taxonomyMapping = object({ taxonomy: text, entry_name: textOrNull, entry_id: textOrNull, fit: textOrNull })
export const executionStep = object({
  step: integer,
  phase: textOrNull,
  description: textOrNull,
  techniques: listOf(string),
})
export const relatedWeakness = object({ id: matching(/^cwe-\d+$/), display: matching(/^CWE-\d+$/), name: string })
export const relatedPattern = object({
  capec_id: matching(/^CAPEC-\d+$/),
  slug: matching(/^capec-\d+$/),
  name: string,
  nature: text,
})

/** The texts of an element's children of a name. */
export const textsOf = (element: XmlElement, name: string): string[] => childrenOf(element, name).map(String)

/** The text of its only child of a name, else null. */
export const textOf = (element: XmlElement, name: string): string | null => textsOf(element, name)[0] ?? null

export const attribute = (element: XmlElement, name: string): string | null => {
  const value = element[`@${name}`]
  return typeof value === 'string' ? value : null
}

/** The last day on which an entry was submitted or modified. */
export function lastChange(element: XmlElement): string {
  const dates = JSON.stringify(element.Content_History).matchAll(/_Date":\["(\d{4}-\d\d-\d\d)"/g)
  return Array.from(dates, ([, date]) => date!)
    .sort()
    .at(-1)!
}
