/** Answering a body of another tool takes steps in proportion to its length, and to the advisories that it asks for. */
import { test } from 'uvu'
import { testLaw } from './measure.ts'

await testLaw('./subjects/compat.ts')

test.run()
