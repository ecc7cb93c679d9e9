/** CVSS vectors in words, compared with the tables of the calculator. */
import calculator from 'ae-cvss-calculator'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeVector, isDefined } from '../../../corpus/explorer/app/pages/cves/cvss-vector.ts'

const CALCULATORS = {
  '2.0': () => new calculator.Cvss2(),
  '3.0': () => new calculator.Cvss3P0(),
  '3.1': () => new calculator.Cvss3P1(),
  '4.0': () => new calculator.Cvss4P0(),
}

/** The calculator shortens some names, and keeps some of CVSS 3.0 in 3.1. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/(vulnerable|subsequent) system /, '')
    .replace(/^modified (?=confidentiality|integrity|availability)/, '')
    .replace(/(?<=adjacent) network$|(?<=confidentiality|integrity|availability) impact$/, '')
    .replace(/^poc$/, 'proof-of-concept')

/** A base metric has to be stated: the calculator alone knows it as not defined. */
const isPlaceholder = (category: string, value: string) => category === 'base' && (value === 'X' || value === 'ND')
/** Only as modified metrics (CVSS 4.0, table 18). */
const isUnofficial = (version: string, key: string, value: string) =>
  version === '4.0' && /^S[CIA] S$/.test(`${key} ${value}`)

for (const [version, create] of Object.entries(CALCULATORS)) {
  test(`every value of every metric of CVSS ${version} has its name`, () => {
    let values = 0
    for (const [category, components] of create().getRegisteredComponents()) {
      for (const { shortName: key, name, values: known } of components) {
        for (const { shortName: letters, name: value } of known) {
          if (isPlaceholder(category.name, letters) || isUnofficial(version, key, letters)) continue
          const [decoded, ...others] = decodeVector(`${key}:${letters}`, version)
          assert.equal(others, [])
          assert.is(plain(decoded!.name ?? ''), plain(name), `${version} ${key}`)
          assert.is(plain(decoded!.value ?? ''), plain(value), `${version} ${key}:${letters}`)
          assert.is(decoded!.group, groupOf(version, category.name), `${version} ${key}`)
          values++
        }
      }
    }
    assert.ok(values > 40, `${values} values`)
  })
}

function groupOf(version: string, category: string): string {
  if (category.startsWith('environmental')) return 'Environmental'
  if (category === 'temporal' && version === '4.0') return 'Threat'
  return category[0]!.toUpperCase() + category.slice(1)
}

test('a metric that is Not Defined has no value', () => {
  const defined = (vector: string, version: string) =>
    decodeVector(vector, version)
      .filter(isDefined)
      .map(({ key }) => key)
  assert.equal(defined('AV:N/E:X/MAV:X/RL:O', '3.1'), ['AV', 'RL'])
  assert.equal(defined('AV:N/E:ND/RL:OF', '2.0'), ['AV', 'RL'])
  assert.equal(defined('AV:N/S:X/NEW:X', '4.0'), ['AV', 'NEW'])
})

test('a vector is decoded in its order, with and without prefix and parentheses', () => {
  const keys = (vector: string, version: string) =>
    decodeVector(vector, version).map(({ key, letters }) => `${key}=${letters}`)
  assert.equal(keys('CVSS:3.1/PR:N/AV:N', '3.1'), ['PR=N', 'AV=N'])
  assert.equal(keys('AV:N/AC:L/Au:N', '2.0'), ['AV=N', 'AC=L', 'Au=N'])
  assert.equal(keys('(AV:N/AC:L)', '2.0'), ['AV=N', 'AC=L'])
  assert.equal(keys('CVSS:4.0/AV:N/', '4.0'), ['AV=N'])
})

test('what the specification does not know stays as it is, without names', () => {
  const unknown = { group: null, name: null, value: null }
  assert.equal(decodeVector('CVSS:3.1/AV:Z/XX:1/nonsense', '3.1'), [
    { group: 'Base', key: 'AV', letters: 'Z', name: 'Attack Vector', value: null },
    { ...unknown, key: 'XX', letters: '1' },
    { ...unknown, key: 'nonsense', letters: '' },
  ])
  assert.equal(decodeVector('AV:N', '9.9'), [{ ...unknown, key: 'AV', letters: 'N' }])
  assert.equal(decodeVector('', '3.1'), [])
  assert.is(decodeVector('AV:constructor', '3.1')[0]!.value, null)
})

test.run()
