/** The bits of each flag and severity of a snapshot, made when they are first asked for. */

import { type Columns, SEVERITIES } from '../../corpus/snapshot/derive/columns.ts'
import { FLAGS } from '../../corpus/snapshot/derive/gather.ts'
import { type Bits, bitsWhere } from './bits.ts'

export interface SnapshotBits {
  flag(mask: (typeof FLAGS)[keyof typeof FLAGS]): Bits
  /** `code` is the place in `SEVERITIES`. */
  severity(code: number): Bits
}

export function snapshotBits({ count, flags, severity }: Columns): SnapshotBits {
  const made = new Map<string, Bits>()
  const once = (name: string, test: (ordinal: number) => boolean) => {
    let bits = made.get(name)
    if (!bits) {
      bits = bitsWhere(count, test)
      made.set(name, bits)
    }
    return bits
  }
  return {
    flag: (mask) => once(`flag ${mask}`, (ordinal) => (flags[ordinal]! & mask) !== 0),
    severity: (code) => once(`severity ${code}`, (ordinal) => severity[ordinal] === code),
  }
}

/** Makes them all before anybody asks, one in a turn: each takes a millisecond or two at 350,000 CVEs. */
export function warmBits(bits: SnapshotBits): void {
  const makers = [
    ...Object.values(FLAGS).map((mask) => () => bits.flag(mask)),
    ...SEVERITIES.keys().map((code) => () => bits.severity(code)),
  ]
  const next = () => {
    if (!makers.pop()?.()) return
    setImmediate(next).unref()
  }
  setImmediate(next).unref()
}
