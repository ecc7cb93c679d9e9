/** OpenVEX 0.2.0, and 0.0.x with texts as vulnerability and products. */
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from '../formats/json.ts'
import {
  listOf,
  optionalText,
  optionalTexts,
  optionalTime,
  Products,
  requiredText,
  type StatedFacts,
} from './fields.ts'
import { VEX_STATUSES, type VexStatus } from './statement.ts'

/**
 * Statements of a product with subcomponents are about these packages. The product itself is not compared: a lock file
 * does not name it.
 * @throws FormatError
 */
export function openVexStatements({ root, lineOf }: JsonFile): StatedFacts[] {
  const issuedAt = optionalTime(root, 'timestamp', 1)
  return listOf(root, 'statements', lineOf, 1).map(({ entry, line }) => {
    const products = new Products()
    // They may be in a document around this one, which is not read.
    for (const product of itemsOf(entry, 'products', line)) addProduct(products, product, line)
    return {
      line,
      status: statusOf(entry, line),
      ids: idsOf(entry, line),
      ...products,
      justification: optionalText(entry, 'justification', line),
      reason:
        optionalText(entry, 'impact_statement', line) ??
        optionalText(entry, 'action_statement', line) ??
        optionalText(entry, 'status_notes', line),
      statedAt: optionalTime(entry, 'last_updated', line) ?? optionalTime(entry, 'timestamp', line) ?? issuedAt,
    }
  })
}

function statusOf(entry: JsonObject, line: number | null): VexStatus {
  const status = VEX_STATUSES.find((one) => one === entry.status)
  if (status) return status
  throw new FormatError(`'status' is none of ${VEX_STATUSES.join(', ')}`, line)
}

function idsOf({ vulnerability }: JsonObject, line: number | null): string[] {
  if (typeof vulnerability === 'string') return [vulnerability]
  if (!isObject(vulnerability)) throw new FormatError("'vulnerability' is not a JSON object", line)
  const name = requiredText(vulnerability, 'name', "'vulnerability' has no 'name'", line)
  return [name, ...optionalTexts(vulnerability, 'aliases', line)]
}

/** Texts are ids. */
function itemsOf(object: JsonObject, key: string, line: number | null): JsonObject[] {
  const list = object[key] ?? []
  if (!Array.isArray(list)) throw new FormatError(`'${key}' is not a list`, line)
  return list.map((one: unknown) => {
    if (typeof one === 'string') return { '@id': one }
    if (isObject(one)) return one
    throw new FormatError(`an entry of '${key}' is not a JSON object`, line)
  })
}

function addProduct(products: Products, product: JsonObject, line: number | null): void {
  const parts = itemsOf(product, 'subcomponents', line)
  for (const one of parts.length > 0 ? parts : [product]) {
    const id = optionalText(one, '@id', line)
    const identifiers = isObject(one.identifiers) ? one.identifiers : {}
    const purl = optionalText(identifiers, 'purl', line) ?? (id !== null && /^pkg:/i.test(id) ? id : null)
    products.add(purl, id ?? 'a product')
  }
}
