/** Numbers and dates in the user's locale. */

const NUMBER = new Intl.NumberFormat()
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const PROBABILITY = new Intl.NumberFormat(undefined, { style: 'percent', maximumSignificantDigits: 2 })
const TENTHS = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
const POINTS = new Intl.NumberFormat(undefined, {
  signDisplay: 'exceptZero',
  maximumFractionDigits: 1,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
})
const SCORE = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const MONTH = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' })
/** Dates without a time are days in UTC. */
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const formatCount = (count: number): string => NUMBER.format(count)
/** A number in little space: `1.2K`. */
export const formatCompact = (count: number): string => COMPACT.format(count)
/** `YYYY-MM` */
export const formatMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`))
/** The lowest share that is not shown as 0 %. */
const LEAST_SHARE = 0.001
/** A share from 0 to 1. */
export const formatShare = (share: number): string =>
  share > 0 && share < LEAST_SHARE / 2 ? `<${PERCENT.format(LEAST_SHARE)}` : PERCENT.format(share)
/** A difference of shares in percentage points, with its sign: `+4.2 pp`. Below 1 it keeps two digits. */
export const formatChange = (change: number): string => `${POINTS.format(change * 100)} pp`
/** A percentage from 0 to 100, such as the completeness of a CNA. All have one decimal. */
export const formatPercent = (value: number): string => TENTHS.format(value / 100)
/** The bound of a band of EPSS scores: small ones keep two digits. */
export const formatProbability = (score: number): string => PROBABILITY.format(score)
export const formatScore = (score: number): string => SCORE.format(score)
/** `YYYY-MM-DD` */
export const formatDay = (day: string): string => DAY.format(new Date(`${day}T00:00:00Z`))
/** Whether a text of a feed is a day or a time. Formatting another text would fail. */
export const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text))
/** An ISO 8601 time, in the user's time zone. */
export const formatTime = (time: string): string => TIME.format(new Date(time))
/** An ISO 8601 time in UTC: `2024-04-12 07:20:00 UTC`. */
export const formatUtc = (time: string): string => `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
