/** `Manifest.toml` of Julia, formats 1 and 2: a list of entries for each name. Several packages can have one name. */
import { shortened } from '../../command/format.ts'
import { isObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'
import { parseToml } from './toml-lock.ts'

export function parseJuliaManifest(text: string): Inventory {
  const { manifest_format: format = '1.0', ...members } = parseToml(text)
  const [, major] = /^([12])(?:\.\d+)*$/.exec(String(format)) ?? []
  if (major === undefined) throw new FormatError("its 'manifest_format' is not 1 or 2", 1)
  const packages = major === '1' ? members : (members.deps ?? {})
  if (!isObject(packages)) throw new FormatError("'deps' is not a table", 1)
  const headers = headersOf(text)
  const found = new InventoryBuilder()
  for (const [name, list] of Object.entries(packages)) {
    // Format 1 has the version of Julia among the packages.
    if (major === '1' && !isObject(list) && !Array.isArray(list)) continue
    const lines = headers.get(name) ?? []
    if (!Array.isArray(list)) {
      throw new FormatError(`'${shortened(name, 100)}' is not a list of packages`, lines[0] ?? null)
    }
    for (const [i, entry] of list.entries()) {
      const line = lines.length === list.length ? lines[i]! : null
      if (!isObject(entry)) throw new FormatError(`an entry of '${shortened(name, 100)}' is not a table`, line)
      if (entry.path !== undefined) found.skip(name, 'local', line)
      // A package of the standard library has neither a version nor a source.
      else if (entry.version === undefined && entry['git-tree-sha1'] === undefined) found.skip(name, 'platform', line)
      else found.add('Julia', name, entry.version, { line })
    }
  }
  return found
}

/** Returns the lines of `[[name]]` and `[[deps.name]]`, from 1. */
function headersOf(text: string): Map<string, number[]> {
  const headers = new Map<string, number[]>()
  for (const [i, line] of linesOf(text).entries()) {
    const name = /^\s*\[\[\s*(?:deps\s*\.\s*)?"?([^\s"'.\]]+)"?\s*\]\]/.exec(line)?.[1]
    if (name === undefined) continue
    const lines = headers.get(name)
    if (lines) lines.push(i + 1)
    else headers.set(name, [i + 1])
  }
  return headers
}
