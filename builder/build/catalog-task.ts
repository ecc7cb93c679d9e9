/** A catalog shard, in a worker: members of the parent's where the entry is the same, new ones elsewhere. */
import { type CatalogEntry, type EncodedCatalog, encodeCatalog, keptEntries } from '../../corpus/snapshot/catalog.ts'
import type { FileEntry } from '../../corpus/snapshot/manifest.ts'
import { readSound } from './shard-task.ts'

export interface CatalogInput {
  entries: CatalogEntry[]
  /** The shard of this catalogue in the parent snapshot. */
  parent: { dist: string; file: FileEntry } | null
}

export function writeCatalog({ entries, parent }: CatalogInput): EncodedCatalog {
  return encodeCatalog(entries, keptEntries(parent && readSound(parent.dist, parent.file)))
}
