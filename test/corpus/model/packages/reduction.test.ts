/** The index leaves out versions that ranges contain, and sorts events: the verdict is that of the record itself. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { matchAdvisories } from '../../../../corpus/model/packages/match.ts'
import { packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import {
  type AffectedStatement,
  askedVersion,
  evaluate,
  parseAffected,
} from '../../../../corpus/model/versions/affected.ts'
import { property, shape } from '../properties/property.ts'
import { ECOSYSTEMS, versionText } from '../versions/arbitrary.ts'

const KINDS = ['introduced', 'introduced', 'fixed', 'fixed', 'last_affected', 'limit'] as const

interface Case {
  id: string
  ecosystem: string
  asked: string
  entries: AffectedStatement[]
  versions: string[]
  preferList: boolean
}

/** Releases of a distribution, or the ecosystem alone. */
const suffixed = (ecosystem: string) =>
  ['Debian', 'Alpine', 'Red Hat'].includes(ecosystem)
    ? fc.constantFrom(ecosystem, `${ecosystem}:12`, `${ecosystem}:13`)
    : fc.constant(ecosystem)

const cases: fc.Arbitrary<Case> = fc.constantFrom(...ECOSYSTEMS).chain((ecosystem) => {
  // A few versions, which entries and queries share.
  return fc.array(versionText(ecosystem), { minLength: 1, maxLength: 8 }).chain((texts) => {
    const version = fc.constantFrom('0', ...texts)
    const event = fc.tuple(fc.constantFrom(...KINDS), version).map(([kind, bound]) => ({ [kind]: bound }))
    const range = shape({
      type: fc.constantFrom('ECOSYSTEM', 'SEMVER', 'GIT'),
      events: fc.array(event, { minLength: 1, maxLength: 5 }),
    })
    const statement = shape<AffectedStatement>({
      package: suffixed(ecosystem).map((named) => ({ ecosystem: named })),
      ranges: fc.array(range, { maxLength: 2 }),
      versions: fc.array(version, { maxLength: 6 }),
    })
    return shape<Case>({
      id: fc.constantFrom('GHSA-1', 'MAL-1'),
      ecosystem: fc.constant(ecosystem),
      asked: suffixed(ecosystem),
      entries: fc.array(statement, { minLength: 1, maxLength: 3 }),
      versions: fc.constant(['0', ...texts]),
      preferList: fc.boolean(),
    })
  })
})

function check({ id, asked, entries, versions, preferList }: Case): void {
  const affected = entries.map((entry) => ({ ...entry, package: { ...entry.package, name: 'a' } }))
  const advisories = packageStatements(JSON.parse(JSON.stringify({ id, affected }))).map((one) => one.advisory)
  const options = { preferList: preferList && id === 'MAL-1' }
  for (const version of versions) {
    const [found] = matchAdvisories(advisories, { ecosystem: asked, version }, { preferList })
    const verdicts = entries.map((one) => evaluate(parseAffected(one), askedVersion(asked, version), options).verdict)
    const expected = (['affected', 'undecided'] as const).find((one) => verdicts.includes(one))
    assert.is(found?.verdict, expected, version)
  }
}

property('the index gives the verdict of the record for every version', [cases], check, 2000)

test.run()
