/** `deno.lock` of Deno, versions 1 to 5. */
import { shortened } from '../../command/format.ts'
import { isObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { objectEntries, parseJsonFile } from './json.ts'

/**
 * Version 2 has the packages of npm in `npm.packages`, version 3 in `packages.npm`, later ones in `npm`. Those of JSR
 * are beside them. Other modules are addresses; version 1 has only them.
 */
export function parseDenoLock(text: string): Inventory {
  const file = parseJsonFile(text)
  const { version, packages, npm, jsr, remote, workspace } = file.root
  const found = new InventoryBuilder()
  const isFirst = version === undefined && Object.keys(file.root).every((key) => /^https?:\/\//.test(key))
  if (isFirst) skipModules(found, file.root)
  else if (typeof version !== 'string') throw new FormatError("it has no 'version'", 1)
  const inPackages = isObject(packages) ? packages : {}
  const ofNpm = inPackages.npm ?? (version === '2' && isObject(npm) ? npm.packages : npm) ?? {}
  for (const { key, line } of objectEntries('npm', isFirst ? {} : ofNpm, file)) {
    const [, name, inKey] = NPM_KEY.exec(key) ?? []
    if (name === undefined) throw new FormatError(`the key '${shortened(key, 100)}' in 'npm' has no version`, line)
    found.add('npm', name, inKey, { line })
  }
  for (const { key, line } of objectEntries('jsr', inPackages.jsr ?? jsr ?? {}, file)) {
    found.skip(`jsr:${key}`, 'no-advisories', line)
  }
  if (isObject(remote)) skipModules(found, remote)
  const { members, links } = isObject(workspace) ? workspace : {}
  for (const folders of [members, links]) {
    for (const { key, line } of objectEntries('workspace', folders ?? {}, file)) found.skip(key, 'local', line)
  }
  return found
}

/** Peers follow an underscore: `@scope/name@1.0.0_peer@2.0.0`. */
const NPM_KEY = /^((?:@[^/@]+\/)?[^@]+)@([^_]+)(?:_.*)?$/s

/** A module for each file. Those of one version, or of one server, are named once. */
function skipModules(found: InventoryBuilder, modules: object): void {
  const names = Object.keys(modules).map(
    (address) => /^https?:\/\/(?:[^?#]*?@v?\d[^/?#]*|[^/?#]+)/.exec(address)?.[0] ?? address,
  )
  for (const name of new Set(names)) found.skip(name, 'no-advisories')
}
