/** The EPSS history in snapshots: one file for each block, quarters that stay, and what `verify` finds. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { build } from '../../../builder/snapshot/build.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { encodeManifest, type FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../../corpus/snapshot/files/pointer.ts'
import {
  decodePack,
  describePack,
  fileOf,
  historyFiles,
  historyIn,
  type Manifest,
  manifestPath,
  membersOf,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
  readStored,
  rebuilt,
  snapshotId,
} from '../../../corpus/snapshot/index.ts'
import { encodeMember } from '../../../corpus/snapshot/record/member.ts'
import { contentDigest } from '../../../corpus/snapshot/record/shard.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, putFeeds } from '../../support/feeds.ts'

const root = temporaryFolder('epss-history')
test.after(root.remove)

const [A, B, OLD] = ['CVE-2024-0001', 'CVE-2024-0999', 'CVE-2019-12345'] as const
const feeds = putFeeds(join(root.path, 'feeds'), {
  'cvelistv5/2024-07-03_all_CVEs.zip': baselineZip([{ id: A }, { id: B }, { id: OLD }, { id: 'CVE-2020-0001' }]),
})
const [corpus, dist] = [join(root.path, 'corpus.db'), join(root.path, 'dist')]

/** A night with another edition. The last id has no record, and no block with records. */
async function night(day: string, scores: Record<string, number>): Promise<Manifest> {
  const rows = Object.entries({ ...scores, 'CVE-2018-0001': 0.5 }).map(([id, score]) => `${id},${score},${score / 2}\n`)
  const csv = `#model_version:v1,score_date:${day}T00:00:00Z\ncve,epss,percentile\n${rows.join('')}`
  putFeeds(feeds, { [`epss/epss_scores-${day}.csv.gz`]: gzipSync(csv) })
  await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  await build({ corpus, dist, jobs: 0 }, quietEffects(), noProgress)
  assert.equal((await verify(dist)).faults, [])
  return readCurrent(dist).manifest
}

/** Enough scores that a segment is worth a delta. */
const many = (score: number) =>
  Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`CVE-2024-0${200 + i}`, (score + i * 7) / 100_000]))
const first = await night('2024-06-30', { [A]: 0.1, [B]: 0.2, [OLD]: 0.3, ...many(10) })
await night('2024-07-01', { [A]: 0.15, [B]: 0.2, [OLD]: 0.3, ...many(10) })
const before = readCurrent(dist).manifest
const after = await night('2024-07-02', { [A]: 0.16, [B]: 0.2, [OLD]: 0.3, ...many(10) })

const points = (manifest: Manifest, id: typeof A | typeof B | typeof OLD, block: string) =>
  historyIn(readObject(dist, fileOf(manifest, 'epss-history', block)), id).map(({ date, score, percentile }) =>
    [date, score, percentile].join(' '),
  )

test('each block with CVEs and points has a file, which is no derived one', () => {
  assert.equal([...historyFiles(after).keys()], ['2019/12xxx', '2024/0xxx'])
  assert.ok([...historyFiles(after).values()].every(({ derived, count }) => !derived && count === 1))
})

test('a file has the points of each CVE of its block', () => {
  assert.equal(points(after, A, '2024/0xxx'), ['2024-06-30 0.1 0.05', '2024-07-01 0.15 0.075', '2024-07-02 0.16 0.08'])
  assert.equal(points(after, B, '2024/0xxx'), ['2024-06-30 0.2 0.1'])
  assert.equal(points(after, OLD, '2019/12xxx'), ['2024-06-30 0.3 0.15'])
  assert.throws(() => points(after, A, '2019/12xxx'), /is that of 2019\/12xxx/)
})

test('a block without new points keeps its file; a past quarter keeps its segment', () => {
  const file = (manifest: Manifest, block: string) => fileOf(manifest, 'epss-history', block)
  assert.equal(file(after, '2019/12xxx'), file(first, '2019/12xxx'))
  const segments = [first, before, after].map((manifest) => {
    const bytes = readObject(dist, file(manifest, '2024/0xxx'))
    const [member] = membersOf(bytes)
    return member!.segments.map(({ offset, length }) => bytes.subarray(offset, offset + length).toString('hex'))
  })
  assert.equal(
    segments.map(({ length }) => length),
    [1, 2, 2],
  )
  assert.equal(
    segments.map(([quarter]) => quarter),
    [segments[0]![0], segments[0]![0], segments[0]![0]],
  )
  // A mirror gets only the last quarter.
  const packed = decodePack(readStored(dist, after.delta!, describePack(after.delta!)))
  const position = after.files.indexOf(file(after, '2024/0xxx'))
  const change = packed.find((one) => one.file === position)!
  const { size } = file(after, '2024/0xxx')
  assert.ok(change.carried.length < size / 2, `${change.carried.length} of ${size}`)
  const old = readObject(dist, before.files[change.previous]!)
  assert.is(sha256(rebuilt(change, old, size)), file(after, '2024/0xxx').sha256)
})

