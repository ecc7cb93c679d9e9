/** CSAF 2.0 and 2.1: the `product_status` of each vulnerability, and the purls of the product tree. */
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { assertCount, MAX_ENTRIES } from '../bounds.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from '../formats/json.ts'
import {
  listOf,
  optionalListOf,
  optionalObject,
  optionalText,
  optionalTexts,
  optionalTime,
  Products,
  type StatedFacts,
} from './fields.ts'
import type { VexStatus } from './statement.ts'

/** CSAF 2.0, 3.2.3.9. `recommended` is advice. */
const LISTS: Readonly<Record<string, VexStatus>> = {
  known_not_affected: 'not_affected',
  fixed: 'fixed',
  first_fixed: 'fixed',
  known_affected: 'affected',
  first_affected: 'affected',
  last_affected: 'affected',
  under_investigation: 'under_investigation',
}

/**
 * Returns a statement for each product and list: justifications and reasons are stated by product.
 * @throws FormatError
 */
export function csafStatements({ root, lineOf }: JsonFile): StatedFacts[] {
  const tracking = optionalObject(optionalObject(root, 'document', 1), 'tracking', 1)
  const statedAt = optionalTime(tracking, 'current_release_date', 1)
  const tree = optionalObject(root, 'product_tree', 1)
  const purls = purlsByProduct(tree)
  let named = 0
  return listOf(root, 'vulnerabilities', lineOf, 1).flatMap(({ entry, line }) => {
    const ids = idsOf(entry, lineOf)
    if (ids.length === 0) throw new FormatError("an entry of 'vulnerabilities' has neither 'cve' nor 'ids'", line)
    const lists = optionalObject(entry, 'product_status', line)
    const notes = notesByProduct(entry, tree)
    return Object.entries(LISTS).flatMap(([key, status]) =>
      optionalTexts(lists, key, line).map((product): StatedFacts => {
        const products = new Products()
        const stated = purls.get(product) ?? []
        named += stated.length + 1
        assertCount(named, MAX_ENTRIES, 'products of vulnerabilities')
        for (const purl of stated) products.add(purl, product)
        if (stated.length === 0) products.add(null, `the product ${product}`)
        const { flag = null, impact = null, remedy = null } = notes.get(product) ?? {}
        const justification = status === 'not_affected' ? flag : null
        return {
          line,
          status,
          ids,
          ...products,
          justification,
          reason: status === 'affected' ? remedy : impact,
          statedAt,
        }
      }),
    )
  })
}

function idsOf(vulnerability: JsonObject, lineOf: JsonFile['lineOf']): string[] {
  const others = optionalListOf(vulnerability, 'ids', lineOf)
  const cve = optionalText(vulnerability, 'cve', lineOf(vulnerability))
  return [
    ...(cve === null ? [] : [cve]),
    ...others.flatMap(({ entry, line }) => optionalText(entry, 'text', line) ?? []),
  ]
}

interface Notes {
  /** The label of a flag. */
  flag?: string
  /** The details of a threat with the category `impact`. */
  impact?: string
  /** The details of a remediation. */
  remedy?: string
}

function notesByProduct(vulnerability: JsonObject, tree: JsonObject): Map<string, Notes> {
  const groups = new Map(objects(tree.product_groups).map((one) => [text(one.group_id), texts(one.product_ids)]))
  const found = new Map<string, Notes>()
  let named = 0
  const note = (list: unknown, key: keyof Notes, stated: (one: JsonObject) => string | null) => {
    for (const one of objects(list)) {
      const value = stated(one)
      if (value === null) continue
      const members = texts(one.group_ids).flatMap((id) => groups.get(id) ?? [])
      named += members.length
      assertCount(named, MAX_ENTRIES, 'products of groups')
      for (const product of new Set([...texts(one.product_ids), ...members]))
        found.set(product, { [key]: value, ...found.get(product) })
    }
  }
  note(vulnerability.flags, 'flag', ({ label }) => text(label))
  note(vulnerability.threats, 'impact', ({ category, details }) => (category === 'impact' ? text(details) : null))
  note(vulnerability.remediations, 'remedy', ({ details }) => text(details))
  return found
}

/** The purls of each product id. A product that is part of another (`relationships`) has those of the part. */
function purlsByProduct(tree: JsonObject): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (product: unknown) => {
    if (!isObject(product) || typeof product.product_id !== 'string') return
    const helper = isObject(product.product_identification_helper) ? product.product_identification_helper : {}
    // 2.1 has a list.
    found.set(product.product_id, [...texts([helper.purl]), ...texts(helper.purls)])
  }
  const waiting = [...objects(tree.branches)]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    add(one.product)
    for (const inner of objects(one.branches)) waiting.push(inner)
  }
  for (const product of objects(tree.full_product_names)) add(product)
  const relationships = objects(tree.relationships)
  for (const { full_product_name } of relationships) add(full_product_name)
  for (const { full_product_name: whole, product_reference: part } of relationships) {
    const id = isObject(whole) ? text(whole.product_id) : null
    if (id !== null && (found.get(id) ?? []).length === 0) found.set(id, found.get(text(part) ?? '') ?? [])
  }
  return found
}
