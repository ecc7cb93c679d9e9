/** The EPSS history of a block: editions in any order, texts, and the points of one id. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  advance,
  type EditionPoints,
  type EditionScores,
  editionText,
  emptyState,
  NO_VALUE,
  pointsIn,
  quarterOf,
  readEditions,
  withEdition,
} from '../../../../corpus/model/epss/history.ts'

const UNIT = 10_000

/** Returns an edition; `scores` has hundred-thousandths by id. */
function edition(date: string, model: string, scores: Record<number, number>): EditionScores {
  const all = {
    date,
    model,
    scores: new Uint32Array(1000).fill(NO_VALUE),
    percentiles: new Uint32Array(1000).fill(NO_VALUE),
  }
  for (const [id, score] of Object.entries(scores)) {
    all.scores[Number(id)] = score * UNIT
    all.percentiles[Number(id)] = (score + 500) * UNIT
  }
  return all
}

const pointsOf = (editions: readonly EditionPoints[], id: number) =>
  pointsIn([editions.map(editionText).join(',')], id)!

const asRows = (editions: readonly EditionPoints[], id: number) =>
  pointsOf(editions, id).map(({ date, score, percentile }) => [date.slice(5), score, percentile])

/** Reads editions in their given order. */
function history(all: readonly EditionScores[]): EditionPoints[] {
  let points: EditionPoints[] = []
  const known: EditionScores[] = []
  for (const one of all) {
    known.sort((a, b) => (a.date < b.date ? -1 : 1))
    points = withEdition(points, one, known.find(({ date }) => date > one.date) ?? null)
    known.push(one)
  }
  return points
}

/** Numbers from a seed, so that a failure repeats. */
function randomNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

function randomEditions(random: (below: number) => number): EditionScores[] {
  return Array.from({ length: 8 }, (_, i) => {
    const scores: Record<number, number> = {}
    for (let id = 0; id < 6; id++) if (random(5) > 0) scores[id] = random(3)
    return edition(`2026-0${i + 1}-01`, `v${Math.floor(i / 3)}`, scores)
  })
}

test('rule 33: in each order of reading, the scores of every edition are those of its file', () => {
  const random = randomNumbers(7)
  for (let round = 0; round < 200; round++) {
    const all = randomEditions(random)
    const shuffled = all.map((one) => ({ one, at: random(1e6) })).sort((a, b) => a.at - b.at)
    const points = history(shuffled.map(({ one }) => one))
    const state = emptyState()
    for (const { date, model, scores } of all) {
      const changed = points.find((one) => one.date === date)
      if (changed) advance(state, changed)
      assert.equal(state.scores, scores, `${round} ${date}`)
      for (let id = 0; id < 6; id++) if (scores[id] !== NO_VALUE) assert.is(state.models[id], model)
    }
    const inOrder = history(all)
    assert.equal(
      points.map(({ date }) => date),
      inOrder.map(({ date }) => date),
    )
    for (let id = 0; id < 6; id++) {
      const [found, expected] = [pointsOf(points, id), pointsOf(inOrder, id)]
      assert.equal(
        found.map(({ date, score, modelVersion }) => [date, score, modelVersion]),
        expected.map(({ date, score, modelVersion }) => [date, score, modelVersion]),
      )
      // A percentile is that of the file, or unknown. It is never another one.
      for (const [i, { percentile }] of found.entries()) {
        if (percentile !== null) assert.is(percentile, expected[i]!.percentile)
      }
    }
  }
})

test('rule 33: an edition that is read again with other scores replaces the former one', () => {
  const random = randomNumbers(11)
  for (let round = 0; round < 100; round++) {
    const all = randomEditions(random)
    const wrong = all.map((one) => edition(one.date, 'wrong', { [random(6)]: random(3) }))
    const which = random(8)
    const first = all.map((one, i) => (i === which ? wrong[i]! : one))
    const corrected = withEdition(history(first), all[which]!, all[which + 1] ?? null)
    const known = (points: readonly EditionPoints[]) =>
      points.map(({ percentiles: _, ids, scores, absent, ...one }) => ({
        ...one,
        changed: Array.from(ids, (id, i) => [id, scores[i]]).sort((a, b) => a[0]! - b[0]!),
        absent,
      }))
    assert.equal(known(corrected), known(history(all)), `round ${round}`)
  }
})

