/** A manifest without one of its keys is damaged, and no other error. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import {
  decodeManifest,
  encodeManifest,
  type Manifest,
  snapshotId,
} from '../../../../corpus/snapshot/files/manifest.ts'

const manifest = {
  format: 1,
  snapshot: snapshotId([]),
  created_at: '2026-01-01T00:00:00.000Z',
  parent: null,
  delta: null,
  files: [],
} satisfies Manifest

test('each key is required', () => {
  assert.equal(decodeManifest(encodeManifest(manifest)), manifest)
  for (const key of Object.keys(manifest)) {
    const bytes = Buffer.from(JSON.stringify({ ...manifest, [key]: undefined }))
    assert.throws(
      () => decodeManifest(bytes),
      (error: unknown) => error instanceof SnapshotError,
      key,
    )
  }
})

test.run()
