/** Base scores of vectors: FIRST's own examples, and invalid vectors (rules 18, 29). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { baseScore } from '../../../../corpus/model/scores/cvss-vector.ts'
import { BASE, vectorOf, vectorParts } from '../properties/cvss-arbitrary.ts'
import { codePoint, property, shape } from '../properties/property.ts'

property(
  'rule 29: the base score lies in 0 to 10, with one decimal, in the vector’s own version',
  [vectorParts],
  (parts) => {
    const { version, base } = parts
    const scored = baseScore(vectorOf(version, base))!
    assert.is(scored.version, version)
    assert.ok(scored.score >= 0 && scored.score <= 10)
    assert.is(scored.score, Number(scored.score.toFixed(1)))
  },
)

property(
  'rule 29: neither metrics beyond the base nor the order of metrics change the base score',
  [
    vectorParts.chain(({ version, base, beyond }) => {
      const all = [...base, ...beyond]
      const shuffled = fc.shuffledSubarray(all, { minLength: all.length })
      return shape({ version: fc.constant(version), base: fc.constant(base), shuffled })
    }),
  ],
  ({ version, base, shuffled }) => {
    assert.equal(baseScore(vectorOf(version, shuffled)), baseScore(vectorOf(version, base)))
  },
)

property(
  'rule 29: a vector that lacks a base metric, or has one twice, has no score',
  [vectorParts, fc.nat(), fc.boolean()],
  ({ version, base, beyond }, at, twice) => {
    const index = at % base.length
    const metrics = twice ? [...base, base[index]!] : base.toSpliced(index, 1)
    assert.is(baseScore(vectorOf(version, [...metrics, ...beyond])), null)
  },
)

property('rule 29: any text is read without an error', [fc.string({ unit: codePoint })], (text) => {
  const scored = baseScore(text)
  assert.ok(scored === null || scored.score <= 10)
})

/** Values of the impact metrics, the worst last. */
const WORSE = {
  '2.0': ['N', 'P', 'C'],
  '3.0': ['N', 'L', 'H'],
  '3.1': ['N', 'L', 'H'],
  '4.0': ['N', 'L', 'H'],
} as const

property('rule 18: more impact never lowers the base score', [vectorParts, fc.nat()], ({ version, base }, at) => {
  const impacts = Object.keys(BASE[version]).filter((name) => /^(?:[VS]?[CIA])$/.test(name))
  const name = impacts[at % impacts.length]!
  const scores = WORSE[version].map((value) => {
    const metrics = base.map((part) => (part.startsWith(`${name}:`) ? `${name}:${value}` : part))
    return baseScore(vectorOf(version, metrics))!.score
  })
  assert.equal(
    scores,
    scores.toSorted((a, b) => a - b),
    `${name} of ${vectorOf(version, base)}`,
  )
})

/**
 * Examples published by FIRST: 2.0 in "A Complete Guide to CVSS 2.0" section 3.3; 3.1 in "CVSS v3.1: Examples"
 * (first.org/cvss/v3.1/examples); 4.0, with 3.1, in "CVSS v4.0: Examples" 1.7.1 (first.org/cvss/v4.0/examples).
 */
const EXAMPLES: [cve: string, vector: string, score: number][] = [
  ['CVE-2002-0392', 'AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
  ['CVE-2003-0818', 'AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
  ['CVE-2003-0062', 'AV:L/AC:H/Au:N/C:C/I:C/A:C', 6.2],
  ['CVE-2013-1937', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
  ['CVE-2013-0375', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
  ['CVE-2014-3566', 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
  ['CVE-2012-1516', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 9.9],
  ['CVE-2012-0384', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 8.8],
  ['CVE-2014-0160', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
  ['CVE-2008-1447', 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:N/I:H/A:N', 6.8],
  ['CVE-2014-2005', 'CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 6.8],
  ['CVE-2013-6014', 'CVSS:3.1/AV:A/AC:L/PR:N/UI:N/S:C/C:H/I:N/A:H', 9.3],
  ['CVE-2022-41741', 'CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:H/I:H/A:H', 7],
  ['CVE-2022-41741', 'CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
  ['CVE-2020-3549', 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H', 8.1],
  ['CVE-2020-3549', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.7],
  ['CVE-2020-3549', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 7.7],
  ['CVE-2023-3089', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N/SA:N', 8.3],
  ['CVE-2021-44714', 'CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.3],
  ['CVE-2021-44714', 'CVSS:4.0/AV:L/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N', 4.6],
]

for (const [cve, vector, score] of EXAMPLES) {
  test(`rule 29: FIRST scores ${cve} ${score} by ${vector}`, () => assert.is(baseScore(vector)?.score, score))
}

test('what lacks a base metric, has it twice or with a value of another version is no vector', () => {
  for (const text of [
    '',
    'HIGH',
    'CVSS:3.1',
    'CVSS:3.1/',
    'CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/A:L',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/I:H',
    'CVSS:3.1/AV:Q/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:C/I:C/A:C',
    'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  ]) {
    assert.is(baseScore(text), null, text)
  }
})

test.run()
