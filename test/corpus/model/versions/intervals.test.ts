/** The intervals of versions that an entry of `affected[]` contains. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AffectedStatement, parseAffected } from '../../../../corpus/model/versions/affected.ts'
import { intervalsOf } from '../../../../corpus/model/versions/intervals.ts'

type Events = NonNullable<AffectedStatement['ranges']>[number]['events']

/** Intervals as text: `[1,2)`, `[1,2]`, and the limit after a `<`. */
function textOf(events: Events, versions: string[] = [], preferList = false): string {
  const ranges = [{ type: 'ECOSYSTEM', events }]
  const found = intervalsOf(parseAffected({ package: { ecosystem: 'Packagist' }, ranges, versions }), { preferList })
  if (found === 'everything') return found
  return found
    .map(({ introduced, fixed, last_affected, limit }) => {
      const end = last_affected === null ? `${fixed ?? ''})` : `${last_affected}]`
      return `[${introduced},${end}${limit ? `<${limit}` : ''}`
    })
    .join(' ')
}

const intervals = suite('intervals')

intervals('are the parts of a range without gaps, in the order of versions', () => {
  assert.is(textOf([{ introduced: '2' }, { fixed: '1.5' }, { introduced: '0' }, { fixed: '3' }]), '[0,1.5) [2,3)')
  assert.is(textOf([{ introduced: '1' }, { last_affected: '2' }]), '[1,2]')
  assert.is(textOf([{ introduced: '1' }, { introduced: '2' }]), '[1,2) [2,)')
  assert.is(textOf([{ introduced: '1' }, { last_affected: '1.0' }]), '[1.0,1.0]', 'one version')
  assert.is(textOf([{ introduced: '1' }, { last_affected: '2' }, { fixed: '2.0' }]), '[1,2.0)')
  assert.is(textOf([{ introduced: '1' }, { fixed: '2' }, { last_affected: '3' }]), '[1,2) [3,3]')
  assert.is(textOf([{ introduced: '1' }, { fixed: '1.0' }]), '', 'an empty range')
})

intervals('have the highest limit, if they begin before it', () => {
  assert.is(textOf([{ introduced: '1' }, { limit: '2' }, { limit: '10' }, { limit: '3' }]), '[1,)<10')
  assert.is(textOf([{ introduced: '1' }, { fixed: '2' }, { introduced: '3' }, { limit: '3' }]), '[1,2)<3')
  assert.is(textOf([{ introduced: '1' }, { limit: '2' }, { limit: '*' }]), '[1,)')
})

intervals('are absent for a range of everything, and for one that cannot be evaluated', () => {
  assert.is(textOf([{ introduced: '0' }]), 'everything')
  assert.is(textOf([{ introduced: '0' }], ['1.0'], true), '', 'a list of malicious versions replaces it')
  assert.is(textOf([{ introduced: '0' }], [], true), 'everything')
  assert.is(textOf([{ introduced: '0' }, { fixed: 'first' }]), '')
  assert.is(textOf([{ fixed: '1' }]), '')
})

intervals.run()
