/** Rule 32: the deadlines of BOD 26-04. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ssvc } from '../../../../corpus/model/record.ts'
import { type AssetDeadline, deadlineOf } from '../../../../corpus/model/scores/deadline.ts'

const DAY = '2026-06-20'
const listed = (kev: string) =>
  kev === 'yes' ? { listed: true, date_added: DAY } : { listed: false, date_added: null }
const short = ({ days, on_system_upgrade, forensic_investigation }: AssetDeadline) =>
  `${on_system_upgrade ? 'upgrade' : days}${forensic_investigation ? ' forensic' : ''}`

/** The table of the directive: KEV, exposed, automatable, technical impact, result. */
const TABLE = `
no   no   no   partial  upgrade
no   no   no   total    upgrade
no   yes  no   partial  60
no   no   yes  partial  60
no   no   yes  total    60
no   yes  yes  partial  14
no   yes  no   total    14
no   yes  yes  total    3
yes  no   no   partial  14
yes  no   no   total    14
yes  yes  no   partial  14
yes  no   yes  partial  14
yes  yes  yes  partial  3
yes  yes  no   total    3 forensic
yes  no   yes  total    3 forensic
yes  yes  yes  total    3 forensic`
  .trim()
  .split('\n')
  .map((line) => line.split(/ {2,}/))

test('rule 32: each of the 16 rows of the table gives its result, and misses nothing', () => {
  assert.is(new Set(TABLE.map((row) => row.slice(0, 4).join())).size, 16)
  for (const [kev, exposed, automatable, technical_impact, result] of TABLE) {
    const deadline = deadlineOf(listed(kev!), { automatable, technical_impact } as Ssvc)
    const assets = exposed === 'yes' ? deadline.exposed : deadline.not_exposed
    assert.is(short(assets), result, [kev, exposed, automatable, technical_impact].join())
    assert.equal(assets.missing_inputs, [])
    assert.is(assets.forensic_investigation, result!.endsWith('forensic'))
    assert.is(assets.on_system_upgrade, result === 'upgrade')
  }
})

test('rule 32: with unknown inputs, what all matching rows agree on is stated, the rest is null and names what is missing', () => {
  const unknown = { yes: ['yes'], no: ['no'], partial: ['partial'], total: ['total'] } as Record<string, string[]>
  for (const kev of ['no', 'yes']) {
    for (const exposed of ['no', 'yes']) {
      for (const automatable of ['no', 'yes', null]) {
        for (const technical_impact of ['partial', 'total', null]) {
          const results = TABLE.filter(
            ([a, b, c, d]) =>
              a === kev &&
              b === exposed &&
              (automatable === null || unknown[automatable]!.includes(c!)) &&
              (technical_impact === null || unknown[technical_impact]!.includes(d!)),
          ).map((row) => row[4]!)
          const deadline = deadlineOf(listed(kev), { automatable, technical_impact } as Ssvc)
          const assets = exposed === 'yes' ? deadline.exposed : deadline.not_exposed
          const times = new Set(results.map((one) => one.replace(' forensic', '')))
          const forensics = new Set(results.map((one) => one.endsWith('forensic')))
          const [time] = times
          const about = JSON.stringify({ kev, exposed, automatable, technical_impact })
          assert.is(assets.days, times.size === 1 && time !== 'upgrade' ? Number(time) : null, about)
          assert.is(assets.on_system_upgrade, times.size === 1 ? time === 'upgrade' : null, about)
          assert.is(assets.forensic_investigation, forensics.size === 1 ? [...forensics][0] : null, about)
          assert.is(assets.missing_inputs.length === 0, times.size === 1 && forensics.size === 1, about)
          for (const input of assets.missing_inputs) assert.is({ automatable, technical_impact }[input], null, about)
        }
      }
    }
  }
})

test('rule 32: an unknown input that decides nothing is not missing', () => {
  const missing = (kev: string, automatable: string | null, technical_impact: string | null) => {
    const { exposed, not_exposed } = deadlineOf(listed(kev), { automatable, technical_impact } as Ssvc)
    return [exposed.missing_inputs, not_exposed.missing_inputs]
  }
  assert.equal(missing('no', 'no', null), [['technical_impact'], []])
  assert.equal(missing('no', null, null), [['automatable', 'technical_impact'], ['automatable']])
  assert.equal(missing('yes', null, 'total'), [[], ['automatable']])
  assert.equal(missing('yes', null, 'partial'), [['automatable'], []])
})

test('rule 32: days count from the listing in KEV; without one, or without its date, there is no date', () => {
  const ssvc = { automatable: 'yes', technical_impact: 'total' } as Ssvc
  const dates = (kev: Parameters<typeof deadlineOf>[0]) => {
    const { exposed, not_exposed } = deadlineOf(kev, ssvc)
    return [exposed.counted_from, exposed.due_date, not_exposed.due_date]
  }
  assert.equal(dates({ listed: true, date_added: '2026-12-30' }), ['2026-12-30', '2027-01-02', '2027-01-02'])
  assert.equal(dates({ listed: true, date_added: null }), [null, null, null])
  assert.equal(dates({ listed: false, date_added: null }), [null, null, null])
  const part = deadlineOf(
    { listed: true, date_added: '2024-02-20' },
    { automatable: null, technical_impact: 'partial' },
  )
  assert.equal([part.not_exposed.days, part.not_exposed.due_date], [14, '2024-03-05'])
  assert.equal([part.exposed.days, part.exposed.counted_from, part.exposed.due_date], [null, '2024-02-20', null])
})

test.run()
