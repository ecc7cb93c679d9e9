/** `composer.lock` of Composer. */
import { isObject } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { namedObjects, parseJsonFile } from './json.ts'

export function parseComposerLock(text: string): Inventory {
  const { root, lineOf } = parseJsonFile(text)
  if (!Array.isArray(root.packages)) throw new FormatError("it has no list 'packages'", 1)
  const found = new InventoryBuilder()
  for (const key of ['packages', 'packages-dev']) {
    for (const { name, entry, line } of namedObjects(key, root[key] ?? [], lineOf)) {
      // The source of a folder beside the project.
      if (isObject(entry.dist) && entry.dist.type === 'path') found.skip(name, 'local', line)
      else found.add('Packagist', name, entry.version, { line, dev: key === 'packages-dev' })
    }
  }
  return found
}
