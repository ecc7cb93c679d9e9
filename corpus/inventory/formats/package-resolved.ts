/** `Package.resolved` of Swift Package Manager, versions 1 to 3. */
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { parseJsonFile } from './json.ts'

export function parsePackageResolved(content: string): Inventory {
  const { root, lineOf } = parseJsonFile(content)
  // Version 1 has the list in an object.
  const { pins } = isObject(root.object) ? root.object : root
  if (!Array.isArray(pins)) throw new FormatError("it has no list 'pins'", 1)
  const found = new InventoryBuilder()
  for (const pin of pins as unknown[]) {
    if (!isObject(pin)) throw new FormatError("an entry in 'pins' is not a JSON object", lineOf(pins))
    addPin(found, pin, lineOf(pin))
  }
  return found
}

function addPin(found: InventoryBuilder, pin: JsonObject, line: number | null): void {
  const name = pin.identity ?? pin.package
  const address = pin.location ?? pin.repositoryURL
  if (typeof name !== 'string' || name === '') throw new FormatError("an entry in 'pins' has no name", line)
  const version = isObject(pin.state) ? pin.state.version : null
  // Advisories name the addresses of repositories.
  if (pin.kind === 'registry') found.skip(name, 'no-advisories', line)
  else if (typeof address !== 'string' || address === '') {
    throw new FormatError(`the entry '${name}' in 'pins' has no address`, line)
  } else if (pin.kind === 'localSourceControl' || /^(?:file:|[/.~])/.test(address)) found.skip(name, 'local', line)
  // A branch or a commit has no version.
  else found.add('SwiftURL', repositoryOf(address), version, { line })
}

/** A URL, or `git@host:path` of SSH. */
const ADDRESS = /^(?:[a-z][a-z+]*:\/\/)?(?:[^@/]*@)?([^/:@]+)(?::\d+(?=\/))?[:/](.+)$/i

/** Returns `host/path`, as advisories do. */
function repositoryOf(address: string): string {
  const [, host, path] = ADDRESS.exec(address) ?? []
  return host === undefined ? address : `${host.toLowerCase()}/${path!.replace(/\/$/, '').replace(/\.git$/, '')}`
}
