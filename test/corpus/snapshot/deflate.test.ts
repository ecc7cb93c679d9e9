/** What a compressed file grows to is bounded, whatever it says and however short it is. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gunzipFile, gzipFile } from '../../../corpus/snapshot/deflate.ts'
import { SnapshotError } from '../../../corpus/snapshot/error.ts'

test('a file that inflates to more than any of ours is refused, one byte less is not', () => {
  const most = 64 * 1024 * 1024
  assert.is(gunzipFile(gzipFile(Buffer.alloc(most))).length, most)
  const bomb = gzipFile(Buffer.alloc(most + 1))
  assert.ok(bomb.length < 100_000)
  assert.throws(
    () => gunzipFile(bomb),
    (error: unknown) => error instanceof SnapshotError && error.code === 'malformed',
  )
})

test.run()
