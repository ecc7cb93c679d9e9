/** `pubspec.lock` of Pub. */
import { isMap } from 'yaml'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { entriesOf, parseYamlDocuments, textIn } from './yaml.ts'

export function parsePubspecLock(text: string): Inventory {
  const { documents, lineAt } = parseYamlDocuments(text)
  const found = new InventoryBuilder()
  const root = documents[0]
  // Without dependencies, `packages` is empty.
  if (!root?.has('packages')) throw new FormatError("it has no mapping 'packages'", 1)
  for (const { key, value, line } of entriesOf('packages', root.get('packages', true), lineAt)) {
    if (!isMap(value)) throw new FormatError("an entry in 'packages' is not a mapping", line)
    const source = textIn(value, 'source')
    if (source === 'path') found.skip(key, 'local', line)
    // Its version is 0.0.0: it comes with Dart or Flutter.
    else if (source === 'sdk') found.skip(key, 'platform', line)
    else found.add('Pub', key, textIn(value, 'version'), { line, dev: isForDevelopment(textIn(value, 'dependency')) })
  }
  return found
}

/** Unknown for a package that others require, and for an override. */
function isForDevelopment(dependency: string | null): boolean | null {
  if (dependency === 'direct dev') return true
  return dependency === 'direct main' ? false : null
}
