/**
 * `vulnshelf.ignore.json`: findings that a project accepts, each with its reason.
 *
 *     { "ignore": [{ "id": "CVE-2024-3400", "package": "npm/lodash", "reason": "…", "until": "2027-01-31" }] }
 */
import { utcDate } from '../../model/values/date.ts'
import type { JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import type { JsonFile } from '../formats/json.ts'
import { listOf, requiredText, type StatedFacts } from './fields.ts'
import { patternOf, patternText } from './package-pattern.ts'
import type { Statement } from './statement.ts'

export const IGNORE_FILE_NAME = 'vulnshelf.ignore.json'

/** An entry as the file has it. */
export interface IgnoreEntry {
  id: string
  package?: string
  reason: string
  /** `YYYY-MM-DD` */
  until?: string
}

/** Returns the entry of a statement of an ignore file. */
export const entryOf = ({ ids, packages, reason, until }: Statement): IgnoreEntry => ({
  id: ids[0]!,
  ...(packages === null ? {} : { package: patternText(packages[0]!) }),
  reason: reason!,
  ...(until === null ? {} : { until }),
})

/** Equal for entries about the same id in the same package. */
export const entryKey = ({ id, package: named = '' }: IgnoreEntry): string => JSON.stringify([id.toLowerCase(), named])

/** Returns the file of these entries. */
export const ignoreFileText = (ignore: readonly IgnoreEntry[]): string => `${JSON.stringify({ ignore }, null, 2)}\n`

const KEYS = ['id', 'package', 'reason', 'until']

/** @throws FormatError */
export function ignoreEntries({ root, lineOf }: JsonFile): StatedFacts[] {
  // Editors read it.
  assertKeys(root, ['$schema', 'ignore'], 'the file', 1)
  return listOf(root, 'ignore', lineOf, 1).map(({ entry, line }, i) => {
    const what = `entry ${i + 1} of 'ignore'`
    assertKeys(entry, KEYS, what, line)
    const id = requiredText(entry, 'id', `${what} names no vulnerability: set "id", such as "CVE-2024-3400"`, line)
    const reason = requiredText(entry, 'reason', `${what} (${id}) has no reason: set "reason"`, line)
    return {
      ...{ line, status: 'ignored', ids: [id], reason },
      packages: packagesOf(entry, `${what} (${id})`, line),
      until: untilOf(entry, `${what} (${id})`, line),
    }
  })
}

/** A misspelled key would make an entry count for more than it should. */
function assertKeys(object: JsonObject, known: readonly string[], what: string, line: number | null): void {
  const key = Object.keys(object).find((one) => !known.includes(one))
  if (key === undefined) return
  throw new FormatError(`${what} has the unknown key '${key}'; known keys are ${known.join(', ')}`, line)
}

function packagesOf(entry: JsonObject, what: string, line: number | null) {
  if (entry.package === undefined) return null
  const form = '"package" must be <ecosystem>/<name>, such as "npm/lodash", or a purl'
  const pattern = patternOf(requiredText(entry, 'package', `${what}: ${form}`, line))
  if (pattern === null) throw new FormatError(`${what}: ${form}, of a known ecosystem`, line)
  return [pattern]
}

function untilOf(entry: JsonObject, what: string, line: number | null): string | null {
  if (entry.until === undefined) return null
  const { until } = entry
  if (typeof until === 'string' && utcDate(until) === until) return until
  throw new FormatError(`${what}: "until" must be a day, such as "2027-01-31"`, line)
}
