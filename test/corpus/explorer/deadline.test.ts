/** Remediation deadlines and notes of KEV in words. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deadlineText, isKnown, notesOf } from '../../../corpus/explorer/app/pages/cves/deadline.ts'
import { deadlineOf } from '../../../corpus/model/scores/deadline.ts'

const listed = { listed: true, date_added: '2026-06-20' }
const unlisted = { listed: false, date_added: null }
const textsOf = (kev: typeof listed | typeof unlisted, ...ssvc: ['yes' | 'no' | null, 'partial' | 'total' | null]) => {
  const { exposed, not_exposed } = deadlineOf(kev, { automatable: ssvc[0], technical_impact: ssvc[1] })
  return [exposed, not_exposed].map((one) => `${isKnown(one)} ${deadlineText(one)}`)
}

test('a deadline is its days, or the next upgrade, and the investigation', () => {
  assert.equal(textsOf(listed, 'yes', 'total'), [
    'true within 3 days, with a forensic investigation',
    'true within 3 days, with a forensic investigation',
  ])
  assert.equal(textsOf(listed, 'no', 'partial'), ['true within 14 days', 'true within 14 days'])
  assert.equal(textsOf(unlisted, 'no', 'partial'), ['true within 60 days', 'true on the next upgrade of the system'])
})

test('what is unknown is stated with the missing inputs', () => {
  assert.equal(textsOf(unlisted, null, null), [
    'false unknown: the SSVC assessment does not state: automatable and technical impact',
    'false unknown: the SSVC assessment does not state: automatable',
  ])
  assert.equal(
    textsOf(listed, 'yes', null)[0],
    [
      'true within 3 days; a forensic investigation may be required: the SSVC assessment does not state: technical impact',
    ][0],
  )
})

test('notes are texts and URLs between semicolons', () => {
  assert.equal(notesOf('See: https://a.example/x;y ; https://b.example/'), [
    'See: https://a.example/x;y',
    'https://b.example/',
  ])
  assert.equal(notesOf('A; B'), ['A', 'B'])
})

test.run()
