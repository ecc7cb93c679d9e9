/** A gateway and readers answer for earlier nights as in those nights. */
import { test } from 'uvu'
import { temporaryFolder } from '../../support/dist.ts'
import { registerEarlierAnswers } from '../../support/earlier-answers.ts'
import { sampleNights } from '../../support/samples.ts'

const folder = temporaryFolder('earlier-nights')
const { first, second, third, fourth } = await sampleNights()

await registerEarlierAnswers(folder.path, [first, second, third, fourth], 80)

test.after(() => folder.remove())

test.run()
