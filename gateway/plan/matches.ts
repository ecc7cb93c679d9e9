/** Constraints as they are tested: one ordinal at a time, or 32 places of an order at once; and how many each lets through. */
import type { CveSort } from '../../corpus/snapshot/order.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Bits, bitsOf, type Clause, hasBit } from './bits.ts'
import type { Constraint } from './filters.ts'
import { firstFrom } from './places.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

export type Test = (ordinal: number) => boolean

/** Those whose ordinals lie ready. */
export type Enumerable = Extract<Constraint, { kind: 'list' | 'stretch' }>

export const isEnumerable = (constraint: Constraint): constraint is Enumerable =>
  constraint.kind === 'list' || constraint.kind === 'stretch'

/** How many ordinals a constraint lets through; of several flags, as if they had nothing to do with each other. */
export function sizeOf({ columns }: OpenSnapshot, bits: SnapshotBits, constraint: Constraint): number {
  switch (constraint.kind) {
    case 'list':
      return constraint.ordinals.length
    case 'stretch':
      return constraint.to - constraint.from
    case 'severity':
      return constraint.codes.reduce((sum, code) => sum + bits.severity(code).count(), 0)
    case 'flags': {
      const { count } = columns
      const shares = flagsIn(constraint.mask).map((flag) => {
        const set = bits.flag(flag).count() / count
        return constraint.value & flag ? set : 1 - set
      })
      return shares.reduce((product, share) => product * share, count)
    }
  }
}

/** The ordinals of a constraint: ascending those of a list, else in the order that the stretch is of. */
export function ordinalsOf(snapshot: OpenSnapshot, constraint: Enumerable): Uint32Array {
  if (constraint.kind === 'list') return constraint.ordinals
  return snapshot.orders[constraint.sort].ordinals.subarray(constraint.from, constraint.to)
}

export function testOf(snapshot: OpenSnapshot, constraint: Constraint): Test {
  const { flags, severity, count } = snapshot.columns
  switch (constraint.kind) {
    case 'flags': {
      const { mask, value } = constraint
      return (ordinal) => (flags[ordinal]! & mask) === value
    }
    case 'severity': {
      const codes = constraint.codes.reduce((set, code) => set | (1 << code), 0)
      // What has no severity is 255, which shifts by 31: no code is that.
      return (ordinal) => ((codes >>> severity[ordinal]!) & 1) === 1
    }
    case 'stretch': {
      const { from, to } = constraint
      const places = snapshot.places[constraint.sort]
      return (ordinal) => places[ordinal]! >= from && places[ordinal]! < to
    }
    case 'list': {
      const { ordinals, column, key } = constraint
      return column ? (ordinal) => column[ordinal] === key : containing(count, ordinals)
    }
  }
}

/** Looked up by halves so often, a list had better been made bits: a look-up takes as long as so many additions. */
const ADDED_IN_A_LOOKUP = 32

/** Whether an ascending list has an ordinal. */
function containing(count: number, ordinals: Uint32Array): Test {
  let lookups = Math.ceil(ordinals.length / ADDED_IN_A_LOOKUP)
  let bits: Bits | null = null
  return (ordinal) => {
    if (bits) return hasBit(bits, ordinal)
    if (lookups-- === 0) bits = bitsOf(count, ordinals)
    return ordinals[firstFrom(ordinals, ordinal)] === ordinal
  }
}

/** Constraints on what bits tell, by the places of an order. */
export function clausesOf(bits: SnapshotBits, sort: CveSort, constraints: readonly Constraint[]): Clause[] {
  return constraints.flatMap((constraint): Clause[] => {
    if (constraint.kind === 'severity')
      return [{ any: constraint.codes.map((code) => bits.severity(code).in(sort)), not: 0 }]
    if (constraint.kind !== 'flags') return []
    return flagsIn(constraint.mask).map((flag) => ({
      any: [bits.flag(flag).in(sort)],
      not: constraint.value & flag ? 0 : -1,
    }))
  })
}

/** The flags of a mask one by one. */
function flagsIn(mask: number): number[] {
  const flags: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) flags.push(rest & -rest)
  return flags
}

/**
 * Ordinals number the order of publication, so of an ascending list the part within a stretch of it is found by halves:
 * lists are cut. The stretch stays: what a column tells of a list knows nothing of the cut.
 */
export function withinPublication(constraints: readonly Constraint[]): readonly Constraint[] {
  const stretch = constraints.find((one) => one.kind === 'stretch' && one.sort === 'published')
  if (stretch?.kind !== 'stretch' || !constraints.some(({ kind }) => kind === 'list')) return constraints
  return constraints.map((one) => (one.kind === 'list' ? { ...one, ordinals: cut(one.ordinals, stretch) } : one))
}

/** The part of an ascending list from `from` up to, not including, `to`. */
export const cut = (ordinals: Uint32Array, { from, to }: { from: number; to: number }): Uint32Array =>
  ordinals.subarray(firstFrom(ordinals, from), firstFrom(ordinals, to))
