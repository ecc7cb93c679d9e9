/** The decompressed size of a file is bounded, whatever it states and however short it is. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { MAX_GZIP_PLAIN } from '../../../../corpus/snapshot/bounds.ts'
import { gzipFile } from '../../../../corpus/snapshot/codec/deflate.ts'
import { gunzipFile } from '../../../../corpus/snapshot/codec/inflate.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'

for (const [role, most] of Object.entries(MAX_GZIP_PLAIN) as [keyof typeof MAX_GZIP_PLAIN, number][]) {
  test(`a file ${role} that inflates to more than ${most} bytes is refused, one byte less is not`, () => {
    assert.is(gunzipFile(role, gzipFile(Buffer.alloc(most))).length, most)
    const bomb = gzipFile(Buffer.alloc(most + 1))
    assert.ok(bomb.length < 100_000)
    assert.throws(
      () => gunzipFile(role, bomb),
      (error: unknown) => error instanceof SnapshotError && error.code === 'malformed',
    )
  })
}

test.run()
