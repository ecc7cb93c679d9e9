/** Worker task: writes a catalog shard. Unchanged entries reuse the members of the parent's shard. */

import { type Change, type LocatedShard, shardChange } from '../../corpus/snapshot/files/delta.ts'
import type { FileEntry } from '../../corpus/snapshot/files/manifest.ts'
import {
  type CatalogEntry,
  type EncodedCatalog,
  encodeCatalog,
  keptEntries,
} from '../../corpus/snapshot/record/catalog.ts'
import { membersOf } from '../../corpus/snapshot/record/shard.ts'
import { readSound } from './shard-task.ts'

export interface CatalogInput {
  entries: CatalogEntry[]
  parent: { dist: string; file: FileEntry } | null
}

export interface BuiltCatalog extends EncodedCatalog {
  /** Null without a parent. */
  change: Change | null
}

export function writeCatalog({ entries, parent }: CatalogInput): BuiltCatalog {
  const former = parent && readSound(parent.dist, parent.file)
  const catalog = encodeCatalog(entries, keptEntries(former))
  return { ...catalog, change: former && shardChange(located(Buffer.from(catalog.bytes.buffer)), located(former)) }
}

const located = (bytes: Buffer): LocatedShard => ({ bytes, members: [...membersOf(bytes)] })
