/** The EPSS history of a CVE as a curve, with the changes of the model, and all points as a table. */
import type { EpssPoint } from '../data/answers.ts'
import { formatDay, formatProbability, formatShare } from '../parts/format.ts'
import { Folded, InSteps } from '../parts/steps.tsx'
import { Unknown } from '../parts/values.tsx'
import { CURVE, epssSteps } from './epss-steps.ts'

/** Rows of the table that are shown at first. */
const FIRST = 20
/** Width of the drawing on narrow screens, so that its texts are not made smaller. */
const NARROW = 340

/** `until` is the date of the current score. */
export function EpssCurve({ points, until }: { points: readonly EpssPoint[]; until: string | null }) {
  const width = window.matchMedia('(max-width: 40rem)').matches ? NARROW : CURVE.width
  const { paths, changes, ticks, first, last } = epssSteps(points, until, width)
  const { height, left, right, top, bottom } = CURVE
  const [oldest, newest] = [points[0]!, points.at(-1)!]
  const models = changes.map(({ model, date }) => `the model changed to ${model} on ${formatDay(date)}`)
  const summary = [
    `EPSS from ${formatShare(oldest.score)} on ${formatDay(first)} to ${formatShare(newest.score)} on ${formatDay(last)}`,
    ...models,
  ].join('; ')
  return (
    <figure class="chart epss-curve">
      <p class="axis">Probability of exploitation within 30 days</p>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
        {ticks.map(({ y, score }) => (
          <g key={score}>
            <line class="grid-line" x1={left} x2={width - right} y1={y} y2={y} />
            <text x={left - 4} y={y + 4} text-anchor="end">
              {formatProbability(score)}
            </text>
          </g>
        ))}
        {changes.map(({ x, model }) => (
          <g key={`${x} ${model}`} class="model">
            <line x1={x} x2={x} y1={top} y2={height - bottom} />
            {/* In the right half, the text is left of the line. */}
            <text x={x > width / 2 ? x - 4 : x + 4} y={top - 3} text-anchor={x > width / 2 ? 'end' : 'start'}>
              {model}
            </text>
          </g>
        ))}
        {paths.map(({ model, d }) => (
          <path key={`${model} ${d}`} d={d} />
        ))}
        <text x={left} y={height - 6}>
          {formatDay(first)}
        </text>
        <text x={width - right} y={height - 6} text-anchor="end">
          {formatDay(last)}
        </text>
      </svg>
      <p class="dim">
        Scores of different models are not comparable.
        {changes.length === 0 ? '' : ' A dashed line marks the first edition of another model.'}
      </p>
      <Folded summary="Values of the EPSS history">
        <InSteps items={points.toReversed()} first={FIRST} noun="points">
          {(shown) => <Points points={shown} />}
        </InSteps>
      </Folded>
    </figure>
  )
}

function Points({ points }: { points: readonly EpssPoint[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Date</th>
          <th scope="col" class="number">
            Score
          </th>
          <th scope="col" class="number">
            Percentile
          </th>
          <th scope="col">Model</th>
        </tr>
      </thead>
      <tbody>
        {points.map(({ date, score, percentile, model_version: model }) => (
          <tr key={date}>
            <th scope="row">{formatDay(date)}</th>
            <td class="number">{score}</td>
            <td class="number">{percentile ?? <Unknown />}</td>
            <td>{model}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
