/** Comparing two versions of any ecosystem takes steps in proportion to their length. */
import { test } from 'uvu'
import { assertLaw } from './assert-law.ts'
import { versions } from './subjects/versions.ts'

for (const subject of versions) test(subject.name, () => assertLaw(subject))

test.run()
