/** Constraints as they are tested: of many ordinals at a time, or of 32 places of an order at once; and how many each lets through. */

import type { CveTables } from '../cve-tables.ts'
import type { CveSort } from '../order.ts'
import { type Bits, bitsOf, type Clause, hasBit } from './bits.ts'
import type { Constraint } from './filters.ts'
import { firstFrom } from './places.ts'
import type { KeyColumn, SnapshotBits } from './snapshot-bits.ts'

/**
 * Keeps of the first `count` of `ordinals` those that pass, moved to the front in their order, and gives how many. One
 * constraint goes through many ordinals before the next one does: the processor waits for many of them at once, where a
 * test of one ordinal after the other would wait for each.
 */
export type Sieve = (ordinals: Uint32Array, count: number) => number

/** Those whose ordinals lie ready. */
export type Enumerable = Extract<Constraint, { kind: 'list' | 'stretch' }>

export const isEnumerable = (constraint: Constraint): constraint is Enumerable =>
  constraint.kind === 'list' || constraint.kind === 'stretch'

/** How many ordinals a constraint lets through; of several flags, as if they had nothing to do with each other. */
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

/** The ordinals of a constraint: ascending those of a list, else in the order that the stretch is of. */
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
      return stretchSieve(snapshot.places[constraint.sort], constraint.from, constraint.to)
    case 'list':
      if (constraint.column) return keySieve(constraint.column, constraint.key)
      return listSieve(count, constraint.ordinals)
  }
}

// In all of these what fails is overwritten by what comes next: a branch that nobody can foresee would cost more.

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
      // What has no severity is 255, which shifts by 31: no code is that.
      kept += (set >>> severity[ordinal]!) & 1
    }
    return kept
  }
}

const stretchSieve = (places: Uint32Array, from: number, to: number) => (ordinals: Uint32Array, count: number) => {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!
    const place = places[ordinal]!
    ordinals[kept] = ordinal
    kept += place >= from && place < to ? 1 : 0
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

/** Looked up by halves so often, a list had better been made bits: a look-up takes as long as so many additions. */
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
      const passes = bits ? hasBit(bits, ordinal) : list[firstFrom(list, ordinal)] === ordinal
      ordinals[kept] = ordinal
      kept += passes ? 1 : 0
    }
    return kept
  }
}

/** Constraints on what bits tell, by the places of an order; of the flags that are wanted the rarest comes first. */
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
 * Ordinals number the order of publication, so of an ascending list the part within a stretch of it is found by halves:
 * lists are cut. The stretch stays: what a column tells of a list knows nothing of the cut.
 */
export function withinPublication(constraints: readonly Constraint[]): readonly Constraint[] {
  const stretch = publicationIn(constraints)
  if (!stretch) return constraints
  const within: Constraint[] = []
  for (const one of constraints) {
    within.push(one.kind === 'list' ? { ...one, ordinals: cut(one.ordinals, stretch) } : one)
  }
  return within
}

/** What bounds on times of publication let through, if they are among the constraints. */
export function publicationIn(constraints: readonly Constraint[]): { from: number; to: number } | null {
  for (const one of constraints) if (one.kind === 'stretch' && one.sort === 'published') return one
  return null
}

/** The part of an ascending list from `from` up to, not including, `to`. */
export const cut = (ordinals: Uint32Array, { from, to }: { from: number; to: number }): Uint32Array =>
  ordinals.subarray(firstFrom(ordinals, from), firstFrom(ordinals, to))
