/** The order of versions of products. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  branchOf,
  compareToBound,
  compareVersions,
  isInBranch,
  isLaterInBranch,
} from '../../../../corpus/model/cpe/versions.ts'

const versions = suite('cpe versions')

/** Negative, 0 or null for each pair. Each is tested in both directions. */
const PAIRS: [a: string, b: string, order: -1 | 0 | null][] = [
  ['1.0', '1.1', -1],
  ['1.9', '1.10', -1],
  ['9', '10.0', -1],
  ['1.0', '1.0.0', 0],
  ['1', '1.0.1', -1],
  ['1.02', '1.2', 0],
  ['v1.2', '1.2', 0],
  ['V1.2', 'v1.3', -1],
  ['99999999999999999998.1', '99999999999999999999.0', -1],
  ['1.0-RC1', '1.0-rc1', 0],
  ['1.2-rc1', '2.0', -1],
  ['1.2.3a', '1.3', -1],
  ['1.0 SP1', '1.0_sp1', 0],
  ['1.0-rc1', '1.0', -1],
  ['6.19-rc6', '6.19.1', -1],
  ['6.12.10', '6.19-rc6', -1],
  ['6.19-rc6', '6.20', -1],
  ['6.19-rc6', '6.19-rc10', -1],
  ['6.19rc6', '6.19-rc6', 0],
  ['1.0.2k', '1.0.3', -1],
  ['1.0.2k', '1.0.2u', null],
  ['9.0.4-h3', '9.0.5', -1],
  ['9.0.4-h3', '9.0.4', null],
  ['21.2r3-s4', '21.4r1', -1],
  ['1.1x', '1.5', null],
  ['1.0-2.0', '1.5', null],
  ['1ab23cd', '2.0', null],
  ['1.0', '1.0.beta', null],
  ['1.0.a', '1.0.b', null],
  ['12.2(25)se', '12.2(25)sed', null],
  ['12.2(25)se', '13', -1],
  ['2021-01-05', '2021-01-06', null],
  ['1:2.0', '2.0', null],
  ['vista', '1.0', null],
  ['', '1.0', null],
]

versions('components of two versions compare as numbers, release candidates precede their release', () => {
  const sign = (value: number | null) => value && Math.sign(value)
  for (const [a, b, order] of PAIRS) {
    assert.is(sign(compareVersions(a, b)), order, `${a} against ${b}`)
    assert.is(sign(compareVersions(b, a)), order && -order, `${b} against ${a}`)
  }
})

const plain = (version: string) => ({ version, update: null })

versions('a branch contains the versions that begin with its components', () => {
  assert.is(branchOf('5.15.*'), '5.15')
  assert.is(branchOf('6.4.xxx'), '6.4')
  for (const text of ['5.15', '*', '5.15*', '5.*.1', 'x', '1.0.xp']) assert.is(branchOf(text), null, text)
  assert.is(isInBranch('5.15', '5.15'), true)
  assert.is(isInBranch('5.15.7', '5.15'), true)
  assert.is(isInBranch('5.150', '5.15'), false)
  assert.is(isInBranch('5.15a', '5.15'), null)
  assert.is(compareToBound(plain('5.15.99'), '5.15.*'), 0)
  assert.ok(compareToBound(plain('5.16'), '5.15.*')! > 0)
  assert.ok(compareToBound(plain('5.14.3'), '5.15.x')! < 0)
})

versions('a version with an update is not at a bound', () => {
  const beta = (version: string) => ({ version, update: 'beta' })
  assert.is(compareToBound(beta('1.0'), '1.0'), null)
  assert.is(compareToBound(plain('1.0'), '1.0'), 0)
  assert.ok(compareToBound(beta('1.0'), '1.1')! < 0)
  assert.is(compareToBound(beta('1.0'), '1.0.*'), null)
  assert.is(compareToBound(beta('1.0.1'), '1.0.*'), 0)
  assert.is(compareToBound(beta('1.0'), '1.0-rc2'), null)
})

versions('the update of a release candidate precedes its release', () => {
  const candidate = (version: string) => ({ version, update: 'RC3' })
  assert.ok(compareToBound(candidate('1.0'), '1.0')! < 0)
  assert.ok(compareToBound(candidate('1.0'), '1.0-rc4')! < 0)
  assert.ok(compareToBound(candidate('1.0'), '1.0-rc2')! > 0)
  assert.ok(compareToBound(candidate('1.1'), '1.0')! > 0)
  // It may belong to the branch or not.
  assert.is(compareToBound(candidate('1.0'), '1.0.*'), null)
  assert.is(compareToBound(plain('1.0-rc3'), '1.0.*'), null)
})

versions('a fix covers its branch: all components but the last of three or more', () => {
  assert.is(isLaterInBranch('5.10.201', '5.10.200'), true)
  assert.is(isLaterInBranch('5.10.200.1', '5.10.200'), true)
  assert.is(isLaterInBranch('5.11', '5.10.200'), false)
  assert.is(isLaterInBranch('5.10.2-rc1', '5.10.1'), true)
  assert.is(isLaterInBranch('5.10x', '5.10.200'), null)
  assert.is(isLaterInBranch('6.2.1', '6.2'), true)
  assert.is(isLaterInBranch('6.3', '6.2'), null)
  assert.is(isLaterInBranch('7.0', '6.2'), false)
  assert.is(isLaterInBranch('7.1', '7'), true)
  assert.is(isLaterInBranch('8', '7'), false)
})

versions.run()
