/** The report of an hour of load: the minutes, the verdict, and both as text. */
import { median } from '../report/spread.ts'

/** An interval of the load: a minute, or shorter in a short soak. */
export interface SoakMinute {
  /** Seconds from the start of the soak to the end of the interval. */
  at: number
  seconds: number
  /** Requests/s in a closed loop just before: of the gateway with this mix, and of node:http with a constant body. */
  capacity: number
  reference: number
  /** Requests/s of the load. */
  rate: number
  /** With a correct answer. */
  requests: number
  /** Statuses other than 200 and 304, and requests without an answer. */
  errors: number
  statuses: Record<number, number>
  /** In ms, from the time when a request was due. */
  p50: number
  p99: number
  most: number
  /** Memory of the gateway at the end of the interval, and its peak. */
  rssMb: number
  peakRssMb: number
  /** Whether the snapshots were swapped in this interval. */
  swap: boolean
}

export interface SoakReport {
  mix: string
  cves: number
  /** Share of the capacity. */
  share: number
  minutes: SoakMinute[]
  /** The snapshots before and after the swap, and the seconds from activation until the new one was served. */
  swap: { from: string; to: string; seenAfter: number | null }
  verdict: Verdict[]
}

export interface Verdict {
  what: string
  holds: boolean
  figure: string
}

/** Maximum growth over the second half that counts as flat: this share of the mean, or `FLAT_MB` if that is more. */
const FLAT_SHARE = 0.05
const FLAT_MB = 12
/** p99 is steady if its last third is at most this many times its first third. */
const STEADY = 1.5
/** Maximum loss of capacity, relative to the reference, that does not count as slower. */
const LOST = 0.15

export function verdictOf({ minutes, swap }: Omit<SoakReport, 'verdict'>): Verdict[] {
  const calm = minutes.filter((minute) => !minute.swap)
  const second = calm.slice(Math.floor(calm.length / 2))
  const third = Math.max(1, Math.floor(calm.length / 3))
  const mean = second.reduce((sum, { rssMb }) => sum + rssMb, 0) / second.length
  const growth = slopeOf(second.map(({ at, rssMb }) => [at, rssMb])) * (second.at(-1)!.at - second[0]!.at)
  const errors = minutes.reduce((sum, minute) => sum + minute.errors, 0)
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0)
  const asked = minutes.reduce((sum, { seconds, rate }) => sum + seconds * rate, 0)
  const thirds = [calm.slice(0, third), calm.slice(-third)]
  const [early, late] = thirds.map((some) => median(some.map(({ p99 }) => p99)))
  const [before, after] = thirds.map((some) => median(some.map(({ capacity, reference }) => capacity / reference)))
  const swapping = minutes.filter((minute) => minute.swap)
  return [
    { what: 'no error', holds: errors === 0, figure: `${errors} of ${requests + errors}` },
    {
      what: 'all that was due was answered',
      holds: requests > asked * 0.98,
      figure: `${requests} of ${asked.toFixed(0)}`,
    },
    {
      what: 'memory flat over the second half',
      holds: growth <= Math.max(FLAT_MB, mean * FLAT_SHARE),
      figure: `${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB of ${mean.toFixed(0)} MB`,
    },
    {
      what: 'p99 steady',
      holds: late! <= early! * STEADY,
      figure: `${early!.toFixed(2)} ms in the first third, ${late!.toFixed(2)} ms in the last`,
    },
    {
      what: 'capacity steady beside that of the reference',
      holds: after! >= before! * (1 - LOST),
      figure: `${before!.toFixed(3)} of it in the first third, ${after!.toFixed(3)} in the last`,
    },
    {
      what: 'new snapshot served, no request failed meanwhile',
      holds: swap.seenAfter !== null && swapping.length > 0 && swapping.every((minute) => minute.errors === 0),
      figure: swap.seenAfter === null ? 'not seen' : `${swap.seenAfter.toFixed(1)} s after it was put up`,
    },
  ]
}

/** Returns the slope of the least-squares line through the points; 0 for fewer than two. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanOf = (i: 0 | 1) => points.reduce((sum, point) => sum + point[i], 0) / points.length
  const [meanX, meanY] = [meanOf(0), meanOf(1)]
  let above = 0
  let below = 0
  for (const [x, y] of points) {
    above += (x - meanX) * (y - meanY)
    below += (x - meanX) ** 2
  }
  return below === 0 ? 0 : above / below
}

/** Returns the report as a table, with the verdict below. */
export function soakText({ mix, cves, share, minutes, verdict }: SoakReport): string {
  const headings = [
    'min',
    'at most/s',
    'reference/s',
    'held/s',
    'requests',
    'errors',
    'p50 ms',
    'p99 ms',
    'most ms',
    'RSS MB',
    '',
  ]
  const rows = minutes.map(({ at, capacity, reference, rate, requests, errors, p50, p99, most, rssMb, swap }) => [
    (at / 60).toFixed(1),
    capacity.toFixed(0),
    reference.toFixed(0),
    rate.toFixed(0),
    String(requests),
    String(errors),
    p50.toFixed(2),
    p99.toFixed(2),
    most.toFixed(1),
    rssMb.toFixed(0),
    swap ? 'swap' : '',
  ])
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]!.length)))
  const table = [headings, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padStart(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  return [
    `${mix}, ${cves.toLocaleString('en')} CVEs: of what the gateway can do in a closed loop, measured anew for each row, ${Math.round(share * 100)} % is held`,
    ...table,
    '',
    ...verdict.map(({ what, holds, figure }) => `${holds ? 'yes' : 'NO '}  ${what}: ${figure}`),
  ].join('\n')
}
