/** Parts of the CWE XML. */
import type { TaxonomyMapping } from '../../model/catalog.ts'
import { utcTimestamp } from '../../model/values/date.ts'
import { FeedError } from '../error.ts'
import { blocksOf, plainText, type TextBlock } from './structured-text.ts'
import { attributeOf, childOf, childrenOf, itemsOf, type XmlElement } from './xml.ts'

export interface CatalogHead {
  version: string
  /** ISO 8601 in UTC. */
  date: string
}

/**
 * Returns the head from the root element.
 * @throws FeedError when version or date is missing
 */
export function readHead(root: XmlElement, fileName: string): CatalogHead {
  const version = attributeOf(root, 'Version')
  const date = utcTimestamp(attributeOf(root, 'Date') ?? '')
  if (version === null || date === null) {
    throw new FeedError('file_invalid', `${fileName} has no Version or no valid Date`)
  }
  return { version, date }
}

/** Maximum characters of a value in an error. */
const MAX_SHOWN = 80

/**
 * Returns a required number attribute.
 * @throws FeedError `item_invalid`
 */
export function numberOf(element: XmlElement, name: string): number {
  const value = attributeOf(element, name)
  if (value === null || !/^[1-9]\d{0,6}$/.test(value)) {
    const stated = value?.slice(0, MAX_SHOWN) ?? 'it is missing'
    throw new FeedError('item_invalid', `${name} of ${element.name} is not a number from 1: ${stated}`)
  }
  return Number(value)
}

export function required(element: XmlElement, name: string): string {
  const value = attributeOf(element, name)
  if (value === null) throw new FeedError('item_invalid', `${element.name} has no ${name}`)
  return value
}

export function blocksIn(element: XmlElement, name: string): TextBlock[] {
  return blocksOf(childOf(element, name)?.children ?? [])
}

/** Returns the whole text of a child element; null when it is empty or missing. */
export function textOf(element: XmlElement, name: string): string | null {
  return plainText(blocksIn(element, name))
}

export function textsOf(element: XmlElement, name: string): string[] {
  return childrenOf(element, name).flatMap(({ children }) => plainText(blocksOf(children)) ?? [])
}

export function readTaxonomyMappings(element: XmlElement): TaxonomyMapping[] {
  return itemsOf(element, 'Taxonomy_Mappings', 'Taxonomy_Mapping').map((mapping) => ({
    taxonomy: attributeOf(mapping, 'Taxonomy_Name') ?? '',
    entry_name: textOf(mapping, 'Entry_Name'),
    entry_id: textOf(mapping, 'Entry_ID'),
    fit: textOf(mapping, 'Mapping_Fit'),
  }))
}

/** `Submission_Date`, `Modification_Date`, `Contribution_Date`. Excludes release dates of changes. */
const CHANGE_DATE = /^[A-Z][a-z]+_Date$/

/** Returns when the entry was last changed, from its history. */
export function newestChange(element: XmlElement): string | null {
  const changes = childOf(element, 'Content_History')?.children ?? []
  const dates = changes.flatMap((change) => {
    if (typeof change === 'string') return []
    return change.children.flatMap((node) => {
      if (typeof node === 'string' || !CHANGE_DATE.test(node.name)) return []
      return utcTimestamp(plainText(blocksOf(node.children)) ?? '') ?? []
    })
  })
  return dates.sort().at(-1) ?? null
}
