/** Finds the manifest of an earlier snapshot in a folder. */
import { folderSource } from '../repository/folder-source.ts'
import type { ReadEffects } from '../repository/read.ts'
import type { Manifest } from '../snapshot/index.ts'
import { openObjects } from './objects.ts'
import { manifestAt } from './snapshot-reader.ts'

/** Of a folder. Reading a file again does not help. */
export const FOLDER_EFFECTS: ReadEffects = { now: () => new Date(), sleep: async () => {}, random: () => 0, log() {} }

/**
 * Returns the manifest of the snapshot that `at` selects among the ancestors of `current`, in the forms of `openReader`.
 * @throws TypeError, SnapshotError `missing`
 */
export async function manifestIn(folder: string, current: Manifest, at: string): Promise<Manifest> {
  const objects = openObjects(folderSource(folder), FOLDER_EFFECTS, { verify: null })
  try {
    return await manifestAt(current, at, objects)
  } finally {
    await objects.close()
  }
}
