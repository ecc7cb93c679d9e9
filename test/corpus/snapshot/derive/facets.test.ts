/** Facets of a CVE, packed in bytes. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FACET_NAMES, FACETS, facetTest, packExposure, packSsvc } from '../../../../corpus/snapshot/derive/facets.ts'

type Ssvc = Parameters<typeof packSsvc>[0]

/** Returns the byte of a column for one value of a facet; the others are null. */
const byteOf = (name: (typeof FACET_NAMES)[number], value: string | null) =>
  value === null ? 0 : ((FACETS[name].values as readonly string[]).indexOf(value) + 1) << FACETS[name].shift

for (const name of FACET_NAMES) {
  test(`${name}: each value passes alone, null never`, () => {
    const { values } = FACETS[name]
    for (const wanted of values) {
      const passes = facetTest(name, [wanted])
      const expected = values.filter(
        (one) => one === wanted || (wanted === 'required' && ['passive', 'active'].includes(one)),
      )
      assert.equal(
        values.filter((one) => passes(byteOf(name, one))),
        expected,
        wanted,
      )
      assert.not(passes(byteOf(name, null)))
    }
  })
}

test('facets of one column do not change each other', () => {
  const ssvc = { exploitation: 'active', automatable: 'yes', decision: 'track*' } as Ssvc
  const byte = packSsvc(ssvc)
  assert.ok(byte < 256)
  assert.ok(facetTest('ssvc_exploitation', ['active'])(byte))
  assert.ok(facetTest('ssvc_automatable', ['yes'])(byte))
  assert.ok(facetTest('ssvc_decision', ['track*'])(byte))
  assert.not(facetTest('ssvc_decision', ['track', 'attend', 'act'])(byte))
  const exposure = packExposure('AV:P/PR:H/UI:A')
  assert.ok(exposure < 256)
  assert.ok(facetTest('attack_vector', ['physical'])(exposure))
  assert.ok(facetTest('privileges_required', ['high'])(exposure))
  assert.ok(facetTest('user_interaction', ['active'])(exposure))
})

test('what is not assessed is 0', () => {
  assert.is(packSsvc({ exploitation: null, automatable: null, decision: null } as Ssvc), 0)
  assert.is(packExposure(''), 0)
})

test.run()
