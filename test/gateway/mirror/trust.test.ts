/** What a mirror believes: pure judgements, each rule by itself. SPEC.md, "Pointer". */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { encodeManifest, type FileEntry, type Manifest, snapshotId } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import { signPointer } from '../../../corpus/snapshot/files/signature.ts'
import { judgeManifest, judgePointer, type Trust } from '../../../gateway/mirror/trust.ts'
import { makeSigner } from './repository.ts'

const NOW = new Date('2026-05-01T12:00:00Z')
const ours = await makeSigner()
const pointer: Pointer = {
  format: 1,
  version: 7,
  snapshot: 'a'.repeat(64),
  manifest: { sha256: 'b'.repeat(64), size: 1234 },
  created_at: '2026-05-01T00:00:00.000Z',
  expires_at: '2026-05-15T00:00:00.000Z',
}
const have: Pointer = {
  ...pointer,
  version: 6,
  snapshot: 'c'.repeat(64),
  manifest: { sha256: 'd'.repeat(64), size: 1200 },
  created_at: '2026-04-30T00:00:00.000Z',
}
const trusting = (other: Partial<Trust> = {}): Trust => ({ keys: [ours.publicKey], have, now: NOW, ...other })
const signed = (other: Partial<Pointer> = {}) => signPointer({ ...pointer, ...other }, [ours.signing])

/** What is thrown, as `code: message`. */
async function refusal(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`
  }
  throw new Error('it was believed')
}

test('a pointer that a trusted key has signed, newer than the one that is here', async () => {
  assert.equal(await judgePointer(await signed(), trusting()), pointer)
  assert.equal(await judgePointer(await signed(), trusting({ have: null })), pointer)
  // The same one again, and the same one signed anew.
  assert.equal(await judgePointer(await signed(), trusting({ have: pointer })), pointer)
  const renewed = { ...pointer, version: 8, expires_at: '2026-05-16T00:00:00.000Z' }
  assert.equal(await judgePointer(await signed(renewed), trusting({ have: pointer })), renewed)
})

test('without keys an unsigned pointer is believed, and a signed one too', async () => {
  const { expires_at: _, ...unsigned } = pointer
  assert.equal(await judgePointer(encodePointer(unsigned), trusting({ keys: null })), unsigned)
  assert.equal(await judgePointer(await signed(), trusting({ keys: null })), pointer)
})

test('rollback: a lower version than the one that is here, also where nobody signs', async () => {
  const newer = { ...have, version: 8 }
  assert.match(
    await refusal(async () => judgePointer(await signed(), trusting({ have: newer }))),
    /^rollback: the source has version 7, older than the local version 8/,
  )
  const { expires_at: _, ...unsigned } = pointer
  assert.match(
    await refusal(() => judgePointer(encodePointer(unsigned), trusting({ keys: null, have: newer }))),
    /^rollback: /,
  )
})

test('freeze: a pointer that has expired, to the millisecond', async () => {
  const at = (time: string) => async () => judgePointer(await signed(), trusting({ now: new Date(time) }))
  assert.equal(await at('2026-05-14T23:59:59.999Z')(), pointer)
  assert.match(
    await refusal(at('2026-05-15T00:00:00.000Z')),
    /^expired: latest\.json expired at 2026-05-15T00:00:00\.000Z/,
  )
  const { expires_at: _, ...forEver } = pointer
  const bytes = await signPointer(forEver, [ours.signing])
  assert.match(await refusal(() => judgePointer(bytes, trusting())), /^untrusted: .*it has no expiry$/)
})

test('mix and match: another snapshot under a version that is here, and a newer version of an older time', async () => {
  const same = { ...have, version: 7 }
  assert.match(
    await refusal(async () => judgePointer(await signed(), trusting({ have: same }))),
    /^contradiction: version 7 of the source is another snapshot/,
  )
  const otherManifest = { ...pointer, manifest: { sha256: 'e'.repeat(64), size: 1234 } }
  assert.match(
    await refusal(async () => judgePointer(await signed(), trusting({ have: otherManifest }))),
    /^contradiction: /,
  )
  const later = { ...have, created_at: '2026-05-02T00:00:00.000Z' }
  assert.match(
    await refusal(async () => judgePointer(await signed(), trusting({ have: later }))),
    /^contradiction: version 7 of the source was created at/,
  )
})

test('a manifest of more bytes than any may have', async () => {
  const huge = { manifest: { sha256: 'b'.repeat(64), size: 2 ** 40 } }
  assert.match(
    await refusal(async () => judgePointer(await signed(huge), trusting())),
    /^malformed: .*states a manifest of 1099511627776 bytes; it must have 1 to 8388608/,
  )
})

const file: FileEntry = {
  role: 'cve',
  name: '2024/3xxx',
  sha256: 'f'.repeat(64),
  size: 5000,
  content: '1'.repeat(64),
  count: 3,
  derived: false,
}

function withFiles(files: FileEntry[], other: Partial<Manifest> = {}): { bytes: Buffer; to: Pointer } {
  const manifest: Manifest = {
    format: 1,
    snapshot: snapshotId(files),
    created_at: pointer.created_at,
    parent: null,
    delta: null,
    files,
    ...other,
  }
  const bytes = encodeManifest(manifest)
  return {
    bytes,
    to: { ...pointer, snapshot: snapshotId(files), manifest: { sha256: sha256(bytes), size: bytes.length } },
  }
}

test('the manifest that the pointer names, and no other', async () => {
  const { bytes, to } = withFiles([file])
  assert.is(judgeManifest(bytes, to, 5000).files.length, 1)
  const spoilt = Buffer.from(bytes)
  spoilt[spoilt.length >> 1]! ^= 1
  assert.match(await refusal(() => judgeManifest(spoilt, to, 1e9)), /^digest: /)
  assert.match(await refusal(() => judgeManifest(bytes.subarray(1), to, 1e9)), /^digest: /)
  const sizeOnly = { ...to, manifest: { ...to.manifest, size: 1 } }
  assert.match(await refusal(() => judgeManifest(bytes, sizeOnly, 1e9)), /^digest: /)
})

test('a manifest of another snapshot or time than its pointer says', async () => {
  const { bytes, to } = withFiles([file])
  assert.match(await refusal(() => judgeManifest(bytes, { ...to, snapshot: 'a'.repeat(64) }, 1e9)), /^contradiction: /)
  assert.match(
    await refusal(() => judgeManifest(bytes, { ...to, created_at: have.created_at }, 1e9)),
    /^contradiction: /,
  )
})

test('files that lie elsewhere, or are larger than may be', async () => {
  for (const sha256 of ['../../../etc/passwd', '..', `${'f'.repeat(63)}/`, 'F'.repeat(64), '']) {
    const { bytes, to } = withFiles([{ ...file, sha256 }])
    assert.match(await refusal(() => judgeManifest(bytes, to, 1e9)), /^malformed: /, sha256)
  }
  for (const size of [-1, 1.5, 2 ** 60, Number.NaN]) {
    const { bytes, to } = withFiles([{ ...file, size }])
    assert.match(await refusal(() => judgeManifest(bytes, to, 1e9)), /^(?:malformed|too_large): /, String(size))
  }
  const { bytes, to } = withFiles([file, { ...file, name: '2024/4xxx' }])
  assert.match(
    await refusal(() => judgeManifest(bytes, to, 9999)),
    /^too_large: the snapshot has 10000 bytes; the limit is 9999; raise --max-bytes to accept it$/,
  )
})

test.run()
