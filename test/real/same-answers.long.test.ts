/** The answers of all programs that answer requests of the API are equal, on the real feeds. */
import { test } from 'uvu'
import { temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { registerSameAnswers } from '../support/same-answers.ts'
import { realDist } from '../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-same-answers')

// One build without reports.
await registerSameAnswers(folder.path, await realDist(), [
  'getReport',
  'getReport snapshot',
  'listChanges cursor',
  'listSnapshots cursor',
])

test.after(() => folder.remove())

test.run()
