/** The delta pack of a build: how to derive its shards from those of the parent. SPEC.md, "Delta pack". */
import {
  byRoleAndName,
  type Change,
  encodePack,
  type FileEntry,
  type Manifest,
  type PackedFile,
  type Role,
  type Stored,
  snapshotId,
} from '../../corpus/snapshot/index.ts'
import type { ObjectStore } from './objects.ts'

export interface Changes {
  /** `size` is the size of the new file; a delta that is not much smaller is dropped. */
  add(role: Role, name: string, change: Change | null, size: number): void
  of(file: FileEntry): Change | undefined
}

/** Above this share of the file's size, mirrors fetch the whole file. */
const WORTH_SHARE = 0.7
/** Limit of the deltas in memory. */
const MOST_BYTES = 256 * 1024 * 1024

const keyOf = (role: Role, name: string) => `${role}\t${name}`

export function collectChanges(): Changes {
  const collected = new Map<string, Change>()
  let bytes = 0
  return {
    add(role, name, change, size) {
      if (!change) return
      const own = change.recipe.length + change.carried.length
      if (own > size * WORTH_SHARE || bytes + own > MOST_BYTES) return
      bytes += own
      collected.set(keyOf(role, name), change)
    },
    of: ({ role, name }) => collected.get(keyOf(role, name)),
  }
}

/** Writes the delta pack from the parent. Returns null if there is nothing to pack. */
export async function putDelta(
  files: readonly FileEntry[],
  parent: Manifest | null,
  changes: Changes,
  objects: ObjectStore,
): Promise<Stored | null> {
  if (!parent || snapshotId(files) === parent.snapshot) return null
  const positions = new Map(parent.files.map(({ role, name }, position) => [keyOf(role, name), position]))
  const packed = files.toSorted(byRoleAndName).flatMap((entry, file): PackedFile[] => {
    const change = changes.of(entry)
    const previous = positions.get(keyOf(entry.role, entry.name))
    return change && previous !== undefined ? [{ file, previous, ...change }] : []
  })
  return packed.length === 0 ? null : objects.put({}, encodePack(packed))
}
