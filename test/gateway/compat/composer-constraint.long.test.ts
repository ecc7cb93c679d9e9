/** Random entries: Composer finds the versions that `evaluate` calls affected. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { PackageRanges } from '../../../corpus/model/packages/package-advisory.ts'
import { askedVersion, evaluate, parseAffected } from '../../../corpus/model/versions/affected.ts'
import { packagist } from '../../../corpus/model/versions/packagist.ts'
import { composerAlternatives } from '../../../gateway/compat/composer-constraint.ts'
import { versionText } from '../../corpus/model/versions/arbitrary.ts'
import { composerMatches } from '../../support/composer-semver.ts'
import { suiteNeeding } from '../../support/needs.ts'

const test = suiteNeeding('random constraints', "PHP's composer/semver")

const ENTRIES = Number(process.env.VULNSHELF_TEST_PAIRS ?? 10_000)
const SEED = Number(process.env.FC_SEED ?? 20_240_601)

const ecosystem = 'Packagist'

// PHP cannot compare numbers beyond 2^63.
const any = versionText(ecosystem).filter((text) => !/\d{19}/.test(text))
const valid = any.filter((text) => packagist.parseStrict!(text) !== null)
const version = fc.oneof({ weight: 15, arbitrary: valid }, any)
const branch = fc.constantFrom('dev-main', 'dev-1.x', 'dev-feature/a_b', 'main')
const bound = fc.oneof({ weight: 5, arbitrary: version }, fc.constant('0'))
const event = fc.tuple(fc.constantFrom('introduced', 'introduced', 'fixed', 'fixed', 'last_affected'), bound)
const limit = fc.tuple(fc.constant('limit'), fc.oneof({ weight: 5, arbitrary: bound }, fc.constant('*')))
const range = fc
  .tuple(fc.array(event, { minLength: 1, maxLength: 5 }), fc.array(limit, { maxLength: 2 }), fc.nat(5))
  .map(([events, limits, chance]) =>
    [...events, ...(chance === 0 ? limits : [])].map(([kind, text]) => ({ [kind]: text })),
  )
const entries = fc.record({
  ranges: fc.array(range, { maxLength: 3 }),
  versions: fc.array(fc.oneof({ weight: 5, arbitrary: version }, branch), { maxLength: 3 }),
  others: fc.array(fc.oneof({ weight: 8, arbitrary: version }, branch), { minLength: 5, maxLength: 5 }),
  preferList: fc.boolean(),
})

/** An entry without a constraint is not sent to Composer. */
const NOTHING = '=dev-nothing'

/** Dates that Composer 2.5 rejects: they end with two short numbers. */
const isNewerDate = (text: string) => /\d{6,}\D+\d{1,3}\D+\d/.test(text)

test(`${ENTRIES} random entries (seed ${SEED})`, () => {
  const asked = fc
    .sample(entries, { numRuns: ENTRIES, seed: SEED })
    .flatMap(({ ranges, versions, others, preferList }) => {
      const entry: PackageRanges = {
        ecosystem,
        ranges: ranges.map((events) => ({ type: 'ECOSYSTEM', events })),
        versions,
      }
      const alternatives = composerAlternatives(entry, { preferList })
      const affected = parseAffected({ ...entry, package: { ecosystem } })
      const named = ranges.flat().flatMap((one) => Object.values(one))
      return [...named, ...versions, ...others].map((text) => ({
        constraint: alternatives.join('|') || NOTHING,
        text,
        entry: JSON.stringify(entry),
        isDated: [...named, ...versions, text].some(isNewerDate),
        ...evaluate(affected, askedVersion(ecosystem, text), { preferList }),
      }))
    })
  const matches = composerMatches(asked.map(({ constraint, text }) => [constraint, text]))
  const counts: Record<string, number> = {}
  const different = asked.filter((one, i) => {
    const isMatch = matches[i]!
    const kind = isMatch === null ? 'no version of Composer' : one.verdict
    counts[kind] = (counts[kind] ?? 0) + 1
    return isMatch !== null && !one.isDated && isMatch !== (one.verdict === 'affected')
  })
  console.log(`# ${JSON.stringify(counts)}, ${different.length} differences`)
  assert.equal(different.slice(0, 10), [])
  assert.ok(counts.affected! > ENTRIES && counts.not_affected! > ENTRIES, JSON.stringify(counts))
})

test.run()
