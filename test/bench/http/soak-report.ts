/** What an hour of load says in the end: the minutes, the verdict, and both as text. */
import { median } from '../report/spread.ts'

/** A stretch of the load, a minute long unless the whole is short. */
export interface SoakMinute {
  /** Since the beginning, at its end, in s. */
  at: number
  seconds: number
  /** With a right answer. */
  requests: number
  /** Anything but 200 and 304, and requests that got no answer. */
  errors: number
  /** Answers by status. */
  statuses: Record<number, number>
  /** In ms, from when a request was due. */
  p50: number
  p99: number
  most: number
  /** Of the gateway, at the end of it and at most. */
  rssMb: number
  peakRssMb: number
  /** The snapshots were swapped in it. */
  swap: boolean
}

export interface SoakReport {
  mix: string
  cves: number
  /** Requests/s in a closed loop: the median of the tries. */
  capacity: number
  /** Requests/s that were held. */
  rate: number
  minutes: SoakMinute[]
  /** The snapshots before and after, and how long after the pointer was put up the gateway served the new one, in s. */
  swap: { from: string; to: string; seenAfter: number | null }
  verdict: Verdict[]
}

export interface Verdict {
  what: string
  holds: boolean
  figure: string
}

/** Growth over the second half that counts as flat: of the mean, and in MB where that is less. */
const FLAT_SHARE = 0.05
const FLAT_MB = 12
/** p99 is steady while in the last third it is at most so many times that of the first one. */
const STEADY = 1.5

export function verdictOf({ minutes, swap, rate }: Omit<SoakReport, 'verdict'>): Verdict[] {
  const calm = minutes.filter((minute) => !minute.swap)
  const second = calm.slice(Math.floor(calm.length / 2))
  const third = Math.max(1, Math.floor(calm.length / 3))
  const mean = second.reduce((sum, { rssMb }) => sum + rssMb, 0) / second.length
  const growth = slopeOf(second.map(({ at, rssMb }) => [at, rssMb])) * (second.at(-1)!.at - second[0]!.at)
  const errors = minutes.reduce((sum, minute) => sum + minute.errors, 0)
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0)
  const asked = minutes.reduce((sum, { seconds }) => sum + seconds, 0) * rate
  const [early, late] = [calm.slice(0, third), calm.slice(-third)].map((some) => median(some.map(({ p99 }) => p99)))
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
      what: 'new snapshot served, no request failed meanwhile',
      holds: swap.seenAfter !== null && swapping.length > 0 && swapping.every((minute) => minute.errors === 0),
      figure: swap.seenAfter === null ? 'not seen' : `${swap.seenAfter.toFixed(1)} s after it was put up`,
    },
  ]
}

/** The slope of the line nearest to all points, by least squares; 0 of fewer than two. */
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

/** The report as a table, and the verdict below it. */
export function soakText({ mix, cves, capacity, rate, minutes, verdict }: SoakReport): string {
  const headings = ['min', 'requests', 'errors', 'p50 ms', 'p99 ms', 'most ms', 'RSS MB', '']
  const rows = minutes.map(({ at, requests, errors, p50, p99, most, rssMb, swap }) => [
    (at / 60).toFixed(1),
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
    `${mix}, ${cves.toLocaleString('en')} CVEs: ${rate.toFixed(0)} requests/s held, of ${capacity.toFixed(0)} at most`,
    ...table,
    '',
    ...verdict.map(({ what, holds, figure }) => `${holds ? 'yes' : 'NO '}  ${what}: ${figure}`),
  ].join('\n')
}
