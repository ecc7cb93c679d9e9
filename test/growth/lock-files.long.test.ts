/** Reading a lock file or SBOM takes steps in proportion to its length. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FORMATS } from '../../corpus/inventory/formats/table.ts'
import { testLaw } from './measure.ts'

const subjects = await testLaw('./subjects/lock-files.ts')

test('each format has a subject', () => {
  const missing = FORMATS.filter(({ name }) => !subjects.some(({ subject }) => subject.startsWith(`${name}: `)))
  assert.equal(missing, [])
})

test.run()
