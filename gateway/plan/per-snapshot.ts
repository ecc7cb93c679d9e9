/** What is worked out for a snapshot when it is first needed, and forgotten with it. */
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'

export function perSnapshot<T>(make: (snapshot: OpenSnapshot) => T): (snapshot: OpenSnapshot) => T {
  const made = new WeakMap<OpenSnapshot, { value: T }>()
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
