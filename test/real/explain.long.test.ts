/** Explanations of all records of the real feeds. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { explainAll } from '../support/explained.ts'
import { needs } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-explain')
const { corpus } = await realDist()

test('of every record, what decides is what is served', () => {
  assert.is(explainAll(corpus), 12_256)
})

test.after(() => folder.remove())
test.run()
