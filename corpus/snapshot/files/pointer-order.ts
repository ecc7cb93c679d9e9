/** Decides whether a pointer may replace another. SPEC.md, "Pointer". */
import type { Pointer } from './pointer.ts'

export type PointerOrder =
  | 'same' // the same snapshot: the same pointer, or re-signed
  | 'next'
  | 'older' // a lower version: a rollback, or another repository
  | 'other' // another snapshot with the same version
  | 'timestampRegression' // a later version, but not created later: cursors compare creation times

export function pointerOrder(pointer: Pointer, have: Pointer): PointerOrder {
  if (pointer.version < have.version) return 'older'
  if (pointer.snapshot === have.snapshot && pointer.manifest.sha256 === have.manifest.sha256) return 'same'
  if (pointer.version === have.version) return 'other'
  return Date.parse(pointer.created_at) <= Date.parse(have.created_at) ? 'timestampRegression' : 'next'
}
