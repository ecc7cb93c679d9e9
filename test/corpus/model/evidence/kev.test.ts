/** Rule 23: catalogs of exploited vulnerabilities. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claim, kevEntry, merged } from '../fixture.ts'

test('rule 23: one entry per catalog, CISA first, the others by name; CISA alone decides the listing', () => {
  const otherKev = ['vulncheck', 'acme'].map((catalog) => kevEntry({ catalog }))
  const names = (given: Parameters<typeof merged>[1]) => {
    const { kev, core } = merged([claim({ source: 'cna' })], given)
    return [kev.map(({ catalog }) => catalog), core.kev.listed]
  }
  assert.equal(names({ kev: kevEntry(), otherKev }), [['cisa', 'acme', 'vulncheck'], true])
  assert.equal(names({ otherKev }), [['acme', 'vulncheck'], false])
  assert.equal(names({}), [[], false])
  const copy = claim({ source: 'adp', kevDateAdded: '2024-04-09' })
  const { kev } = merged([copy], { kevFeed: false, otherKev })
  const { catalog, date_added, ...rest } = kev[0]!
  assert.equal([kev.length, catalog, date_added], [3, 'cisa', '2024-04-09'])
  assert.equal([...new Set(Object.values(rest))], [null])
})

test('rule 23: an entry has every field of its claim, in the words of the API', () => {
  assert.equal(merged([], { kev: kevEntry({ ransomware: 'known', notes: 'N' }) }).kev, [
    {
      catalog: 'cisa',
      date_added: '2024-04-09',
      due_date: '2024-04-30',
      required_action: 'Apply updates.',
      ransomware: 'known',
      notes: 'N',
      vendor_project: 'Acme',
      product: 'Widget',
      vulnerability_name: 'Acme Widget flaw',
      short_description: 'Acme Widget has a flaw.',
    },
  ])
})

test.run()
