/** The snapshots before one: found by following manifests, as far as they are still there. */
import { rmSync, writeFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../../corpus/runtime/digest.ts'
import { manifestPath } from '../../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type Manifest, snapshotId } from '../../../../corpus/snapshot/files/manifest.ts'
import { openAncestors } from '../../../../corpus/snapshot/memory/ancestors.ts'
import { goodSnapshot } from '../forgery.ts'

const good = await goodSnapshot('ancestors')

/** Four snapshots, each upon the one before, that differ in what their `about` says; oldest first. */
function fourNights(dist: string, tag = 'night'): { manifest: Manifest; digest: string }[] {
  const nights: { manifest: Manifest; digest: string }[] = []
  for (let night = 0; night < 4; night++) {
    const files = good.manifest.files.map((file) =>
      file.role === 'about' ? { ...file, content: sha256(`${tag} ${night}`) } : file,
    )
    const before = nights.at(-1)
    const parent = before ? { snapshot: before.manifest.snapshot, manifest: before.digest } : null
    const manifest = { ...good.manifest, files, snapshot: snapshotId(files), parent }
    const bytes = encodeManifest(manifest)
    const digest = sha256(bytes)
    writeFileSync(manifestPath(dist, digest), bytes)
    nights.push({ manifest, digest })
  }
  return nights
}

test('every snapshot of the chain is found, whichever is asked for first', async () => {
  const dist = good.copy()
  const nights = fourNights(dist)
  const ancestors = openAncestors(dist, nights[3]!.manifest)
  for (const night of [1, 2, 0, 1]) {
    const { snapshot } = nights[night]!.manifest
    assert.is((await ancestors.find(snapshot))?.id, snapshot)
  }
  assert.is(await ancestors.find('0'.repeat(64)), null)
  assert.is(await ancestors.find(nights[3]!.manifest.snapshot), null, 'it is not its own ancestor')
})

test('behind a manifest that was pruned nothing is found, before it everything', async () => {
  const dist = good.copy()
  const nights = fourNights(dist)
  rmSync(manifestPath(dist, nights[1]!.digest))
  const ancestors = openAncestors(dist, nights[3]!.manifest)
  assert.is(await ancestors.find(nights[0]!.manifest.snapshot), null)
  assert.is(await ancestors.find(nights[1]!.manifest.snapshot), null)
  assert.is((await ancestors.find(nights[2]!.manifest.snapshot))?.id, nights[2]!.manifest.snapshot)
})

test('one that is pruned after it was seen is gone', async () => {
  const dist = good.copy()
  const nights = fourNights(dist)
  const ancestors = openAncestors(dist, nights[3]!.manifest)
  assert.ok(await ancestors.find(nights[0]!.manifest.snapshot))
  rmSync(manifestPath(dist, nights[1]!.digest))
  assert.is(await ancestors.find(nights[1]!.manifest.snapshot), null)
})

test('a damaged manifest ends the chain, and is an error for what was before it', async () => {
  const dist = good.copy()
  const nights = fourNights(dist, 'damaged')
  writeFileSync(manifestPath(dist, nights[1]!.digest), '{}')
  const ancestors = openAncestors(dist, nights[3]!.manifest)
  const { summaries, damage } = await ancestors.lineage()
  assert.equal(
    summaries.map(({ id }) => id),
    [nights[2]!.manifest.snapshot],
  )
  assert.is(damage?.code, 'digest')
  assert.is((await ancestors.find(nights[2]!.manifest.snapshot))?.id, nights[2]!.manifest.snapshot)
  const error = await ancestors.find(nights[0]!.manifest.snapshot).catch((thrown: unknown) => thrown)
  assert.is(error, damage)
})

test.after(() => good.remove())
test.run()
