/** The vendors of the real feeds: evidence for each alias, and the posting lists of vendors, products and packages. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { joinedKey } from '../../corpus/model/affected/joined-key.ts'
import { VENDOR_ALIASES } from '../../corpus/model/affected/vendor-aliases.ts'
import { expectListedCves, namesOfCves } from '../corpus/snapshot/listed-cves.ts'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-vendors')
const { dist } = await realDist()

test('each alias shares a CVE or a product with another key of its line', () => {
  const evidence = new Map<string, Set<string>>()
  const keys = new Set<string>()
  for (const [id, names] of namesOfCves(dist)) {
    for (const { vendor, product } of names) {
      keys.add(vendor)
      const own = evidence.get(joinedKey(vendor)) ?? new Set()
      evidence.set(joinedKey(vendor), own.add(id))
      if (product !== null) own.add(joinedKey(product))
    }
  }
  for (const line of VENDOR_ALIASES) {
    for (const key of line) {
      assert.ok(keys.has(key), `no record names ${key}`)
      const others = line.filter((other) => other !== key)
      const shared = others.some(
        (other) => !evidence.get(joinedKey(key))!.isDisjointFrom(evidence.get(joinedKey(other))!),
      )
      assert.ok(shared, `nothing shows that ${key} is one of ${others}`)
    }
  }
})

test('each list has the CVEs of its row', () => {
  const found = expectListedCves(dist)
  assert.ok(found.vendor > 2000 && found.product > 8000 && found.package > 500, JSON.stringify(found))
})

test.after(() => folder.remove())

test.run()
