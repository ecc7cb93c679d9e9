/** The curve of EPSS: steps, changes of the model, the axis. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CURVE, epssSteps } from '../../../corpus/explorer/app/charts/epss-steps.ts'

const point = (date: string, score: number, model_version = 'v1') => ({ date, score, model_version })
const { width, height, left, right, top, bottom } = CURVE
const end = width - right
const floor = height - bottom

test('a score is valid until the next point, and the last one until the current date', () => {
  const { paths, first, last } = epssSteps([point('2026-01-01', 0), point('2026-01-06', 0.1)], '2026-01-11')
  assert.equal([first, last], ['2026-01-01', '2026-01-11'])
  const middle = left + (end - left) / 2
  assert.equal(paths, [{ model: 'v1', d: `M${left} ${floor}H${middle}V${top}H${end}` }])
})

test('no line joins the scores of two models; the change is marked', () => {
  const points = [point('2026-01-01', 0.1), point('2026-01-06', 0.05, 'v2'), point('2026-01-11', 0.05, 'v3')]
  const { paths, changes } = epssSteps(points, null)
  assert.equal(
    paths.map(({ model }) => model),
    ['v1', 'v2', 'v3'],
  )
  assert.ok(paths.every(({ d }) => !d.includes('V')))
  assert.equal(
    changes.map(({ date, model }) => [date, model]),
    [
      ['2026-01-06', 'v2'],
      ['2026-01-11', 'v3'],
    ],
  )
  assert.is(changes[1]!.x, end)
})

test('the axis ends at a round number not below the highest score', () => {
  const top = (score: number) => epssSteps([point('2026-01-01', score)], null).ticks.at(-1)!.score
  assert.equal([0, 0.0004, 0.001, 0.0011, 0.3, 0.94, 1].map(top), [0.001, 0.001, 0.001, 0.002, 0.5, 1, 1])
})

test('one point is a curve too, and every position is inside of the chart', () => {
  for (const until of [null, '2025-12-31', '2026-01-01', '2026-02-01']) {
    const { paths, ticks } = epssSteps([point('2026-01-01', 0.02)], until)
    const numbers = [
      ...paths
        .map(({ d }) => d)
        .join()
        .matchAll(/[\d.]+/g),
    ].map(Number)
    for (const number of [...numbers, ...ticks.map(({ y }) => y)])
      assert.ok(number >= 0 && number <= width, `${number}`)
  }
})

test.run()
