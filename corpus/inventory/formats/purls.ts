/** One purl per line. Empty lines and lines that begin with `#` do not count. */
import { type Inventory, InventoryBuilder } from '../inventory.ts'
import { linesOf } from './text.ts'

export function parsePurls(text: string): Inventory {
  const found = new InventoryBuilder()
  for (const [i, line] of linesOf(text).entries()) {
    const purl = line.trim()
    if (purl !== '' && !purl.startsWith('#')) found.addPurl(purl, null, { line: i + 1 })
  }
  return found
}
