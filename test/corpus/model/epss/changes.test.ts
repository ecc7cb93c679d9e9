/** Which edition a change is compared with, and the scores of past editions: RULES.md, rule 34. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changeBase, scoresOn } from '../../../../corpus/model/epss/changes.ts'
import { NO_VALUE } from '../../../../corpus/model/epss/history.ts'

const editions = (...dates: string[]) =>
  dates.map((text) => {
    const [date, model = 'v1'] = text.split(' ') as [string, string?]
    return { date, model, scores: 1 }
  })
const now = { date: '2024-06-30', model: 'v1' }

test('the newest edition that is old enough counts, up to a week older', () => {
  const base = (...dates: string[]) => [7, 30].map((days) => changeBase(editions(...dates), now, days as 7))
  assert.equal(base(), [null, null])
  assert.equal(base('2024-06-30'), [null, null])
  assert.equal(base('2024-05-20', '2024-05-31', '2024-06-01', '2024-06-23', '2024-06-24', '2024-06-30'), [
    '2024-06-23',
    '2024-05-31',
  ])
  assert.equal(base('2024-05-24', '2024-06-16'), ['2024-06-16', '2024-05-24'])
  assert.equal(base('2024-05-23', '2024-06-15'), [null, null])
  assert.equal(base('2024-05-31 v0', '2024-06-22 v0'), [null, null])
  assert.equal(base('2024-05-30', '2024-05-31 v0'), [null, null], 'an older edition is no replacement')
})

test('the scores on a date are those of the last points before it', () => {
  const edition = (date: string, ids: number[], scores: number[], absent: number[] = []) =>
    JSON.stringify({ date, model: 'v1', decimals: 5, ids, scores, percentiles: [], absent })
  const texts = [
    `${edition('2024-05-01', [1, 2], [100, 100])},${edition('2024-05-10', [1], [300])}`,
    edition('2024-06-01', [3], [500], [2]),
  ]
  const found = scoresOn(texts, ['2024-04-30', '2024-05-01', '2024-05-31', '2024-06-01', null])!
  assert.equal(
    found.map((scores) => [1, 2, 3].map((id) => (scores[id] === NO_VALUE ? null : scores[id]! / 1e4))),
    [
      [null, null, null],
      [100, 200, null],
      [300, 200, null],
      [300, null, 500],
      [null, null, null],
    ],
  )
  assert.is(scoresOn(['{}'], ['2024-05-01']), null)
})

test.run()
