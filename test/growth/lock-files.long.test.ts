/** Reading a lock file or SBOM takes steps in proportion to its length. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FORMATS } from '../../corpus/inventory/formats/table.ts'
import { assertLaw } from './assert-law.ts'
import { lockFiles } from './subjects/lock-files.ts'

for (const subject of lockFiles) test(subject.name, () => assertLaw(subject))

test('each format has a subject', () => {
  const names = lockFiles.map(({ name }) => name.split('/').at(-1)!)
  for (const format of FORMATS)
    assert.ok(
      names.some((name) => format.file.test(name)),
      format.name,
    )
})

test.run()
