/**
 * Bitmaps of each flag and severity by position of each order, so that scans skip 32 positions at once; and the key of
 * each ordinal. Built lazily; 3 MB in total at 350,000 CVEs.
 */

import { CVE_SORTS, type CveSort } from '../cursor/order.ts'
import type { Columns } from '../derive/columns.ts'
import { FLAGS, SEVERITIES } from '../derive/facts.ts'
import type { Orders } from '../derive/orders.ts'
import type { Postings } from '../derive/postings.ts'
import { type Bits, bitsWhere, countBits } from './bits.ts'

export interface PositionedBits {
  in(sort: CveSort): Bits
  count(): number
}

/** For each ordinal the index of its key plus 1, or 0 without a key. */
export type KeyColumn = Uint16Array | Uint32Array

export interface SnapshotBits {
  /** `mask` is one of `FLAGS`. */
  flag(mask: number): PositionedBits
  /** `code` is the index in `SEVERITIES`. */
  severity(code: number): PositionedBits
  /** Columns where each ordinal has at most one key. */
  assigner(): KeyColumn
  primaryCwe(): KeyColumn
}

export function snapshotBits({ columns, orders }: { columns: Columns; orders: Orders }): SnapshotBits {
  const { count, flags, severity } = columns
  const located = (test: (ordinal: number) => boolean): PositionedBits => {
    const made = new Map<CveSort, Bits>()
    let size = -1
    const bits = (sort: CveSort) => {
      let found = made.get(sort)
      if (!found) {
        const { ordinals } = orders[sort]
        found = bitsWhere(count, (position) => test(ordinals[position]!))
        made.set(sort, found)
      }
      return found
    }
    return {
      in: bits,
      count() {
        if (size < 0) size = countBits(bits('published'))
        return size
      },
    }
  }
  const ofFlag = new Map(
    Object.values(FLAGS).map((mask) => [mask as number, located((one) => (flags[one]! & mask) !== 0)]),
  )
  const ofSeverity = SEVERITIES.map((_, code) => located((ordinal) => severity[ordinal] === code))
  return {
    flag: (mask) => ofFlag.get(mask)!,
    severity: (code) => ofSeverity[code]!,
    assigner: once(() => keyColumn(count, columns.assigner)),
    primaryCwe: once(() => keyColumn(count, columns.primaryCwe)),
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function keyColumn(count: number, { starts, ordinals }: Pick<Postings<unknown>, 'starts' | 'ordinals'>): KeyColumn {
  const column = starts.length < 2 ** 16 ? new Uint16Array(count) : new Uint32Array(count)
  for (let key = 0; key + 1 < starts.length; key++) {
    for (let at = starts[key]!; at < starts[key + 1]!; at++) column[ordinals[at]!] = key + 1
  }
  return column
}

export const FILTER_FLAGS = ['kev', 'has_exploit', 'has_patch', 'has_detection'] as const

/** Builds all bitmaps in advance, one per event loop turn. Each takes one or two ms at 350,000 CVEs. */
export function warmBits(bits: SnapshotBits): void {
  const sets = [
    ...FILTER_FLAGS.map((name) => bits.flag(FLAGS[name])),
    ...SEVERITIES.map((_, code) => bits.severity(code)),
  ]
  const makers: (() => unknown)[] = [
    ...sets.flatMap((set) => CVE_SORTS.map((sort) => () => set.in(sort))),
    bits.assigner,
    bits.primaryCwe,
  ]
  const next = () => {
    if (!makers.pop()?.()) return
    setImmediate(next).unref()
  }
  setImmediate(next).unref()
}
