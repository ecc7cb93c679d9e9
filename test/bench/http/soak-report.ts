/** The report of an hour of load: the minutes, the verdict, and both as text. */
import { median } from '../report/line.ts'
import { textTable } from '../report/report.ts'

/** An interval of the load: a minute, or shorter in a short soak. */
export interface SoakMinute {
  /** Seconds from the start of the soak to the end of the interval. */
  at: number
  seconds: number
  /** Requests/s in a closed loop just before: of the gateway with this mix, and of polka with a constant body. */
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
  /** Memory of the gateway at the end of the interval, and its peak so far. */
  rssMb: number
  peakMb: number
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
  const sum = (of: (minute: SoakMinute) => number, some = minutes) => some.reduce((total, one) => total + of(one), 0)
  const mean = sum(({ rssMb }) => rssMb, second) / second.length
  const growth = slopeOf(second.map(({ at, rssMb }) => [at, rssMb])) * (second.at(-1)!.at - second[0]!.at)
  const errors = sum((minute) => minute.errors)
  const requests = sum((minute) => minute.requests)
  const due = sum(({ seconds, rate }) => seconds * rate)
  const thirds = [calm.slice(0, third), calm.slice(-third)]
  const [early, late] = thirds.map((some) => median(some.map(({ p99 }) => p99)))
  const [before, after] = thirds.map((some) => median(some.map(({ capacity, reference }) => capacity / reference)))
  const swapping = minutes.filter((minute) => minute.swap)
  const verdict = (what: string, holds: boolean, figure: string): Verdict => ({ what, holds, figure })
  return [
    verdict('no error', errors === 0, `${errors} of ${requests + errors}`),
    verdict('all due requests answered', requests > due * 0.98, `${requests} of ${due.toFixed(0)}`),
    verdict(
      'memory flat over the second half',
      growth <= Math.max(FLAT_MB, mean * FLAT_SHARE),
      `${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB of ${mean.toFixed(0)} MB`,
    ),
    verdict(
      'p99 steady',
      late! <= early! * STEADY,
      `${early!.toFixed(2)} ms in the first third, ${late!.toFixed(2)} ms in the last`,
    ),
    verdict(
      'capacity steady relative to the reference',
      after! >= before! * (1 - LOST),
      `${before!.toFixed(3)} of it in the first third, ${after!.toFixed(3)} in the last`,
    ),
    verdict(
      'new snapshot served without a failed request',
      swap.seenAfter !== null && swapping.length > 0 && swapping.every((minute) => minute.errors === 0),
      swap.seenAfter === null ? 'not seen' : `${swap.seenAfter.toFixed(1)} s after its activation`,
    ),
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

const COLUMNS: Record<string, (minute: SoakMinute) => string> = {
  min: ({ at }) => (at / 60).toFixed(1),
  'capacity/s': ({ capacity }) => capacity.toFixed(0),
  'reference/s': ({ reference }) => reference.toFixed(0),
  'load/s': ({ rate }) => rate.toFixed(0),
  requests: ({ requests }) => String(requests),
  errors: ({ errors }) => String(errors),
  'p50 ms': ({ p50 }) => p50.toFixed(2),
  'p99 ms': ({ p99 }) => p99.toFixed(2),
  'most ms': ({ most }) => most.toFixed(1),
  'RSS MB': ({ rssMb }) => rssMb.toFixed(0),
  '': ({ swap }) => (swap ? 'swap' : ''),
}

/** Returns the report as a table, with the verdict below. */
export function soakText({ mix, cves, share, minutes, verdict }: SoakReport): string {
  const rows = minutes.map((minute) => Object.values(COLUMNS).map((cell) => cell(minute)))
  const title = `${mix}, ${cves.toLocaleString('en')} CVEs: ${Math.round(share * 100)} % of the capacity in a closed loop, measured again for each row`
  const verdicts = verdict.map(({ what, holds, figure }) => `${holds ? 'yes' : 'NO '}  ${what}: ${figure}`)
  return [title, textTable([Object.keys(COLUMNS), ...rows]), '', ...verdicts].join('\n')
}
