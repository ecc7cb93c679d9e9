/** What is worked out for a snapshot when it is first needed, and forgotten with it. */
import type { CveTables } from '../cve-tables.ts'

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

/** What a memory that all open snapshots share knows a snapshot by: a number that no other ever had. */
export const snapshotNumber = perSnapshot(() => snapshots++)
