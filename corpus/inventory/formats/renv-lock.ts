/** `renv.lock` of renv. */
import { type JsonObject, text } from '../../model/values/json-value.ts'
import { FormatError } from '../error.ts'
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { objectEntries, parseJsonFile } from './json.ts'

export function parseRenvLock(content: string): Inventory {
  const file = parseJsonFile(content)
  if (file.root.R === undefined && file.root.Packages === undefined) {
    throw new FormatError("it has neither 'R' nor 'Packages'", 1)
  }
  const found = new InventoryBuilder()
  for (const { key, entry, line } of objectEntries('Packages', file.root.Packages ?? {}, file)) {
    const name = text(entry.Package) ?? key
    if (/^local$/i.test(text(entry.Source) ?? text(entry.RemoteType) ?? '')) found.skip(name, 'local', line)
    else found.add(isOfBioconductor(entry) ? 'Bioconductor' : 'CRAN', name, entry.Version, { line })
  }
  return found
}

/** Its repositories are `BioCsoft`, `BioCann` and so on, or `Bioconductor 3.18`. */
const isOfBioconductor = ({ Source, Repository }: JsonObject): boolean =>
  Source === 'Bioconductor' || /^bioc/i.test(text(Repository) ?? '')
