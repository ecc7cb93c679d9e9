/** Fields of files with decisions. What is missing or has another type is an error: no statement is left out. */
import { utcTimestamp } from '../../model/values/date.ts'
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from '../formats/json.ts'
import { type PackagePattern, patternOfPurl } from './package-pattern.ts'
import type { Statement } from './statement.ts'

/** A statement of one file. What is absent is null or empty. */
export type StatedFacts = Pick<Statement, 'line' | 'status' | 'ids' | 'packages'> & Partial<Omit<Statement, 'file'>>

const NOTHING_STATED = { notCompared: [], justification: null, reason: null, until: null, statedAt: null }

export const statementOf = (file: string, stated: StatedFacts): Statement => ({ ...NOTHING_STATED, file, ...stated })

type LineOf = JsonFile['lineOf']

/**
 * Returns the objects of a list.
 * @throws FormatError if the value is no list of objects
 */
export function listOf(
  object: JsonObject,
  key: string,
  lineOf: LineOf,
  line = lineOf(object),
): { entry: JsonObject; line: number | null }[] {
  const list = object[key]
  if (!Array.isArray(list)) throw new FormatError(`'${key}' is not a list`, line)
  return list.map((entry: unknown) => {
    if (!isObject(entry)) throw new FormatError(`an entry of '${key}' is not a JSON object`, lineOf(list) ?? line)
    return { entry, line: lineOf(entry) }
  })
}

/** As `listOf`. Empty if the list is absent. */
export const optionalListOf = (object: JsonObject, key: string, lineOf: LineOf) =>
  object[key] === undefined ? [] : listOf(object, key, lineOf)

/** @throws FormatError with `message` if the value is no text, or blank */
export function requiredText(object: JsonObject, key: string, message: string, line: number | null): string {
  const value = optionalText(object, key, line)
  if (value === null) throw new FormatError(message, line)
  return value
}

/** Null if it is absent or blank. @throws FormatError for another type */
export function optionalText(object: JsonObject, key: string, line: number | null): string | null {
  const value = object[key]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new FormatError(`'${key}' is not a text`, line)
  return value.trim().toWellFormed() || null
}

/** @throws FormatError if it is no list of texts */
export function optionalTexts(object: JsonObject, key: string, line: number | null): string[] {
  const list = object[key] ?? []
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
  throw new FormatError(`'${key}' is not a list of texts`, line)
}

/** Returns ISO 8601 in UTC; null if it is absent. @throws FormatError for no time */
export function optionalTime(object: JsonObject, key: string, line: number | null): string | null {
  const stated = optionalText(object, key, line)
  const time = stated === null ? null : utcTimestamp(stated)
  if (stated !== null && time === null) throw new FormatError(`'${key}' is not a time in ISO 8601`, line)
  return time
}

/** Returns the object, or an empty one if it is absent. @throws FormatError for another type */
export function optionalObject(object: JsonObject, key: string, line: number | null): JsonObject {
  const value = object[key] ?? {}
  if (isObject(value)) return value
  throw new FormatError(`'${key}' is not a JSON object`, line)
}

/** Collects the products of a statement. */
export class Products {
  readonly packages: PackagePattern[] = []
  readonly notCompared: string[] = []

  /** Adds a package. `version` counts if the purl has none. */
  add(purl: string | null, name: string, version: string | null = null): void {
    const pattern = purl === null ? null : patternOfPurl(purl)
    if (pattern !== null) this.packages.push({ ...pattern, version: pattern.version ?? version })
    else this.notCompared.push(purl === null ? `${name} has no purl` : `${purl} names no package of a known ecosystem`)
  }
}
