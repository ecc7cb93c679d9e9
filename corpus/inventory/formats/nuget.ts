/** Files of .NET: `packages.lock.json`, `packages.config`, `*.deps.json` and `project.assets.json`. */
import { isObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { objectEntries, parseJsonFile } from './json.ts'
import { parseXml } from './xml.ts'

/** Packages of each framework, and of each system with packages of its own. */
export function parseNugetLock(text: string): Inventory {
  const file = parseJsonFile(text)
  if (!isObject(file.root.dependencies)) throw new FormatError("it has no object 'dependencies'", 1)
  const found = new InventoryBuilder()
  for (const { key: framework, entry: packages } of objectEntries('dependencies', file.root.dependencies, file)) {
    for (const { key: name, entry, line } of objectEntries(framework, packages, file)) {
      if (entry.type === 'Project') found.skip(name, 'local', line)
      else found.add('NuGet', name, entry.resolved, { line })
    }
  }
  return found
}

export function parsePackagesConfig(text: string): Inventory {
  const root = parseXml(text)
  if (root.name !== 'packages') throw new FormatError('its root element is not <packages>', root.line)
  const found = new InventoryBuilder()
  for (const { name, attributes, line } of root.children) {
    const id = attributes.get('id')
    if (name !== 'package') continue
    if (id) {
      const dev = attributes.get('developmentDependency')?.toLowerCase() === 'true'
      found.add('NuGet', id, attributes.get('version'), { line, dev })
    } else found.skip('a package without an id', 'malformed', line)
  }
  return found
}

/** What a build uses and an application needs: `libraries` of both files, with keys such as `Newtonsoft.Json/13.0.1`. */
export function parseNugetLibraries(text: string): Inventory {
  const file = parseJsonFile(text)
  if (!isObject(file.root.libraries)) throw new FormatError("it has no object 'libraries'", 1)
  const found = new InventoryBuilder()
  for (const { key, entry, line } of objectEntries('libraries', file.root.libraries, file)) {
    const slash = key.lastIndexOf('/')
    const [id, version] = slash === -1 ? [key, null] : [key.slice(0, slash), key.slice(slash + 1)]
    // The files of a runtime beside a self-contained application are those of this package.
    const runtime = entry.type === 'runtimepack' ? /^runtimepack\.(.+)$/.exec(id)?.[1] : undefined
    // Others are projects, and assemblies without a package.
    if (entry.type === 'package' || runtime) found.add('NuGet', runtime ?? id, version, { line })
    else found.skip(id, 'local', line)
  }
  return found
}
