/** `stack.yaml.lock` of Stack: packages beside those of its snapshots, which the file names only. */
import { isMap, isScalar } from 'yaml'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { itemsOf, parseYamlDocuments, textIn } from './yaml.ts'

/** `name-1.0.0@sha256:…,77`. */
const ON_HACKAGE = /^([A-Za-z0-9-]+)-(\d+(?:\.\d+)*)(?:@.*)?$/

export function parseStackLock(text: string): Inventory {
  const { documents, lineAt } = parseYamlDocuments(text)
  const found = new InventoryBuilder()
  const root = documents[0]
  if (!root?.has('packages') && !root?.has('snapshots')) {
    throw new FormatError("it has neither 'packages' nor 'snapshots'", 1)
  }
  for (const item of itemsOf('packages', root.get('packages', true), lineAt)) {
    const line = lineAt(item)
    const completed = isMap(item) ? item.get('completed', true) : null
    if (!isMap(completed)) throw new FormatError("an entry in 'packages' has no mapping 'completed'", line)
    const stated = textIn(completed, 'hackage')
    if (stated !== null) {
      const [, name, version] = ON_HACKAGE.exec(stated) ?? []
      if (name === undefined) found.skip(stated, 'malformed', line)
      else found.add('Hackage', name, version, { line })
    } else {
      // An archive, or a repository.
      const name = textIn(completed, 'name')
      const address = textIn(completed, 'url') ?? textIn(completed, 'git') ?? 'a package'
      if (name === null) found.skip(address, 'no-version', line)
      else found.add('Hackage', name, textIn(completed, 'version'), { line })
    }
  }
  for (const item of itemsOf('snapshots', root.get('snapshots', true), lineAt)) {
    if (!isMap(item)) throw new FormatError("an entry in 'snapshots' is not a mapping", lineAt(item))
    const original = item.get('original', true)
    const name = isScalar(original) ? String(original.value) : (textIn(original, 'url') ?? 'a snapshot')
    found.skip(name, 'in-snapshot', lineAt(item))
  }
  return found
}
