/** `versions[]` in the notations of CNAs: plain, with bounds, comparators, placeholders, branches, changes. */
import fc from 'fast-check'
import type { VersionStatement } from '../../../../corpus/model/affected/ranges.ts'
import { shape } from './property.ts'

const PLACEHOLDER = fc.constantFrom('n/a', 'N/A', '-', 'unspecified', 'unknown', '', 'all', '*')
const COMMIT = fc.constantFrom('0123456789abcdef0123456789abcdef01234567', '89abcdef0123456789abcdef0123456789abcdef')
/** About forty versions, so that equal ones are rare by chance. */
export const version: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(6)).map((numbers) => numbers.join('.')) },
  { weight: 1, arbitrary: COMMIT },
)

const START = fc.oneof({ weight: 4, arbitrary: version }, { weight: 1, arbitrary: fc.constant('0') }, PLACEHOLDER)
const COMPARED = fc.oneof(
  fc.tuple(fc.constantFrom('<', '<= ', '>= ', '= ', '> '), version).map((parts) => parts.join('')),
  fc.tuple(version, version).map(([from, to]) => `>= ${from}, < ${to}`),
  version.map((to) => `All versions < ${to}`),
)
const OTHER_TEXT = version.map((one) => `before ${one}`)
const BOUND = fc.oneof(
  { weight: 5, arbitrary: version },
  PLACEHOLDER,
  fc.constantFrom('5.15.*', '<', '>= 2.0'),
  version.map((one) => `< ${one}`),
)

const STATUS = fc.constantFrom('affected', 'unaffected', 'unknown')
export const change = shape({
  at: fc.oneof({ weight: 5, arbitrary: version }, PLACEHOLDER),
  status: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('affected', 'unaffected') }, fc.constant('unknown')),
})

const orNull = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight, arbitrary })

export const statement: fc.Arbitrary<VersionStatement> = shape<VersionStatement>({
  version: fc.oneof({ weight: 5, arbitrary: START }, COMPARED, OTHER_TEXT),
  status: STATUS,
  lessThan: orNull(2, BOUND),
  lessThanOrEqual: orNull(1, BOUND),
  versionType: orNull(2, fc.constantFrom('semver', 'git', 'custom')),
  changes: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(change, { maxLength: 4 })),
})
export const statements = fc.array(statement, { maxLength: 5 })
export const defaultStatus = fc.constantFrom('affected', 'unaffected', 'unknown', null)

/** Returns every text of a statement, trimmed. */
export function textsOf({ version: start, lessThan, lessThanOrEqual, changes }: VersionStatement): string[] {
  return [start, lessThan ?? '', lessThanOrEqual ?? '', ...changes.map(({ at }) => at)].map((text) => text.trim())
}
