/** Lock files of Python: `poetry.lock`, `uv.lock`, `pdm.lock`, `pylock.toml` (PEP 751) and `Pipfile.lock`. */
import { isObject, type JsonObject, objects } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Group, type Inventory, InventoryBuilder } from '../inventory.ts'
import { developmentOnly } from './dependency-groups.ts'
import { objectEntries, parseJsonFile } from './json.ts'
import { packagesOf, parseToml } from './toml-lock.ts'

export function parsePoetryLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packagesOf(text)) {
    if (isObject(entry.source) && entry.source.type === 'directory') found.skip(name, 'local', line)
    else found.add('PyPI', name, entry.version, { line, groups: poetryGroups(entry) })
  }
  return found
}

/**
 * Poetry 2 states the groups of a package, Poetry 1.4 and older a category, those in between neither. Packages of extras are
 * optional.
 */
function poetryGroups({ groups, category, optional }: JsonObject): Group[] | null {
  const main: Group = optional === true ? 'optional' : 'main'
  if (Array.isArray(groups)) {
    const others: Group[] = groups.some((group) => group !== 'main') ? ['dev'] : []
    return groups.includes('main') ? [main, ...others] : others
  }
  if (typeof category !== 'string') return optional === true ? ['optional'] : null
  return [category === 'dev' ? 'dev' : main]
}

/** Sources of folders; `virtual` is a project that is not installed itself. Others are `registry`, `git`, `url` and `path`. */
const UV_FOLDERS = ['virtual', 'editable', 'directory']

/** Packages of the project and folders beside it state the direct dependencies, and their groups. */
export function parseUvLock(text: string): Inventory {
  const packages = packagesOf(text)
  const isFolder = ({ source }: JsonObject) => isObject(source) && UV_FOLDERS.some((key) => source[key] !== undefined)
  const folders = packages.filter(({ entry }) => isFolder(entry))
  const dependencies = new Map<string, string[]>()
  for (const { name, entry } of packages) {
    const known = dependencies.get(name) ?? []
    dependencies.set(name, known)
    // Extras too: which of them are in use is not followed.
    const needed = [namesOf(entry.dependencies), namesOfGroups(entry['optional-dependencies'])]
    for (const dependency of needed.flat()) known.push(dependency)
  }
  const isDevelopment = developmentOnly(
    {
      main: folders.map(({ name }) => name),
      development: folders.flatMap(({ entry }) => namesOfGroups(entry['dev-dependencies'])),
    },
    dependencies,
  )
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packages) {
    if (isFolder(entry)) found.skip(name, 'local', line)
    else found.add('PyPI', name, entry.version, { line, dev: isDevelopment(name) })
  }
  return found
}

const namesOf = (list: unknown): string[] => objects(list).flatMap(({ name }) => (typeof name === 'string' ? name : []))

const namesOfGroups = (groups: unknown): string[] => (isObject(groups) ? Object.values(groups).flatMap(namesOf) : [])

const ARCHIVE = /\.(?:whl|zip|tar\.[a-z0-9]+|tgz)$/i

/** A package with extras has an entry of its own for them. */
export function parsePdmLock(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packagesOf(text)) {
    if (typeof entry.path === 'string' && !ARCHIVE.test(entry.path)) found.skip(name, 'local', line)
    else found.add('PyPI', name, entry.version, { line, dev: isForPdmDevelopment(entry) })
  }
  return found
}

/** PDM adds to the group `dev`, unless another one is stated. The others can be for development or optional. */
function isForPdmDevelopment({ groups }: JsonObject): boolean | null {
  if (!Array.isArray(groups)) return null
  if (groups.includes('default')) return false
  return groups.length > 0 && groups.every((group) => group === 'dev') ? true : null
}

/** The version is optional. Groups are names and conditions that the user chooses: none is known to be for development. */
export function parsePylock(text: string): Inventory {
  const root = parseToml(text)
  if (typeof root['lock-version'] !== 'string') throw new FormatError("it has no 'lock-version'", 1)
  const found = new InventoryBuilder()
  for (const { name, entry, line } of packagesOf(text, 'packages', root)) {
    if (entry.directory !== undefined) found.skip(name, 'local', line)
    else found.add('PyPI', name, entry.version, { line })
  }
  return found
}

/** A category of the Pipfile for each key but `_meta`. Archives and repositories have no version. */
export function parsePipfileLock(text: string): Inventory {
  const file = parseJsonFile(text)
  const { _meta: meta, ...categories } = file.root
  if (!isObject(meta)) throw new FormatError("it has no object '_meta'", 1)
  const found = new InventoryBuilder()
  for (const [category, packages] of Object.entries(categories)) {
    // Others are categories of the user.
    const dev = category === 'default' ? false : category === 'develop' ? true : null
    for (const { key: name, entry, line } of objectEntries(category, packages, file)) {
      const { version, path, file: archive } = entry
      const folder = typeof path === 'string' ? path : archive
      const pin = /^\s*===?\s*([^\s,*]+)\s*$/.exec(typeof version === 'string' ? version : '')
      if (pin) found.add('PyPI', name, pin[1], { line, dev })
      else if (typeof folder === 'string' && isFolder(folder)) found.skip(name, 'local', line)
      else if (version === undefined) found.skip(name, 'no-version', line)
      else if (typeof version === 'string') found.skip(`${name} ${version}`, 'not-pinned', line)
      else found.add('PyPI', name, version, { line })
    }
  }
  return found
}

const isFolder = (path: string) => !ARCHIVE.test(path) && !/^[a-z][a-z0-9+.-]*:\/\/(?!\/)/i.test(path)
