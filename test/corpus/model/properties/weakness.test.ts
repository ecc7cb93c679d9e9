/** Properties of the primary weakness and of the union of mappings (rule 21). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { allWeaknesses, primaryWeakness, weaknessId, weaknessIdsInText } from '../../../../corpus/model/ids/weakness.ts'
import { anyClaim, CATALOG, catalog, claimOf } from './arbitrary.ts'
import { property } from './property.ts'

const CLAIMS = fc.array(anyClaim, { maxLength: 6 })
const stated = (claims: CveClaim[], ...sources: CveClaim['source'][]) =>
  sources.flatMap((source) => claims.filter((one) => one.source === source).flatMap(({ weaknesses }) => weaknesses))

property(
  'rule 21: the primary weakness is the first of CNA, ADP, NVD, and null only if they state none',
  [CLAIMS],
  (claims) => {
    const ids = stated(claims, 'cna', 'adp', 'nvd')
    assert.is(primaryWeakness(claims, null), ids[0] ?? null)
  },
)

property(
  'rule 21: a weakness of the catalog goes before any other id; if there is none, the first stays',
  [CLAIMS],
  (claims) => {
    const ids = stated(claims, 'cna', 'adp', 'nvd')
    const known = ids.filter((id) => CATALOG.isWeakness(id))
    assert.is(primaryWeakness(claims, CATALOG), known[0] ?? ids[0] ?? null)
  },
)

property(
  'rule 21: all weaknesses are the union of the mappings of CNA, ADP, NVD and advisories, by number',
  [CLAIMS],
  (claims) => {
    const all = allWeaknesses(claims)
    assert.equal(new Set(all), new Set(stated(claims, 'cna', 'adp', 'nvd', 'advisory')))
    assert.is(new Set(all).size, all.length)
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
  'rule 21: an advisory never changes the primary weakness',
  [CLAIMS, claimOf('advisory'), catalog],
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

test.run()
