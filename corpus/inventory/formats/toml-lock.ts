/** `Cargo.lock` of Cargo, and lock files in TOML with a table for each package. */
import { parse, TomlError } from 'smol-toml'
import type { JsonObject } from '../../model/values/json-value.ts'
import { assertToml } from '../bounds.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { namedObjects } from './json.ts'
import { linesOf } from './text.ts'

/** Packages of the project itself have no source. */
export function parseCargoLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packagesOf(text)) {
    if (entry.source === undefined) found.skip(name, 'local', line)
    else found.add('crates.io', name, entry.version, { line })
  }
  return found
}

const HEADER = /^\s*\[\[\s*(\w+)\s*\]\]/

/** Returns the tables `[[package]]`, or of another key, each with its name and line. @throws FormatError, BoundError */
export function packagesOf(text: string, key = 'package', root = parseToml(text)) {
  // A project without dependencies has no table.
  const packages = root[key] ?? []
  const headers = linesOf(text).flatMap((line, i) => (HEADER.exec(line)?.[1] === key ? [i + 1] : []))
  const isComplete = Array.isArray(packages) && packages.length === headers.length
  const lines = new Map(isComplete ? packages.map((entry, i) => [entry as object, headers[i]!]) : [])
  return namedObjects(key, packages, (entry) => lines.get(entry) ?? null)
}

/** @throws FormatError, BoundError */
export function parseToml(text: string): JsonObject {
  assertToml(text)
  try {
    return parse(text)
  } catch (cause) {
    if (cause instanceof TomlError) {
      // The message contains the lines around the fault.
      const what = cause.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '')
      throw new FormatError(`it is not TOML: ${what}`, cause.line, { cause })
    }
    if (cause instanceof RangeError) throw new FormatError('it is nested too deep', null, { cause })
    throw cause
  }
}
