/** Returns a function that computes a value per snapshot lazily and frees it with the snapshot. */
import type { CveTables } from '../record/cve-tables.ts'

export function perSnapshot<T, S extends object = CveTables>(make: (snapshot: S) => T): (snapshot: S) => T {
  const made = new WeakMap<S, { value: T }>()
  return (snapshot) => {
    let entry = made.get(snapshot)
    if (!entry) {
      entry = { value: make(snapshot) }
      made.set(snapshot, entry)
    }
    return entry.value
  }
}

let snapshots = 0

/** Returns a unique number of a snapshot, as a key in caches shared by all snapshots. */
export const snapshotNumber = perSnapshot(() => snapshots++)
