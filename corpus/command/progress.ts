/**
 * Progress of long work: a bar on a terminal, occasional lines in a log. The cursor is always at the beginning of the
 * line below the bar, and no mode of the terminal changes. An error, Ctrl-C or a kill therefore needs no clean-up.
 */
import { grouped, megabytes } from './format.ts'
import { printableLine } from './printable.ts'

/** Reports that `done` of `total` items or bytes are done. `done === total` ends the step. */
export type Progress = (step: string, done: number, total: number, unit?: 'bytes') => void

export const noProgress: Progress = () => {}

/** Minimum time between two lines in a log, in ms. */
const LOG_EVERY_MS = 10_000
const REDRAW_EVERY_MS = 100
/** An average over a shorter time says little. */
const RATE_AFTER_MS = 2000
/** A step of fewer items has items of very different cost. */
const RATE_ITEMS = 100
const BAR_LENGTH = 20
const COLUMNS = 80

const UP = '\x1b[1A'
const CLEAR_TO_END = '\x1b[K'

/** The terminal that shows a bar now. */
let shownOn: NodeJS.WriteStream | null = null

/** Removes the bar from the terminal, before other output. The next progress draws it again. */
export function clearProgress(): void {
  shownOn?.write(`${UP}\r${CLEAR_TO_END}`)
  shownOn = null
}

function draw(out: NodeJS.WriteStream, line: string): void {
  const fitting = cutToWidth(line, (out.columns ?? COLUMNS) - 1)
  out.write(`${shownOn === null ? '' : UP}\r${fitting}${CLEAR_TO_END}\n`)
  shownOn = out
}

/** Shows progress on `out`, by default standard error. `now` is a clock in ms. */
export function showProgress(out: NodeJS.WriteStream = process.stderr, now: () => number = Date.now): Progress {
  return out.isTTY && process.env.TERM !== 'dumb' ? showBar(out, now) : writeLines(out, now)
}

function writeLines(out: NodeJS.WriteStream, now: () => number): Progress {
  let last = now()
  return (step, done, total, unit) => {
    if (now() - last < LOG_EVERY_MS) return
    last = now()
    out.write(`${countOf(step, done, total, unit)}\n`)
  }
}

/** Returns `shards: 640 of 1,420` or `fetched: 12.3 MB of 650.0 MB`. */
const countOf: (...progress: Parameters<Progress>) => string = (step, done, total, unit) => {
  const amount = unit === 'bytes' ? megabytes : grouped
  return `${printableLine(step)}: ${amount(done)} of ${amount(total)}`
}

/** The state of the current step. */
interface Step {
  name: string
  first: { at: number; done: number }
  total: number
  /** The total was another one before: the time that is left is unknown. */
  grew: boolean
}

function showBar(out: NodeJS.WriteStream, now: () => number): Progress {
  let last = 0
  let step: Step | null = null
  return (name, done, total, unit) => {
    const at = now()
    if (step?.name !== name || done < step.first.done) step = { name, first: { at, done }, total, grew: false }
    step = { ...step, total, grew: step.grew || total !== step.total }
    if (done === total) return clearProgress()
    if (at - last < REDRAW_EVERY_MS) return
    last = at
    draw(out, [barOf(done / total), ...speedOf(step, done, at, unit), countOf(name, done, total, unit)].join('  '))
  }
}

/** Returns `[=========-----------]  45 %`. */
function barOf(share: number): string {
  const filled = Math.floor(Math.min(share, 1) * BAR_LENGTH)
  const percent = String(Math.floor(Math.min(share, 1) * 100)).padStart(3)
  return `[${'='.repeat(filled).padEnd(BAR_LENGTH, '-')}] ${percent} %`
}

/** Returns the average rate of the step and the time that is left, such as `85/s` and `1:07 left`, where they mean something. */
function speedOf({ first, total, grew }: Step, done: number, at: number, unit?: 'bytes'): string[] {
  const rate = ((done - first.done) * 1000) / (at - first.at)
  if (at - first.at < RATE_AFTER_MS || rate <= 0 || (unit === undefined && total < RATE_ITEMS)) return []
  const speed = unit === 'bytes' ? `${megabytes(rate)}/s` : `${grouped(Number(rate.toPrecision(3)))}/s`
  return grew ? [speed] : [speed, `${clockTime((total - done) / rate)} left`]
}

/** Returns `0:07`, `12:05` or `3:02:05`. */
function clockTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (part: number) => String(part % 60).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes}:${two(whole)}` : `${Math.floor(minutes / 60)}:${two(minutes)}:${two(whole)}`
}

/** Cuts a line to columns of a terminal, so that it never wraps. Counts two for a character that may be wide. */
function cutToWidth(line: string, columns: number): string {
  let width = 0
  let cut = ''
  for (const character of line) {
    width += character.codePointAt(0)! < 0x1100 ? 1 : 2
    if (width > columns) break
    cut += character
  }
  return cut
}
