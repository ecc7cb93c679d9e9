/** Comparing two versions of any ecosystem takes steps in proportion to their length. */
import { test } from 'uvu'
import { testLaw } from './measure.ts'

await testLaw('./subjects/versions.ts')

test.run()
