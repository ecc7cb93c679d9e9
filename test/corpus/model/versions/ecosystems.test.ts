/** What a snapshot can answer for: ecosystems and releases. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isIndexed } from '../../../../corpus/model/versions/ecosystems.ts'

const INDEXED = { ecosystems: ['Debian', 'npm', 'OSS-Fuzz'], releases: { Debian: ['12'] } }
const indexed = (ecosystem: string) => isIndexed(ecosystem, INDEXED)

test('an ecosystem is indexed if advisories name it, a release of a distribution if they name the release', () => {
  assert.equal(['npm', 'PyPI'].map(indexed), [true, false])
  assert.equal(['Debian', 'Debian:12', 'Debian:9'].map(indexed), [true, true, false])
})

test('OSS-Fuzz is never indexed: pkg:generic names any package, and most are not fuzzed', () => {
  assert.is(indexed('OSS-Fuzz'), false)
})

test.run()
