/** Attack vector, privileges and user interaction of CVSS vectors. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { exposureOf, readExposure } from '../../../../corpus/model/scores/exposure.ts'

const of = (vector: string) => Object.values(readExposure(exposureOf(vector)))

test('each version states the metrics that it has', () => {
  assert.equal(of('CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'), ['network', 'none', 'passive'])
  assert.equal(of('CVSS:4.0/AV:P/AC:L/AT:N/PR:H/UI:A/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'), ['physical', 'high', 'active'])
  assert.equal(of('CVSS:3.1/AV:L/AC:L/PR:L/UI:R/S:U/C:H/I:N/A:N'), ['local', 'low', 'required'])
  assert.equal(of('CVSS:3.0/AV:A/AC:L/PR:H/UI:N/S:U/C:H/I:N/A:N'), ['adjacent', 'high', 'none'])
  assert.equal(of('AV:A/AC:L/Au:N/C:P/I:N/A:N'), ['adjacent', null, null])
})

test('modified metrics, and values that no version has, state nothing', () => {
  assert.is(exposureOf('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N/MAV:P/MPR:H/MUI:R'), 'AV:N/PR:N/UI:N')
  assert.equal(of('AV:X/PR:toString/UI'), [null, null, null])
  assert.equal(of(''), [null, null, null])
})

test.run()
