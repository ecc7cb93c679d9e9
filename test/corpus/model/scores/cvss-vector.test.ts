/** Base scores of vectors: FIRST's published examples, and invalid vectors. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { baseScore } from '../../../../corpus/model/scores/cvss-vector.ts'

test('every version is scored by its own specification', () => {
  const scores = [
    'AV:N/AC:L/Au:N/C:P/I:P/A:P',
    'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    'CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:L/SI:L/SA:L',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  ].map((vector) => {
    const { version, score } = baseScore(vector)!
    return [version, score]
  })
  assert.equal(scores, [
    ['2.0', 7.5],
    ['3.0', 9.8],
    ['3.1', 9.9],
    ['4.0', 9.3],
    ['4.0', 7.3],
    ['3.1', 0],
  ])
})

test('threat, environmental and supplemental metrics do not count', () => {
  const base = 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'
  assert.is(baseScore(base)?.score, 9.2)
  assert.is(baseScore(`${base}/E:U`)?.score, 9.2)
  assert.is(baseScore(`${base}/E:X/CR:L/MAV:P/MSI:S/S:N/AU:Y/R:I/V:C/RE:M/U:Red`)?.score, 9.2)
  assert.is(baseScore('CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H/RL:O')?.score, 10)
  assert.is(baseScore('AV:N/AC:L/Au:N/C:P/I:P/A:P/E:U/RL:OF/RC:UC')?.score, 7.5)
})

test('metrics may have any order', () => {
  assert.is(baseScore('CVSS:3.1/S:U/C:H/I:H/A:H/AV:N/AC:L/PR:N/UI:N')?.score, 9.8)
})

test('what lacks a base metric, has it twice or with a value of another version is no vector', () => {
  for (const text of [
    '',
    'HIGH',
    'CVSS:3.1',
    'CVSS:3.1/',
    'CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/A:L',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/I:H',
    'CVSS:3.1/AV:Q/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:C/I:C/A:C',
    'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  ]) {
    assert.is(baseScore(text), null, text)
  }
})

test.run()
