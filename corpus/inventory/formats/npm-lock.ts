/** `package-lock.json` and `npm-shrinkwrap.json` of npm, lockfileVersion 1 to 3. */
import type { JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Group, type Inventory, InventoryBuilder } from '../inventory.ts'
import { type JsonFile, objectEntries, parseJsonFile } from './json.ts'

export function parseNpmLock(text: string): Inventory {
  const file = parseJsonFile(text)
  const { packages, dependencies, lockfileVersion } = file.root
  if (packages !== undefined) return packagesOf(packages, file)
  // Version 1 omits `dependencies` if there are none.
  if (dependencies !== undefined || lockfileVersion !== undefined) return dependenciesOf(dependencies ?? {}, file)
  throw new FormatError("it has neither 'packages' nor 'dependencies'", 1)
}

const DIRECTORY = 'node_modules/'

/** Versions 2 and 3: entries by their path in the project. The project itself has an empty path. */
function packagesOf(packages: unknown, file: JsonFile): Inventory {
  const found = new InventoryBuilder()
  for (const { key: path, entry, line } of objectEntries('packages', packages, file)) {
    // The target of a link has an entry of its own.
    if (path === '' || entry.link === true) continue
    const at = path.lastIndexOf(DIRECTORY)
    if (at === -1) found.skip(path, 'local', line)
    else {
      const name = typeof entry.name === 'string' ? entry.name : path.slice(at + DIRECTORY.length)
      found.add('npm', name, entry.version, { line, groups: groupsOf(entry) })
    }
  }
  return found
}

/** Archives of a registry: `https://registry.npmjs.org/@scope/name/-/name-1.0.0.tgz`. */
const IN_REGISTRY = /^https?:\/\/.+?\/((?:@[^/]+\/)?([^/]+))\/-\/\2-(\d[^/]*)\.tgz$/

/** Returns the package of an archive of a registry; null for another address. */
export function packageOfArchive(address: string): { name: string; version: string } | null {
  const [, name, , version] = IN_REGISTRY.exec(address) ?? []
  return name === undefined || version === undefined ? null : { name, version }
}

/** Version 1: a tree. The version of an alias is `npm:name@1.0.0`; other versions with a colon are addresses. */
function dependenciesOf(root: unknown, file: JsonFile): Inventory {
  const found = new InventoryBuilder()
  const waiting = [root]
  for (let dependencies = waiting.pop(); dependencies !== undefined; dependencies = waiting.pop()) {
    for (const { key: name, entry, line } of objectEntries('dependencies', dependencies, file)) {
      const { version, dependencies: nested } = entry
      const address = typeof version === 'string' && version.includes(':') ? version : null
      const archive = packageOfArchive(address ?? '')
      const [, real, realVersion] = /^npm:(.+)@([^@]+)$/.exec(address ?? '') ?? []
      if (archive) found.add('npm', archive.name, archive.version, { line, groups: groupsOf(entry) })
      else if (real !== undefined) found.add('npm', real, realVersion, { line, groups: groupsOf(entry) })
      else if (address === null) found.add('npm', name, version, { line, groups: groupsOf(entry) })
      else found.skip(name, /^file:(?!.*\.(?:tgz|tar\.gz)$)/.test(address) ? 'local' : 'no-version', line)
      if (nested !== undefined) waiting.push(nested)
    }
  }
  return found
}

/** `devOptional`: what needs it is for development, or optional. With several flags, npm omits a package for each of them. */
function groupsOf({ dev, optional, devOptional, peer }: JsonObject): Group[] {
  if (dev === true) return ['dev']
  if (optional === true) return ['optional']
  if (devOptional === true) return ['dev', 'optional']
  return [peer === true ? 'peer' : 'main']
}
