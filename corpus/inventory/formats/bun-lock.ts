/** `bun.lock` of Bun, versions 0 to 2: JSON with comments and commas at the ends of lists. */
import { shortened } from '../../command/format.ts'
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { developmentOnly } from './dependency-groups.ts'
import { objectEntries, parseJsonFile, withoutComments } from './json.ts'
import { packageOfArchive } from './npm-lock.ts'

/**
 * An entry is a list: `name@version` first, with the real name of an alias, an object with its dependencies later. Its key
 * is a path of names. Direct dependencies are those of the workspaces.
 */
export function parseBunLock(text: string): Inventory {
  const file = parseJsonFile(withoutComments(text))
  const { lockfileVersion, workspaces = {}, packages = {} } = file.root
  if (lockfileVersion === undefined && Object.keys(file.root).length > 0) {
    throw new FormatError("it has no 'lockfileVersion'", 1)
  }
  if (!isObject(packages)) throw new FormatError("'packages' is not a JSON object", 1)
  const projects = [...objectEntries('workspaces', workspaces, file)].map(({ entry }) => entry)
  const isDevelopment = developmentOnly(
    { main: projects.flatMap(dependenciesOf), development: projects.flatMap((one) => keysOf(one.devDependencies)) },
    dependenciesByName(packages),
  )
  const found = new InventoryBuilder()
  for (const [key, entry] of Object.entries(packages)) {
    const line = file.lineOf(Array.isArray(entry) ? entry : packages)
    const [locator]: unknown[] = Array.isArray(entry) ? entry : []
    const [, name, version] = LOCATOR.exec(typeof locator === 'string' ? locator : '') ?? []
    if (name === undefined || version === undefined) {
      throw new FormatError(
        `the entry '${shortened(key, 100)}' in 'packages' does not begin with name and version`,
        line,
      )
    }
    const archive = packageOfArchive(version)
    const dev = isDevelopment(lastName(key))
    if (FOLDER.test(version)) found.skip(name, 'local', line)
    else if (archive) found.add('npm', archive.name, archive.version, { line, dev })
    else if (/^\d/.test(version)) found.add('npm', name, version, { line, dev })
    else found.skip(name, 'no-version', line)
  }
  return found
}

const LOCATOR = /^((?:@[^/@]+\/)?[^@]+)@(.+)$/s
/** An archive beside the project has a path too. `root:` is the project. */
const FOLDER = /^(?:workspace|link|root):|^file:(?!.*\.(?:tgz|tar\.gz)$)/s

const lastName = (key: string) => /(?:^|\/)((?:@[^/]+\/)?[^/]+)$/.exec(key)?.[1] ?? key

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

const dependenciesOf = ({ dependencies, optionalDependencies, peerDependencies }: JsonObject): string[] =>
  [dependencies, optionalDependencies, peerDependencies].flatMap(keysOf)

function dependenciesByName(packages: JsonObject): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [key, entry] of Object.entries(packages)) {
    const name = lastName(key)
    const known = found.get(name) ?? []
    found.set(name, known)
    const facts = Array.isArray(entry) ? entry.find(isObject) : undefined
    if (facts) for (const dependency of dependenciesOf(facts)) known.push(dependency)
  }
  return found
}
