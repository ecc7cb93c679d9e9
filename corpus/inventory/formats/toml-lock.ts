/** `Cargo.lock` of Cargo and `poetry.lock` of Poetry: TOML with a table `[[package]]` for each package. */
import { parse, TomlError } from 'smol-toml'
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
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

export function parsePoetryLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packagesOf(text)) {
    if (isObject(entry.source) && entry.source.type === 'directory') found.skip(name, 'local', line)
    else found.add('PyPI', name, entry.version, { line, dev: isForDevelopment(entry) })
  }
  return found
}

/** Poetry 2 states the groups of a package, Poetry 1.4 and older a category, those in between neither. */
function isForDevelopment({ groups, category }: JsonObject): boolean | null {
  if (Array.isArray(groups)) return !groups.includes('main')
  return typeof category === 'string' ? category === 'dev' : null
}

function packagesOf(text: string) {
  const root = parseToml(text)
  // A project without dependencies has no table.
  const packages = root.package ?? []
  const headers = linesOf(text).flatMap((line, i) => (/^\s*\[\[\s*package\s*\]\]/.test(line) ? [i + 1] : []))
  const isComplete = Array.isArray(packages) && packages.length === headers.length
  const lines = new Map(isComplete ? packages.map((entry, i) => [entry as object, headers[i]!]) : [])
  return namedObjects('package', packages, (entry) => lines.get(entry) ?? null)
}

function parseToml(text: string): JsonObject {
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