test('the same corpus has the same history, from scratch and with threads', async () => {
  const other = join(root.path, 'other')
  await build({ corpus, dist: other, jobs: 2 }, quietEffects(), noProgress)
  assert.is(readCurrent(other).manifest.snapshot, after.snapshot)
})

/** Replaces a file of the history, with digests that fit. */
async function faultsWith(name: string, bytes: Buffer, as = name): Promise<string[]> {
  const { pointer, manifest } = readCurrent(dist)
  const digest = contentDigest()
  for (const member of membersOf(bytes)) digest.add(member)
  const entry: FileEntry = {
    ...fileOf(manifest, 'epss-history', name),
    name: as,
    ...{ sha256: sha256(bytes), size: bytes.length, content: digest.hex() },
    count: [...membersOf(bytes)].length,
  }
  const files = manifest.files.map((file) => (file.role === 'epss-history' && file.name === name ? entry : file))
  const snapshot = snapshotId(files)
  const text = encodeManifest({ ...manifest, files, snapshot, delta: null })
  const about = { sha256: sha256(text), size: text.length }
  const put = (path: string, content: Uint8Array) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  put(objectPath(dist, entry.sha256), bytes)
  put(manifestPath(dist, about.sha256), text)
  put(pointerPath(dist), encodePointer({ ...pointer, snapshot, manifest: about }))
  try {
    return (await verify(dist)).faults
  } finally {
    put(pointerPath(dist), encodePointer(pointer))
  }
}

const edition = (date: string, more: object = {}) =>
  JSON.stringify({ date, model: 'v1', decimals: 5, ids: [345], scores: [30_000], percentiles: [15_000], ...more })
const member = (key: string, segments: readonly string[], { kind = 68, count = 1 } = {}) => {
  const parts = segments.flatMap((text, i) => [
    Buffer.from(i === 0 ? '{"editions":[' : ','),
    { kind, count, plain: Buffer.from(text) },
  ])
  return encodeMember(key, [...parts, Buffer.from(']}\n')]).bytes
}

test('verify finds a forged history', async () => {
  const block = '2019/12xxx'
  const good = edition('2024-06-30')
  assert.equal(await faultsWith(block, member(block, [good])), [])
  const forged: [Buffer, RegExp][] = [
    [member(block, ['null']), /a segment has no editions/],
    [member(block, [edition('2024-06-30', { ids: [1000] })]), /a segment has no editions/],
    [member(block, [good], { kind: 67 }), /a segment of kind 67/],
    [member(block, [good], { count: 2 }), /contains 1 points, not 2/],
    [member(block, [`${good},${edition('2024-07-01')}`], { count: 2 }), /not quarters in their order/],
    [member(block, [edition('2024-07-01'), good]), /not quarters in their order/],
    [member(block, [good, edition('2024-06-29')]), /not quarters in their order/],
    [member(block, [edition('2024-06-30', { decimals: 9, scores: [3e8], percentiles: [1.5e8] })]), /canonical form/],
    [member('2019/13xxx', [good]), /contains 2019\/13xxx$/],
    [member('2019', [good]), /its key is not an id block/],
    [Buffer.concat([member(block, [good]), member(block, [good])]), /contains 2019\/12xxx, 2019\/12xxx$/],
  ]
  for (const [bytes, fault] of forged) {
    const faults = await faultsWith(block, bytes)
    assert.is(faults.length, 1, faults.join('\n'))
    assert.match(faults[0]!, fault)
    assert.match(faults[0]!, 'file epss-history 2019/12xxx')
  }
  const elsewhere = await faultsWith(block, member('2018/0xxx', [good]), '2018/0xxx')
  assert.match(elsewhere[0]!, /has the history of a block without CVEs$/)
})

test.run()
