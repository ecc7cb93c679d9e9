import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AdvisoryClaim } from '../../../../corpus/model/claim.ts'
import { linkedAdvisory } from '../../../../corpus/model/evidence/advisory.ts'
import { advisory, affected, claim, merged } from '../fixture.ts'

const linked = (...claims: AdvisoryClaim[]) => linkedAdvisory('CVE-2024-1234', claims, null)?.advisory_id ?? null

test('rule 29: the linked one is not withdrawn, then reviewed, then published first, then of the lowest id', () => {
  const withdrawn = advisory({ advisory_id: 'GHSA-a', withdrawn_at: '2024-05-01T00:00:00.000Z', published_at: '2020' })
  const unreviewed = advisory({ advisory_id: 'GHSA-b', published_at: '2021' }, { reviewed: false })
  const late = advisory({ advisory_id: 'GHSA-c', published_at: '2023' })
  const [second, first] = ['GHSA-e', 'GHSA-d'].map((id) => advisory({ advisory_id: id, published_at: '2022' }))
  const inOrder = [first!, second!, late, unreviewed, withdrawn]
  inOrder.forEach((one, i) => {
    assert.is(linked(...inOrder.slice(i).reverse()), one.advisory.advisory_id)
    assert.is(linked(...inOrder.slice(i)), one.advisory.advisory_id)
  })
  assert.is(linked(), null)
})

test('it names the CVE, and the weaknesses that the catalog knows', () => {
  const names: Record<string, string> = { 'cwe-79': 'Scripts let in' }
  const catalog = { isWeakness: (id: string) => id in names, weaknessName: (id: string) => names[id] ?? null }
  const found = linkedAdvisory(
    'CVE-2024-1',
    [advisory({ advisory_id: 'GHSA-x', cwe_ids: ['CWE-79', 'CWE-1'] })],
    catalog,
  )
  assert.is(found?.cve_id, 'CVE-2024-1')
  assert.equal(found?.cwe_ids, ['CWE-79', 'CWE-1'])
  assert.equal(found?.cwe_names, { 'CWE-79': 'Scripts let in' })
  assert.equal(Object.keys(found!).slice(0, 3), ['advisory_id', 'cve_id', 'html_url'])
})

test('rule 29: a withdrawn advisory claims nothing, and OSV’s copy of an advisory nothing more', () => {
  const entry = (source: 'advisory' | 'osv', name: string) => affected({ source, package_name: name })
  const standing = advisory({ advisory_id: 'GHSA-x' }, { affected: [entry('advisory', 'stands')] })
  const gone = advisory(
    { advisory_id: 'GHSA-y', withdrawn_at: '2024-05-01T00:00:00.000Z' },
    { affected: [entry('advisory', 'gone')] },
  )
  const copy = claim({ source: 'osv', sourceName: 'GHSA-x', affected: [entry('osv', 'copy')] })
  const own = claim({ source: 'osv', sourceName: 'GO-1', affected: [entry('osv', 'own')] })
  const parts = merged([copy, own], { advisories: [gone, standing] })
  assert.equal(
    parts.affected.map(({ package_name }) => package_name),
    ['stands', 'own'],
  )
  assert.is(parts.advisory?.advisory_id, 'GHSA-x')
})

test.run()
