/** Whether a pointer may take the place of another: the rule for whoever takes one over. SPEC.md, "Pointer". */
import type { Pointer } from './pointer.ts'

export type Succession =
  | 'same' // of the same snapshot: the same pointer, or the same signed anew
  | 'next'
  | 'older' // by its version: a step back, or another repository
  | 'other' // another snapshot under the version that is there
  | 'untimely' // a later version of a snapshot that is not: cursors are compared by when theirs were put up

export function successionOf(pointer: Pointer, have: Pointer): Succession {
  if (pointer.version < have.version) return 'older'
  if (pointer.snapshot === have.snapshot && pointer.manifest.sha256 === have.manifest.sha256) return 'same'
  if (pointer.version === have.version) return 'other'
  return Date.parse(pointer.created_at) <= Date.parse(have.created_at) ? 'untimely' : 'next'
}
