/** Every order is a total order of its keys. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { comparatorOf } from '../../../../corpus/model/versions/comparator.ts'
import { property } from '../properties/property.ts'
import { ECOSYSTEMS, versionText } from './arbitrary.ts'

const RUNS = 500

/** Maven's own order is not transitive for every text: see `corpus/model/versions/maven.ts`. */
const MAVEN_RELEASE = fc
  .tuple(
    fc.array(fc.constantFrom('0', '1', '2', '10', '01'), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '-alpha', '-beta-1', '-rc1', 'rc2', '.Final', '-SNAPSHOT', '-jre', '-1', '-2', '-sp'),
  )
  .map(([numbers, qualifier]) => numbers.join('.') + qualifier)

for (const ecosystem of ECOSYSTEMS) {
  const order = comparatorOf(ecosystem)!
  const parsers = [order.parse, order.parseStrict ?? order.parse]
  const text = versionText(ecosystem)
  const transitive = ecosystem === 'Maven' ? MAVEN_RELEASE : text

  property(
    `${ecosystem}: a version equals itself, and the other direction has the other sign`,
    [text, text],
    (a, b) => {
      for (const parse of parsers) {
        const [x, y] = [parse(a), parse(b)]
        if (x === null || y === null) continue
        assert.is(Math.sign(order.compare(x, y)), -Math.sign(order.compare(y, x)) + 0, `${a} and ${b}`)
        assert.is(order.compare(x, parse(a)), 0, a)
      }
    },
    RUNS,
  )

  property(
    `${ecosystem}: what precedes a version precedes all that follow it`,
    [transitive, transitive, transitive],
    (...texts) => {
      for (const parse of parsers) {
        const keys = texts.map(parse)
        if (keys.includes(null)) continue
        const [x, y, z] = keys.sort(order.compare)
        for (const [low, high] of [
          [x, y],
          [y, z],
          [x, z],
        ])
          assert.ok(order.compare(low, high) <= 0, texts.join(' '))
        if (order.compare(x, y) === 0)
          assert.is(Math.sign(order.compare(x, z)), Math.sign(order.compare(y, z)), texts.join(' '))
      }
    },
    RUNS,
  )
}

test('most random texts are versions', () => {
  for (const ecosystem of ECOSYSTEMS) {
    const order = comparatorOf(ecosystem)!
    const texts = fc.sample(versionText(ecosystem), { numRuns: RUNS, seed: 1 })
    const valid = texts.filter((text) => (order.parseStrict ?? order.parse)(text) !== null).length
    assert.ok(valid > RUNS / 5, `${ecosystem}: ${valid} of ${RUNS}`)
  }
})

test.run()
