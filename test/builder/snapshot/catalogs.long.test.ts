/** The catalog of CNAs from night to night: those of the list, and those that only records name. */

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openWorld } from '../../contract/support/service.ts'
import { cveList, type UpstreamRecord } from '../../contract/support/upstream.ts'
import { cnaJson } from '../../support/feeds.ts'

const record = (n: number, assigner: string | undefined): UpstreamRecord => ({
  id: `CVE-2024-000${n}`,
  metadata: { assignerShortName: assigner },
})
const world = await openWorld({ ...cveList([record(1, 'acme')]), 'cna/CNAsList.json': cnaJson(['acme']) })
const named = async () =>
  (await world.json<{ data: { slug: string; cna_name: string }[] }>('/cnas?sort=name')).data.map(
    ({ slug, cna_name }) => [slug, cna_name],
  )
const LISTED = ['acme', 'acme Incorporated']

test('a CNA of the records is there from its first record to its last', async () => {
  assert.equal(await named(), [LISTED])
  await world.night(cveList([record(1, 'acme'), record(2, 'New Corp')], '2024-06-02'))
  assert.equal(await named(), [LISTED, ['new_corp', 'New Corp']])
  // Once in the list, it has the name of the list.
  await world.night({ 'cna/CNAsList.json': cnaJson(['acme', 'new corp']) })
  assert.equal(await named(), [LISTED, ['new_corp', 'new corp Incorporated']])
  await world.night({ 'cna/CNAsList.json': cnaJson(['acme']) })
  await world.night(cveList([record(1, 'acme'), record(2, 'acme')], '2024-06-03'))
  assert.equal(await named(), [LISTED])
})

test('a record without an assigner, and one whose assigner has a name longer than any key, are served all the same', async () => {
  await world.night(cveList([record(1, undefined), record(2, 'x'.repeat(300)), record(3, 'n/a')], '2024-06-04'))
  assert.equal(await named(), [LISTED])
  const { data } = await world.json<{ data: { assigner: string | null }[] }>('/cves?sort=-published')
  assert.equal(
    data.map(({ assigner }) => assigner?.length ?? null),
    [3, 300, null],
  )
})

test.after(() => world.remove())
test.run()
