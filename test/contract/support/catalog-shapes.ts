/** Shapes that the two catalogs share, and how a test reads an element of their XML. */
import { type Is, integer, listOf, matching, nullable, object, string } from './field-types.ts'
import { childrenOf, type XmlElement } from './sample-feeds.ts'

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
