/** Atom feeds of vendors and products: the option, file names, and what they state about two nights. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AtomSubject, atomSubject, siteUrl } from '../../../builder/publish/options.ts'
import { publish } from '../../../builder/publish/publish.ts'
import { changeWords, fileOfSubject } from '../../../builder/publish/subject-atom.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import type { ChangeFacts } from '../../../corpus/snapshot/index.ts'
import { realNetworkEffects } from '../../../corpus/transfer/network.ts'
import { readAtom } from '../../support/atom.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { sampleNights } from '../../support/samples.ts'

const folder = temporaryFolder('subject-atom')

test('the option names a vendor or a product, in any spelling', () => {
  assert.equal(atomSubject('vendor:Red Hat'), [{ vendor: 'red_hat', product: null }])
  assert.equal(atomSubject('product:Acme/TCP/IP Stack'), [{ vendor: 'acme', product: 'tcp/ip_stack' }])
  assert.equal(atomSubject('product:a%2Fb/c'), [{ vendor: 'a/b', product: 'c' }])
  const [cisco] = atomSubject('vendor:cisco')
  assert.equal(atomSubject('vendor:Cisco', [cisco!]), [cisco])
  for (const text of [
    'cisco',
    'vendor:',
    'vendor:n/a',
    'product:windows',
    'product:/x',
    'product:x/',
    'cve:CVE-2024-1',
  ]) {
    assert.throws(() => atomSubject(text), /vendor:<name> or product:<vendor>\/<product>/, text)
  }
  const many = Array.from({ length: 200 }, (_, i): AtomSubject => ({ vendor: `v${i}`, product: null }))
  assert.throws(() => atomSubject('vendor:one-more', many), /At most 200 feeds/)
})

test('each subject has its own file, with a safe name', () => {
  assert.is(fileOfSubject({ vendor: 'cisco', product: null }), 'vendor-cisco.atom')
  assert.is(fileOfSubject({ vendor: 'google', product: 'chrome' }), 'product-google-chrome.atom')
  const odd = ['a/b', 'a b', 'a_b', '../x', 'ü', 'a-b', 'x'.repeat(2000)].map((vendor) =>
    fileOfSubject({ vendor, product: null }),
  )
  assert.is(new Set(odd).size, odd.length)
  for (const name of odd) assert.ok(/^vendor-[a-z0-9._-]{1,100}\.atom$/.test(name), name)
  assert.is.not(fileOfSubject({ vendor: 'a-b', product: 'c' }), fileOfSubject({ vendor: 'a', product: 'b-c' }))
})

test('a change in words', () => {
  const state = (other: object = {}) =>
    ({
      severity: 'high',
      cvss_score: 7.5,
      kev: { listed: false },
      has_exploit: false,
      has_patch: false,
      ...other,
    }) as ChangeFacts['after']
  assert.is(changeWords({ before: null, after: state() }), 'new, high 7.5')
  assert.is(changeWords({ before: state(), after: null }), 'rejected or removed')
  assert.is(changeWords({ before: state(), after: state() }), 'changed')
  assert.is(
    changeWords({
      before: state({ severity: null, cvss_score: null }),
      after: state({ kev: { listed: true }, has_patch: true }),
    }),
    'added to KEV, unscored → high 7.5, patch known',
  )
})

test('a feed has the changes of its vendor or product alone', async () => {
  const { second: dist } = await sampleNights()
  const reader = await openReader(dist)
  const rows: (Partial<ChangeFacts> & { cve_id: string })[] = []
  const { parent } = JSON.parse((await reader.request('/snapshot')).body) as { parent: string }
  for (let cursor: string | undefined; ; ) {
    const page = await reader.changes(parent, { limit: 100, include: ['facts'], cursor })
    rows.push(...page.data)
    cursor = page.pagination.next_cursor ?? undefined
    if (cursor === undefined) break
  }
  await reader.close()
  const [product] = rows.flatMap(({ products = [] }) => products.filter((name) => !name.includes('%')))
  const [vendor] = product!.split('/')
  const to = join(folder.path, 'published')
  const { effects, close } = realNetworkEffects(quietEffects())
  const subjects = atomSubject(`product:${product}`, atomSubject(`vendor:${vendor}`, atomSubject('vendor:nobody')))
  await publish({ dist, to, site: siteUrl('https://vulns.example.com/'), subjects }, effects, noProgress)
  await close()
  const idsOf = (subject: AtomSubject) =>
    readAtom(readFileSync(join(to, fileOfSubject(subject)))).entries.map(({ title }) => /^CVE-\d+-\d+/.exec(title)![0])
  const [nobody, ofVendor, ofProduct] = subjects.map(idsOf)
  assert.equal(nobody, [])
  assert.equal(
    ofVendor,
    rows
      .filter(({ vendors }) => vendors!.includes(vendor!))
      .map(({ cve_id }) => cve_id)
      .toReversed()
      .slice(0, 100),
  )
  assert.equal(
    ofProduct,
    rows
      .filter(({ products }) => products!.includes(product!))
      .map(({ cve_id }) => cve_id)
      .toReversed()
      .slice(0, 100),
  )
  assert.ok(ofProduct!.length > 0)
})

test.after(() => folder.remove())
test.run()
