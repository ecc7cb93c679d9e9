/** The geometry of the curve of EPSS: a score is valid until the next point. */

export interface ScoredPoint {
  date: string
  score: number
  model_version: string
}

export const CURVE = { width: 640, height: 180, left: 44, right: 8, top: 14, bottom: 22 } as const

export interface Steps {
  /** The `d` of an SVG path for each model, oldest first. */
  paths: { model: string; d: string }[]
  /** Where a model begins, except the first one. */
  changes: { x: number; model: string; date: string }[]
  /** Labels of the vertical axis: scores, and their positions. */
  ticks: { y: number; score: number }[]
  first: string
  last: string
}

const TOPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
const rounded = (value: number) => Math.round(value * 10) / 10

/** `points` are oldest first, at least one. The curve ends at `until`, or at the last point. `width` is that of the drawing. */
export function epssSteps(points: readonly ScoredPoint[], until: string | null, width: number = CURVE.width): Steps {
  const { height, left, right, top, bottom } = CURVE
  const first = points[0]!.date
  const lastPoint = points.at(-1)!.date
  const last = until !== null && until > lastPoint ? until : lastPoint
  const span = Math.max(1, Date.parse(last) - Date.parse(first))
  const most = Math.max(...points.map(({ score }) => score))
  const highest = TOPS.find((one) => one >= most) ?? 1
  const x = (date: string) => rounded(left + ((Date.parse(date) - Date.parse(first)) / span) * (width - left - right))
  const y = (score: number) => rounded(top + (1 - score / highest) * (height - top - bottom))
  const steps: Steps = { paths: [], changes: [], ticks: [], first, last }
  for (const [i, { date, score, model_version: model }] of points.entries()) {
    const path = steps.paths.at(-1)
    const end = `H${x(points[i + 1]?.date ?? last)}`
    if (path?.model === model) path.d += `V${y(score)}${end}`
    else {
      // Scores of two models are not comparable, so no line joins them.
      if (path) steps.changes.push({ x: x(date), model, date })
      steps.paths.push({ model, d: `M${x(date)} ${y(score)}${end}` })
    }
  }
  for (const score of [0, highest / 2, highest]) steps.ticks.push({ y: y(score), score })
  return steps
}
