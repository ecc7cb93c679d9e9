import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { advisoryRow } from '../../../../corpus/model/packages/advisory-row.ts'
import type { PackageAdvisory } from '../../../../corpus/model/packages/package-advisory.ts'
import { packageEntry } from '../../../../corpus/model/packages/package-entry.ts'
import { shortHash } from '../../../../corpus/runtime/digest.ts'
import { extractAdvisories, extractPackages } from '../../../../corpus/snapshot/derive/advisory-extract.ts'
import { encodeEntries } from '../../../../corpus/snapshot/record/entry-shard.ts'
import {
  HASHED_KINDS,
  hashedMemberKey,
  hashedShardCount,
  hashedShardName,
  keyHash,
  shardOfHash,
} from '../../../../corpus/snapshot/record/hashed-shard.ts'

const test = suite('hashed shards')

test('the shard of a key follows from the first four bytes of its SHA-256', () => {
  for (const key of ['npm/lodash', 'npm/@scope/name', 'PyPI/größe', '']) {
    const digest = createHash('sha256').update(key).digest()
    assert.equal(keyHash(key), { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) })
    for (const k of [0, 1, 5, 10]) {
      const shard = shardOfHash(keyHash(key).high, 2 ** k)
      assert.is(shard, k === 0 ? 0 : digest.readUInt32BE(0) >>> (32 - k))
    }
  }
  assert.is(hashedShardName(0), '0000')
  assert.is(hashedShardName(1023), '03ff')
})

test('the number of shards is the smallest power of two with 512 members each, up to 1,024', () => {
  const counts = [0, 1, 512, 513, 1024, 1025, 300_000, 524_288, 524_289, 10_000_000]
  assert.equal(counts.map(hashedShardCount), [0, 1, 1, 2, 2, 4, 1024, 1024, 1024, 1024])
})

test('a key is percent-encoded, and its SHA-256 if that is too long', () => {
  assert.is(hashedMemberKey('npm/@scope/name'), 'npm/@scope/name')
  assert.is(hashedMemberKey('npm/größe\ud800'), 'npm/gr%C3%B6%C3%9Fe%EF%BF%BD')
  const long = `npm/${'x'.repeat(251)}`
  assert.is(hashedMemberKey(long), long)
  assert.is(hashedMemberKey(`${long}x`), createHash('sha256').update(`${long}x`).digest('hex'))
})

const entry = (key: string, text: string) => ({ key: hashedMemberKey(key), source: shortHash(text), text: () => text })

test('a shard of advisories is the records, line by line, and its rows have the ids of each', () => {
  const records = [
    { id: 'GHSA-1', aliases: ['CVE-2024-0002', 'GHSA-1', 'PYSEC-1'], upstream: ['CVE-2024-0001'] },
    { id: 'MAL-1', withdrawn: '2024-01-01T00:00:00Z', aliases: ['CVE-2024-0003'] },
    { id: 'PYSEC-1' },
  ]
  const texts = records.map((record) => JSON.stringify(record))
  const { bytes, members } = encodeEntries(
    HASHED_KINDS.advisories,
    texts.map((text, i) => entry(records[i]!.id, text)),
  )
  assert.is(gunzipSync(bytes).toString(), texts.map((text) => `${text}\n`).join(''))
  const rows = extractAdvisories(bytes)
  assert.equal(rows, {
    keys: ['GHSA-1', 'MAL-1', 'PYSEC-1'],
    at: members.map(({ at }) => at),
    length: members.map(({ length }) => length),
    aliases: [['CVE-2024-0002', 'PYSEC-1'], [], []],
    cveIds: [['CVE-2024-0001', 'CVE-2024-0002'], [], []],
    rows: records.map((record) => JSON.stringify(advisoryRow(record))),
  })
})

const advisory = (id: string, name: string, ...ecosystems: string[]) =>
  ({ id, name, affected: ecosystems.map((ecosystem) => ({ ecosystem })) }) as PackageAdvisory

test('the rows of a shard of packages have their advisories', () => {
  const found = packageEntry('PyPI/a-b', 'pkg:pypi/a-b', [
    advisory('A-1', 'a_b', 'PyPI', 'PyPI:1'),
    advisory('A-2', 'A.B', 'PyPI:2', 'PyPI:1'),
    advisory('A-3', 'A.B'),
  ])
  assert.equal([found.name, found.spellings], ['A.B', ['A.B', 'a_b']])
  const { bytes } = encodeEntries(HASHED_KINDS.packages, [entry('PyPI/a-b', JSON.stringify(found))])
  const { keys, packages, ecosystems, advisories } = extractPackages(bytes)
  assert.equal(keys, ['PyPI/a-b'])
  assert.equal(packages, [{ ecosystem: 'PyPI', name: 'A.B', purl: 'pkg:pypi/a-b' }])
  assert.equal(ecosystems, [['PyPI', 'PyPI:1', 'PyPI:2']])
  assert.equal(advisories, [['A-1', 'A-2', 'A-3']])
})

test('a package that only a CVE record names has no ecosystem of advisories', () => {
  const found = packageEntry('Hex/a', null, [{ ...advisory('CVE-2024-0001', 'a', 'Hex'), is_cve_record: true }])
  const { bytes } = encodeEntries(HASHED_KINDS.packages, [entry('Hex/a', JSON.stringify(found))])
  assert.equal(extractPackages(bytes).ecosystems, [[]])
})

test('a member that contains another entry, another kind or no object is refused', () => {
  const shard = (kind: number, key: string, text: string) => encodeEntries(kind, [entry(key, text)]).bytes
  const { advisories, packages } = HASHED_KINDS
  assert.throws(() => extractAdvisories(shard(advisories, 'A-1', '{"id":"A-2"}')), /the member A-1 contains A-2/)
  assert.throws(() => extractAdvisories(shard(advisories, 'A-1', '{}')), /the member A-1 has no id/)
  assert.throws(() => extractAdvisories(shard(advisories, 'A-1', '[]')), /is not a JSON object/)
  assert.throws(() => extractAdvisories(shard(packages, 'A-1', '{"id":"A-1"}')), /is not one of advisories/)
  const other = JSON.stringify(packageEntry('npm/b', null, [advisory('A-1', 'b')]))
  assert.throws(() => extractPackages(shard(packages, 'npm/a', other)), /the member npm\/a contains npm\/b/)
})

test.run()
