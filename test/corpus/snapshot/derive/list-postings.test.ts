/** The posting lists of vendors, products and packages: they have the CVEs of the rows. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { noAdvisories, noPackages } from '../../../../corpus/snapshot/derive/advisory-rows.ts'
import { aliasSets } from '../../../../corpus/snapshot/derive/aliases.ts'
import {
  countListed,
  cvesOfPackages,
  decodeListPostings,
  encodeListPostings,
  listPostings,
} from '../../../../corpus/snapshot/derive/list-postings.ts'
import { goodSnapshot } from '../forgery.ts'
import { expectListedCves } from '../listed-cves.ts'

test('each list of a snapshot has the CVEs of its row, as many as its count', async () => {
  const good = await goodSnapshot('list-postings')
  try {
    const found = expectListedCves(good.dist)
    assert.ok(found.vendor > 50 && found.product > 100 && found.package > 10, JSON.stringify(found))
  } finally {
    good.remove()
  }
})

const CVES = { vendor: [[0, 2], [1]], product: [[1]], package: [[], [0, 1, 2]] }
const COUNTS = { vendor: 2, product: 1, package: 2 }
/** The ordinal of each row: the newest CVE is the last row. */
const ORDINALS = Uint32Array.of(2, 1, 0)
const POSTINGS = listPostings(CVES, ORDINALS)

test('the lists are in the order of the rows, with ascending ordinals', () => {
  assert.equal([...POSTINGS.vendor.starts], [0, 2, 3])
  assert.equal([...POSTINGS.vendor.ordinals], [0, 2, 1])
  assert.equal([...POSTINGS.package.starts], [0, 0, 3], 'a package without CVEs')
  assert.equal([...POSTINGS.package.ordinals], [0, 1, 2])
  assert.is(countListed(POSTINGS), 7)
  assert.equal(decodeListPostings(encodeListPostings(POSTINGS), COUNTS, 3), POSTINGS)
})

test('lists of another number of rows, and ordinals beyond the CVEs, are refused', () => {
  const bytes = encodeListPostings(POSTINGS)
  for (const filter of ['vendor', 'product', 'package'] as const) {
    const counts = { ...COUNTS, [filter]: COUNTS[filter] + 1 }
    assert.throws(() => decodeListPostings(bytes, counts, 3), new RegExp(`the postings ${filter}\\. are damaged`))
  }
  assert.throws(() => decodeListPostings(bytes, COUNTS, 2), /the postings vendor\. are damaged/)
})

test('a package has the CVEs of its advisories and of their alias sets, if they have a record', () => {
  const advisories = {
    ...noAdvisories(),
    keys: ['GHSA-1', 'GHSA-2', 'PYSEC-1', 'CVE-2024-0004'],
    aliases: [['PYSEC-1'], [], ['GHSA-1', 'CVE-2024-0002'], []],
    cveIds: [[], ['CVE-2024-0001', 'CVE-2024-0009'], ['CVE-2024-0002'], ['CVE-2024-0004']] as never,
  }
  const packages = {
    ...noPackages(),
    advisories: [['GHSA-1'], ['GHSA-2'], ['CVE-2024-0004', 'GHSA-2'], ['GHSA-9']],
  }
  const ids = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003', 'CVE-2024-0004']
  const found = cvesOfPackages(packages, advisories, aliasSets(advisories), ids)
  assert.equal(found, [[1], [0], [3, 0], []])
})

test.run()