test('rule 33: a point is a change of score or model; a later one that repeats it has no percentile', () => {
  const [a, b, c] = [
    edition('2026-01-01', 'v1', { 3: 10 }),
    edition('2026-01-02', 'v1', { 3: 20 }),
    edition('2026-01-03', 'v1', { 3: 10 }),
  ]
  assert.equal(asRows(history([a, c]), 3), [['01-01', 0.0001, 0.0051]])
  assert.equal(asRows(history([a, c, b]), 3), [
    ['01-01', 0.0001, 0.0051],
    ['01-02', 0.0002, 0.0052],
    ['01-03', 0.0001, null],
  ])
  assert.equal(asRows(history([a, edition('2026-01-02', 'v2', { 3: 10 })]), 3), [
    ['01-01', 0.0001, 0.0051],
    ['01-02', 0.0001, 0.0051],
  ])
})

test('rule 33: an id that is missing in an edition and then returns with its score has no further point', () => {
  const gone = [
    edition('2026-01-01', 'v1', { 3: 10 }),
    edition('2026-01-02', 'v1', { 4: 1 }),
    edition('2026-01-03', 'v1', { 3: 10, 4: 1 }),
    edition('2026-01-04', 'v1', { 3: 30, 4: 1 }),
  ]
  assert.equal(asRows(history(gone), 3), [
    ['01-01', 0.0001, 0.0051],
    ['01-04', 0.0003, 0.0053],
  ])
})

test('a text gives back its editions, with up to nine decimals', () => {
  const points = history([
    edition('2026-01-01', 'v1', { 0: 10, 999: 10, 7: 99_500 }),
    edition('2026-02-01', 'v1', { 0: 10, 7: 1 }),
  ])
  points[1]!.scores[0] = 123_456_789
  const text = points.map(editionText).join(',')
  assert.equal(readEditions(text), points)
  assert.is(
    editionText(points[0]!),
    '{"date":"2026-01-01","model":"v1","decimals":5,"ids":[0,999,7],"scores":[10,0,99490],"percentiles":[510,0,99490]}',
  )
  assert.match(editionText(points[1]!), '"decimals":9')
  assert.match(editionText(points[1]!), '"absent":[999]')
})

test('a damaged text is refused', () => {
  const good = { date: '2026-01-01', model: 'v1', decimals: 5, ids: [1, 2], scores: [1, 1], percentiles: [1] }
  assert.ok(readEditions(JSON.stringify(good)))
  const bad: unknown[] = [
    null,
    7,
    { ...good, date: 'x' },
    { ...good, model: 1 },
    { ...good, decimals: 3 },
    { ...good, ids: [1, 1] },
    { ...good, ids: [1, 1000] },
    { ...good, ids: [1, -1] },
    { ...good, ids: [1.5, 2] },
    { ...good, scores: [1] },
    { ...good, scores: [1, 100_000] },
    { ...good, scores: [1, -2] },
    { ...good, scores: ['1', 1] },
    { ...good, percentiles: [1, 1, 1] },
    { ...good, absent: 1 },
    { ...good, absent: [1000] },
  ]
  for (const one of bad) assert.is(readEditions(JSON.stringify(one)), null, JSON.stringify(one))
  for (const one of [
    null,
    7,
    ...bad.slice(2, 5),
    { ...good, scores: [1] },
    { ...good, scores: [1, -2] },
    { ...good, scores: [1, '1'] },
  ]) {
    assert.is(pointsIn([JSON.stringify(one)], 2), null, JSON.stringify(one))
  }
  for (const text of ['', '{', '[]]']) assert.not.ok(readEditions(text)?.length, text)
  assert.is(readEditions(`${JSON.stringify(good)},${JSON.stringify(good)}`), null)
})

test('a quarter has three months', () => {
  assert.equal(['2026-01-31', '2026-03-31', '2026-04-01', '2026-12-31'].map(quarterOf), [
    '2026-Q1',
    '2026-Q1',
    '2026-Q2',
    '2026-Q4',
  ])
})

test.run()
