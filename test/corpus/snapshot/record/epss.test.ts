/** The EPSS table: accepted releases, and its data in answers. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import {
  decodeEpss,
  type EpssColumns,
  encodeEpss,
  epssAt,
  epssCurrent,
  epssMember,
  NO_EPSS,
} from '../../../../corpus/snapshot/record/epss.ts'

const epssOf = (date: string | null, modelVersion: string | null): EpssColumns => ({
  date,
  modelVersion,
  scores: Uint32Array.of(500_000_000, NO_EPSS),
  percentiles: Uint32Array.of(900_000_000, NO_EPSS),
})

test('a table comes back as it was, with a release or with none', () => {
  for (const columns of [epssOf('2021-04-14', 'unknown'), epssOf(null, null)]) {
    assert.equal(decodeEpss(encodeEpss(columns)), columns)
  }
})

test('half a release, an empty one or no day is damage', () => {
  const releases = [
    ['2021-04-14', null],
    [null, 'v1'],
    ['', 'v1'],
    ['2021-04-14', ''],
    ['2021-02-30', 'v1'],
    ['2021-04-14","x":"', 'v1'],
  ] as const
  for (const [date, model] of releases) {
    assert.throws(
      () => decodeEpss(encodeEpss(epssOf(date, model))),
      (error: unknown) => error instanceof SnapshotError && error.code === 'malformed',
      `${date} ${model}`,
    )
  }
})

test('an answer has the score with its day, and JSON whatever the model is called', () => {
  const epss = epssAt(epssOf('2021-04-14', 'v"1"'), 0)
  assert.is(epssMember(epss), ',"epss":{"score":0.5,"percentile":0.9,"date":"2021-04-14"}')
  assert.equal(JSON.parse(epssCurrent(epss)), {
    date: '2021-04-14',
    epss_score: 0.5,
    percentile: 0.9,
    model_version: 'v"1"',
  })
})

test('without a score, or without a release, an answer has nulls', () => {
  for (const epss of [epssAt(epssOf('2021-04-14', 'v1'), 1), epssAt(epssOf(null, null), 0)]) {
    assert.is(epssMember(epss), ',"epss":{"score":null,"percentile":null,"date":null}')
    assert.is(epssCurrent(epss), 'null')
  }
})

test.run()
