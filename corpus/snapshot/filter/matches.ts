/** Tests constraints on blocks of ordinals or on 32 positions at once, and returns their sizes. */

import type { CveSort } from '../cursor/order.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { type Bits, bitsOf, type Clause, hasBit } from './bits.ts'
import type { Constraint } from './filters.ts'
import { lowerBound } from './lower-bound.ts'
import type { KeyColumn, SnapshotBits } from './snapshot-bits.ts'

/**
 * Moves those of the first `count` ordinals that pass to the front, in order, and returns their number. Works on whole
 * blocks, so that the CPU overlaps cache misses.
 */
export type Sieve = (ordinals: Uint32Array, count: number) => number

export type Enumerable = Extract<Constraint, { kind: 'list' | 'stretch' }>

export const isEnumerable = (constraint: Constraint): constraint is Enumerable =>
  constraint.kind === 'list' || constraint.kind === 'stretch'

/**
 * Returns the number of ordinals that a constraint matches. For several flags it is an estimate that assumes
 * independence.
 */
export function sizeOf({ columns: { count } }: CveTables, bits: SnapshotBits, constraint: Constraint): number {
  switch (constraint.kind) {
    case 'list':
      return constraint.ordinals.length
    case 'stretch':
      return constraint.to - constraint.from
    case 'severity': {
      let size = 0
      for (const code of constraint.codes) size += bits.severity(code).count()
      return size
    }
    case 'flags': {
      let size = count
      for (let rest = constraint.mask; rest !== 0; rest &= rest - 1) {
        const flag = rest & -rest
        const share = bits.flag(flag).count() / count
        size *= constraint.value & flag ? share : 1 - share
      }
      return size
    }
  }
}

/** Returns the ordinals of a constraint: ascending for a list, otherwise in the order of its range. */
export function ordinalsOf(snapshot: CveTables, constraint: Enumerable): Uint32Array {
  if (constraint.kind === 'list') return constraint.ordinals
  return snapshot.orders[constraint.sort].ordinals.subarray(constraint.from, constraint.to)
}

export function sieveOf(snapshot: CveTables, constraint: Constraint): Sieve {
  const { flags, severity, count } = snapshot.columns
  switch (constraint.kind) {
    case 'flags':
      return flagsSieve(flags, constraint.mask, constraint.value)
    case 'severity':
      return severitySieve(severity, constraint.codes)
    case 'stretch':
      return rangeSieve(snapshot.positions[constraint.sort], constraint.from, constraint.to)
    case 'list':
      if (constraint.column) return keySieve(constraint.column, constraint.key)
      return listSieve(count, constraint.ordinals)
  }
}

// All of these overwrite failed ordinals without a branch, because mispredicted branches would cost more.

const flagsSieve = (flags: Uint8Array, mask: number, value: number) => (ordinals: Uint32Array, count: number) => {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!
    ordinals[kept] = ordinal
    kept += (flags[ordinal]! & mask) === value ? 1 : 0
  }
  return kept
}

const severitySieve = (severity: Uint8Array, codes: readonly number[]) => {
  let set = 0
  for (const code of codes) set |= 1 << code
  return (ordinals: Uint32Array, count: number) => {
    let kept = 0
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!
      ordinals[kept] = ordinal
      // No severity is 255, which shifts by 31; no code is 31.
      kept += (set >>> severity[ordinal]!) & 1
    }
    return kept
  }
}

const rangeSieve = (positions: Uint32Array, from: number, to: number) => (ordinals: Uint32Array, count: number) => {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!
    const position = positions[ordinal]!
    ordinals[kept] = ordinal
    kept += position >= from && position < to ? 1 : 0
  }
  return kept
}

const keySieve = (column: KeyColumn, key: number) => (ordinals: Uint32Array, count: number) => {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!
    ordinals[kept] = ordinal
    kept += column[ordinal] === key ? 1 : 0
  }
  return kept
}

/** A binary search takes as long as this many insertions into a bitmap. Later lookups therefore use a bitmap. */
const ADDED_IN_A_LOOKUP = 32

const listSieve = (size: number, list: Uint32Array) => {
  let lookups = Math.ceil(list.length / ADDED_IN_A_LOOKUP)
  let bits: Bits | null = null
  return (ordinals: Uint32Array, count: number) => {
    lookups -= count
    if (lookups < 0) bits ??= bitsOf(size, list)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!
      const passes = bits ? hasBit(bits, ordinal) : list[lowerBound(list, ordinal)] === ordinal
      ordinals[kept] = ordinal
      kept += passes ? 1 : 0
    }
    return kept
  }
}

/** Returns the clauses of bitmap constraints, by position in an order. The rarest required flag comes first. */
export function clausesOf(bits: SnapshotBits, sort: CveSort, constraints: readonly Constraint[]): Clause[] {
  const clauses: Clause[] = []
  let least = Number.POSITIVE_INFINITY
  for (const constraint of constraints) {
    if (constraint.kind === 'severity') {
      const any: Bits[] = []
      for (const code of constraint.codes) any.push(bits.severity(code).in(sort))
      clauses.push({ any, not: 0 })
    }
    if (constraint.kind !== 'flags') continue
    for (let rest = constraint.mask; rest !== 0; rest &= rest - 1) {
      const flag = bits.flag(rest & -rest)
      const wanted = (constraint.value & rest & -rest) !== 0
      const clause: Clause = { any: [flag.in(sort)], not: wanted ? 0 : -1 }
      if (wanted && flag.count() < least) {
        clauses.unshift(clause)
        least = flag.count()
      } else clauses.push(clause)
    }
  }
  return clauses
}

/**
 * Cuts lists to the publication range by binary search: ordinals are positions in that order. Keeps the range, because
 * key columns ignore the cut.
 */
export function withinPublication(constraints: readonly Constraint[]): readonly Constraint[] {
  const range = publicationIn(constraints)
  if (!range) return constraints
  const within: Constraint[] = []
  for (const one of constraints) {
    within.push(one.kind === 'list' ? { ...one, ordinals: cut(one.ordinals, range) } : one)
  }
  return within
}

export function publicationIn(constraints: readonly Constraint[]): { from: number; to: number } | null {
  for (const one of constraints) if (one.kind === 'stretch' && one.sort === 'published') return one
  return null
}

export const cut = (ordinals: Uint32Array, { from, to }: { from: number; to: number }): Uint32Array =>
  ordinals.subarray(lowerBound(ordinals, from), lowerBound(ordinals, to))
