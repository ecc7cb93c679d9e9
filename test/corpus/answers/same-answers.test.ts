/** The answers of all programs that answer requests of the API are equal. */
import { test } from 'uvu'
import { temporaryFolder } from '../../support/dist.ts'
import { registerSameAnswers } from '../../support/same-answers.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('same-answers')

await registerSameAnswers(folder.path, await sharedSample('usual'))

test.after(() => folder.remove())

test.run()
