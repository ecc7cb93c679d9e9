/** gateway/API.md, section 19: relations between weaknesses, and to attack patterns, against the XML. */
import * as assert from 'uvu/assert'
import type { CweEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import { attribute, expectField, listOf, matching, object, text } from '../support/field-types.ts'
import { aboutEach, byKey } from '../support/rows.ts'
import { itemsOf, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('relations of weaknesses')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const rows = await service.all<Pick<CweEntry, 'cwe_id' | 'slug' | 'name'>>('/cwes')
const entries = await aboutEach(rows, ({ slug }) => service.json<CweEntry>(`/cwes/${slug}`))
const upstream = byKey(feeds.weaknesses(), (element) => attribute(element, 'ID')!)

states('19.17', 'ids of attack patterns', () => {
  expectField(entries, 'attack_patterns', listOf(matching(/^CAPEC-[1-9]\d*$/)))
  for (const { numeric_id: number, attack_patterns: patterns, cwe_id: id } of entries) {
    const stated = itemsOf(upstream.get(String(number))!, 'Related_Attack_Patterns', 'Related_Attack_Pattern')
    const ids = stated.map((one) => Number(attribute(one, 'CAPEC_ID')))
    assert.equal(
      patterns,
      ids.sort((a, b) => a - b).map((one) => `CAPEC-${one}`),
      id,
    )
  }
})

states('19.18', 'attack patterns with their names', async () => {
  const shape = object({ capec_id: matching(/^CAPEC-\d+$/), slug: matching(/^capec-\d+$/), name: text })
  expectField(entries, 'attack_patterns_detailed', listOf(shape))
  const patterns = await service.all<{ capec_id_string: string; name: string }>('/capecs')
  const names = new Map(patterns.map(({ capec_id_string: id, name }) => [id, name]))
  for (const { attack_patterns: ids, attack_patterns_detailed: detailed, cwe_id } of entries) {
    assert.equal(
      detailed,
      ids.map((id) => ({ capec_id: id, slug: id.toLowerCase(), name: names.get(id) })),
      cwe_id,
    )
  }
  assert.ok(entries.some(({ attack_patterns_detailed: detailed }) => detailed.length > 2))
})

states('19.19', 'related weaknesses', () => {
  const shape = object({ cwe_id: matching(/^CWE-\d+$/), slug: matching(/^cwe-\d+$/), name: text, nature: text })
  expectField(entries, 'relationships', listOf(shape))
  const names = new Map(rows.map(({ cwe_id: id, name }) => [id, name]))
  for (const { relationships } of entries) {
    for (const { cwe_id: id, slug, name } of relationships)
      assert.equal([slug, name], [id.toLowerCase(), names.get(id)])
  }
})

states('19.20', 'parents and peers', () => {
  const natures = { ChildOf: 'Parent', PeerOf: 'Peer' }
  let [parents, peers] = [0, 0]
  for (const { numeric_id: number, relationships, cwe_id: id } of entries) {
    const stated = itemsOf(upstream.get(String(number))!, 'Related_Weaknesses', 'Related_Weakness')
    const inView = stated.filter((one) => attribute(one, 'View_ID') === '1000')
    for (const [upstreamNature, nature] of Object.entries(natures)) {
      const others = inView.filter((one) => attribute(one, 'Nature') === upstreamNature)
      const given = relationships.filter((one) => one.nature === nature).map(({ cwe_id }) => cwe_id)
      if (nature === 'Parent') parents += given.length
      else peers += given.length
      const ids = others.map((one) => `CWE-${attribute(one, 'CWE_ID')}`)
      for (const other of ids) assert.ok(given.includes(other), `${nature} ${other} of ${id}`)
      if (nature === 'Parent') assert.is(given.length, ids.length, id)
    }
  }
  assert.ok(parents > 100 && peers > 0, `${parents} and ${peers}`)
})

after(() => service.remove())
run()
