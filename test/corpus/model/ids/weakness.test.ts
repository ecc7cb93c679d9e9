/** The primary weakness, the union of mappings, and ids in texts (rule 21). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { allWeaknesses, primaryWeakness, weaknessId, weaknessIdsInText } from '../../../../corpus/model/ids/weakness.ts'
import { orderedClaims } from '../../../../corpus/model/sources.ts'
import { merged } from '../fixture.ts'
import { anyClaim, CATALOG, catalog, claimOf } from '../properties/arbitrary.ts'
import { property } from '../properties/property.ts'

/** In the order of the merge. */
const CLAIMS = fc.array(anyClaim, { maxLength: 6 }).map((claims) => {
  const isOwn = ({ source }: CveClaim) => source === 'cna' || source === 'adp'
  return orderedClaims(
    claims.filter(isOwn),
    claims.filter((one) => !isOwn(one)),
  )
})
/** The ids that may be primary: those of a supplier only if no other source maps the CVE. */
const candidates = (claims: CveClaim[]) => {
  const independent = claims.filter(({ isSupplier }) => !isSupplier)
  const isMapped = stated(independent, 'cna', 'adp', 'nvd', 'advisory').length > 0
  return stated(isMapped ? independent : claims, 'cna', 'adp', 'nvd')
}
const stated = (claims: CveClaim[], ...sources: CveClaim['source'][]) =>
  sources.flatMap((source) => claims.filter((one) => one.source === source).flatMap(({ weaknesses }) => weaknesses))

property(
  'rule 21: the primary weakness is the first of CNA, ADP, NVD, else of a supplier, and null only if they state none',
  [CLAIMS],
  (claims) => {
    const ids = candidates(claims)
    assert.is(primaryWeakness(claims, null), ids[0] ?? null)
    assert.is(merged(claims).core.primary_cwe_id, ids[0] ?? null)
  },
)

property(
  'rule 21: a weakness of the catalog goes before any other id; if there is none, the first stays',
  [CLAIMS],
  (claims) => {
    const ids = candidates(claims)
    const known = ids.filter((id) => CATALOG.isWeakness(id))
    assert.is(primaryWeakness(claims, CATALOG), known[0] ?? ids[0] ?? null)
    assert.is(merged(claims, { catalog: CATALOG }).core.primary_cwe_id, known[0] ?? ids[0] ?? null)
  },
)

property(
  'rule 21: all weaknesses are the union of the mappings of CNA, ADP, NVD and advisories, by number',
  [CLAIMS],
  (claims) => {
    const all = allWeaknesses(claims)
    assert.equal(new Set(all), new Set(stated(claims, 'cna', 'adp', 'nvd', 'advisory')))
    assert.is(new Set(all).size, all.length)
    assert.equal(merged(claims).facets.weaknesses, all)
    const numbers = all.map((id) => Number(id.slice(4)))
    assert.equal(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  },
)

property('rule 21: the primary weakness is one of all', [CLAIMS, catalog], (claims, known) => {
  const primary = primaryWeakness(claims, known)
  if (primary !== null) assert.ok(allWeaknesses(claims).includes(primary))
})

property(
  'rule 21: what OSV and the service state changes neither',
  [CLAIMS, claimOf('osv', 'svc'), catalog, fc.nat()],
  (claims, more, known, at) => {
    const longer = claims.toSpliced(at % (claims.length + 1), 0, more)
    assert.is(primaryWeakness(longer, known), primaryWeakness(claims, known))
    assert.equal(allWeaknesses(longer), allWeaknesses(claims))
  },
)

property(
  'rule 21: an advisory never changes the primary weakness of another source than a supplier',
  [CLAIMS.map((claims) => claims.filter(({ isSupplier }) => !isSupplier)), claimOf('advisory'), catalog],
  (claims, more, known) => {
    assert.is(primaryWeakness([more, ...claims], known), primaryWeakness(claims, known))
  },
)

const NUMBER = fc.integer({ min: 1, max: 999_999 })
const SPELLING = fc.constantFrom('CWE-', 'cwe-', 'Cwe-')

property(
  'rule 21: an id is read in any case and with needless zeros, and is then itself',
  [NUMBER, SPELLING, fc.nat(2)],
  (number, prefix, zeros) => {
    const id = weaknessId(`${prefix}${'0'.repeat(zeros)}${number}`)
    assert.is(id, `cwe-${number}`)
    assert.is(weaknessId(id!), id)
  },
)

property(
  'rule 21: the ids that a text names are found in their order, whatever stands between',
  [
    fc.array(
      fc.tuple(
        NUMBER,
        fc.constantFrom('CWE-', 'CWE ', 'cwe:', 'CWE'),
        fc.constantFrom(' and ', ' Cross-site (XSS), ', '; see '),
      ),
    ),
  ],
  (named) => {
    const text = named.map(([number, prefix, between]) => `${prefix}${number}${between}`).join('')
    assert.equal(
      weaknessIdsInText(text),
      named.map(([number]) => `cwe-${number}`),
    )
  },
)

test('rule 21: a CWE id is read in any case, what is none is none', () => {
  assert.is(weaknessId('CWE-79'), 'cwe-79')
  assert.is(weaknessId('cwe-079'), 'cwe-79')
  for (const none of ['NVD-CWE-noinfo', 'CWE-Other', 'CWE-0', '79', '']) assert.is(weaknessId(none), null)
})

const TEXTS: [text: string, ids: string[]][] = [
  ['CWE-79 Cross-site scripting', ['cwe-79']],
  ['CWE 79', ['cwe-79']],
  ['CWE79', ['cwe-79']],
  ['CWE-120: something (CWE-787)', ['cwe-120', 'cwe-787']],
  ['CWE-noinfo Not enough information', []],
  ['n/a', []],
  ['XCWE-79', []],
]
for (const [text, ids] of TEXTS) {
  test(`rule 21: the problem type ${JSON.stringify(text)} names ${ids.join(' and ') || 'none'}`, () =>
    assert.equal(weaknessIdsInText(text), ids))
}

test.run()
