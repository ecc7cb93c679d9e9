/** When the start page calls a feed old. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { feedAge, USUAL_DAYS } from '../../../corpus/explorer/app/pages/start/feed-age.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'

const NOW = Date.parse('2024-10-24T12:00:00Z')

test('a feed is old from the first day on that is more than usual', () => {
  assert.equal(feedAge('cvelist', '2024-10-21T00:00:00.000Z', NOW), { days: 3, usual: 3, isOld: false })
  assert.equal(feedAge('cvelist', '2024-10-20T12:00:00.000Z', NOW), { days: 4, usual: 3, isOld: true })
  assert.equal(feedAge('cwe', '2023-10-25T12:00:00.000Z', NOW), { days: 365, usual: 365, isOld: false })
  assert.equal(feedAge('cwe', '2023-10-24T12:00:00.000Z', NOW), { days: 366, usual: 365, isOld: true })
})

test('a feed without a date, without a rule or of the future is not old', () => {
  assert.equal(feedAge('epss', null, NOW), { days: null, usual: 3, isOld: false })
  assert.equal(feedAge('reports', '2020-01-01T00:00:00.000Z', NOW), { days: 1758, usual: null, isOld: false })
  assert.equal(feedAge('constructor', null, NOW), { days: null, usual: null, isOld: false })
  assert.equal(feedAge('epss', '2024-10-25T00:00:00.000Z', NOW), { days: 0, usual: 3, isOld: false })
})

test('the table has every public feed', () => {
  const known = new Set<string>(FEEDS.map(({ name }) => name))
  assert.equal(
    Object.keys(USUAL_DAYS).filter((name) => !known.has(name)),
    [],
  )
  const ruled = ['reports', 'report-types', 'analyses', 'service-scores', 'detections', 'exploited']
  assert.equal(
    FEEDS.map(({ name }) => name).filter((name) => !(name in USUAL_DAYS) && !ruled.includes(name)),
    [],
  )
})

test.run()
