/** The list of references (rule 30). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { claimsTagging, hasTag, mergedReferences } from '../../../corpus/model/references.ts'
import { orderedClaims } from '../../../corpus/model/sources.ts'
import { claim } from './fixture.ts'
import { anyClaim, claimOf, otherClaims, recordClaims } from './properties/arbitrary.ts'
import { property } from './properties/property.ts'

const CLAIMS = fc.array(anyClaim, { maxLength: 5 })

property(
  'rule 30: there is one item for each URL, with every name, tag and source of it and no other',
  [CLAIMS],
  (claims) => {
    const items = mergedReferences(claims)
    const stated = claims.flatMap((one) => one.references.map((given) => ({ ...given, source: one.source })))
    assert.equal(
      items.map(({ url }) => url),
      [...new Set(stated.map(({ url }) => url))],
    )
    for (const item of items) {
      const own = stated.filter(({ url }) => url === item.url)
      assert.equal(item.sources, [...new Set(own.map(({ source }) => source))])
      assert.equal(item.tags, [...new Set(own.flatMap(({ tags }) => tags))])
      assert.is(item.name, own.find(({ name }) => name !== null)?.name ?? null)
    }
  },
)

property('rule 30: a claim that comes twice changes nothing', [CLAIMS, fc.nat()], (claims, at) => {
  const again = claims.length > 0 ? [...claims, claims[at % claims.length]!] : claims
  assert.equal(mergedReferences(again), mergedReferences(claims))
})

property('rule 30: a further claim takes nothing away', [CLAIMS, anyClaim], (claims, more) => {
  const after = mergedReferences([...claims, more])
  for (const [index, item] of mergedReferences(claims).entries()) {
    const now = after[index]!
    assert.is(now.url, item.url)
    assert.equal(now.tags.slice(0, item.tags.length), item.tags)
    assert.equal(now.sources.slice(0, item.sources.length), item.sources)
  }
})

property(
  'rule 30: sources are cna, adp, nvd, advisory, osv, in that order, and never the service; suppliers come last',
  [recordClaims.map((own) => own.filter(({ isSupplier }) => !isSupplier)), otherClaims, claimOf('svc')],
  (own, others, svc) => {
    const order = ['cna', 'adp', 'nvd', 'advisory', 'osv']
    const reference = { url: 'https://svc.example/', name: null, tags: [] }
    const supplier = claim({
      source: 'adp',
      isSupplier: true,
      references: [{ url: 'https://s.example/', name: null, tags: [] }],
    })
    const items = mergedReferences(orderedClaims([supplier, ...own], [...others, { ...svc, references: [reference] }]))
    assert.is(items.at(-1)?.url, 'https://s.example/')
    for (const { url, sources } of items) {
      assert.is.not(url, reference.url)
      const ranks = sources.map((source) => order.indexOf(source))
      assert.ok(!ranks.includes(-1))
      assert.equal(ranks, ranks.toSorted())
    }
  },
)

property(
  'rule 23: a URL is tagged exploit by one of its sources exactly where the item has the tag',
  [CLAIMS],
  (claims) => {
    const tagged = mergedReferences(claims).filter(({ tags }) => hasTag(tags, 'exploit'))
    const sources = claimsTagging(claims, 'exploit')
    assert.equal(new Set(sources.keys()), new Set(tagged.map(({ url }) => url)))
    for (const { url, sources: all } of tagged) assert.ok(all.includes(sources.get(url)!.source))
  },
)

test.run()
