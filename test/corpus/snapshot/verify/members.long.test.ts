/** Damage to members, also with recomputed checksums: `verify` checks every byte, and derived files against records. */
import { crc32 } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shortHash } from '../../../../corpus/runtime/digest.ts'
import { gunzipMember } from '../../../../corpus/snapshot/codec/inflate.ts'
import { plainBytes } from '../../../../corpus/snapshot/codec/segment-bytes.ts'
import { encodeMember } from '../../../../corpus/snapshot/record/member.ts'
import { membersOf } from '../../../../corpus/snapshot/record/shard.ts'
import { contentOf, goodSnapshot, oneFault } from '../forgery.ts'

const good = await goodSnapshot('verify-members')
const { manifest, bytesOf, faultsAfter, forge, activate } = good

const shard = manifest.files.find(({ role, count }) => role === 'cve' && count > 2)!
const shardBytes = bytesOf('cve', shard.name)
const members = [...membersOf(shardBytes)]
const victim = members[1]!
/** Offset of a member's segment table: after ten bytes of gzip, XLEN and the subfield's header. */
const TABLE_AT = 16
const ENTRY_BYTES = 40

/** Returns a shard with one member changed in place by `change`; the CRC of the member's table is recomputed. */
function shardWith(change: (member: Buffer) => unknown): { bytes: Buffer; content: string } {
  const bytes = Buffer.from(shardBytes)
  const member = bytes.subarray(victim.at, victim.at + victim.length)
  change(member)
  const crcAt = TABLE_AT + 24 + ENTRY_BYTES * victim.segments.length
  member.writeUInt32LE(crc32(member.subarray(TABLE_AT, crcAt)), crcAt)
  return { bytes, content: contentOf(bytes) }
}

const entryAt = (segment: number) => TABLE_AT + 24 + ENTRY_BYTES * segment
const flip = (bytes: Buffer, at: number, mask: number) => bytes.writeUInt8(bytes[at]! ^ mask, at)
const add = (bytes: Buffer, at: number, by: number) => bytes.writeUInt32LE((bytes.readUInt32LE(at) + by) >>> 0, at)

const MEMBER_DAMAGE: [what: string, change: (member: Buffer) => unknown, line: RegExp][] = [
  ['its gzip magic', (m) => flip(m, 0, 1), /not a member/],
  ['its gzip flags', (m) => flip(m, 3, 2), /not a member/],
  ['its extra length', (m) => flip(m, 10, 1), /not a member|does not fit/],
  ['its table version', (m) => m.writeUInt8(2, TABLE_AT), /version 2 is not supported/],
  [
    'its number of segments',
    (m) => m.writeUInt8(m[TABLE_AT + 1]! - 1, TABLE_AT + 1),
    /does not fit|not a member|damaged/,
  ],
  ['its length', (m) => add(m, TABLE_AT + 4, 1), /not a member|longer than its shard|ends before|inflate|outside/],
  ['its source', (m) => flip(m, TABLE_AT + 8, 1), /does not match the files it is derived from \(sources\)/],
  ['its key', (m) => flip(m, m.indexOf('CVE-', TABLE_AT) + 4, 1), /it contains CVE-/],
  ['the kind of a segment', (m) => m.writeUInt8(9, entryAt(1)), /its segments have the kinds 1, 9/],
  [
    'the count of a segment',
    (m) => m.writeUInt8(m[entryAt(1) + 1]! + 1, entryAt(1) + 1),
    /contains \d+ items?, not \d+/,
  ],
  ['the offset of a segment', (m) => add(m, entryAt(0) + 4, -1), /outside its member|is damaged/],
  ['the length of a segment', (m) => add(m, entryAt(0) + 8, -1), /is damaged/],
  ['the plain length of a segment', (m) => add(m, entryAt(0) + 12, 1), /inflates to/],
  ['the plain CRC of a segment', (m) => flip(m, entryAt(0) + 16, 1), /does not match its CRC-32/],
  ['the stored CRC of a segment', (m) => flip(m, entryAt(0) + 20, 1), /is damaged/],
  ['the content hash of a segment', (m) => flip(m, entryAt(0) + 24, 1), /does not match its content hash/],
  ['a byte of glue', (m) => flip(m, victim.headLength + 6, 1), /does not match its CRC-32|does not inflate/],
  ['its CRC-32', (m) => flip(m, m.length - 8, 1), /does not match its CRC-32/],
  ['its length of plain bytes', (m) => add(m, m.length - 4, 1), /inflates to \d+ bytes, not/],
  [
    'a segment, with both of its CRCs made to fit',
    (m) => {
      const { offset, length } = victim.segments[0]!
      m[offset + length - 6]! ^= 1
      m.writeUInt32LE(crc32(m.subarray(offset, offset + length)), entryAt(0) + 20)
    },
    /inflate|CRC-32/,
  ],
]

for (const [what, change, line] of MEMBER_DAMAGE) {
  test(`a member with ${what} changed, under digests that fit`, async () => {
    const { bytes, content } = shardWith(change)
    const faults = await faultsAfter((dist) => forge(dist, shard, bytes, content))
    assert.ok(faults.length > 0, 'nothing was found')
    assert.match(faults.join('\n'), line)
  })
}

/** Returns the shard with its second member encoded again from changed parts: it is consistent in itself. */
function shardRecoded(change: (texts: string[]) => void, source = victim.source): { bytes: Buffer; content: string } {
  const whole = JSON.parse(
    JSON.stringify(victim.segments.map((one) => plainBytes(memberBytes(), one).toString())),
  ) as string[]
  change(whole)
  const glue = glueOf()
  const parts = victim.segments.flatMap(({ kind, count }, i) => [
    Buffer.from(glue[i]!),
    { kind, count, plain: Buffer.from(whole[i]!) },
  ])
  const recoded = encodeMember(victim.key, [...parts, Buffer.from(glue.at(-1)!)], source).bytes
  const [before, after] = [shardBytes.subarray(0, victim.at), shardBytes.subarray(victim.at + victim.length)]
  const bytes = Buffer.concat([before, recoded, after])
  return { bytes, content: contentOf(bytes) }
}

const memberBytes = () => shardBytes.subarray(victim.at, victim.at + victim.length)

/** Returns the bytes between the victim's segments. */
function glueOf(): string[] {
  let rest = gunzipMember(memberBytes()).toString()
  const glue: string[] = []
  for (const segment of victim.segments) {
    const text = plainBytes(memberBytes(), segment).toString()
    const at = rest.indexOf(text)
    glue.push(rest.slice(0, at))
    rest = rest.slice(at + text.length)
  }
  return [...glue, rest]
}

test('a record that says something else, in a shard without any inconsistency: what is derived from it contradicts', async () => {
  const { bytes, content } = shardRecoded((texts) => {
    texts[0] = texts[0]!.replace(/"has_patch":(true|false)/, (_, value) => `"has_patch":${value !== 'true'}`)
  })
  const faults = await faultsAfter((dist) => forge(dist, shard, bytes, content))
  const roles = faults.map((line) => /^file (\w+)/.exec(line)?.[1])
  for (const role of ['columns', 'pages']) assert.ok(roles.includes(role), `${role} among ${roles.join(', ')}`)
})

test('a record under the id of another', async () => {
  const { bytes, content } = shardRecoded((texts) => {
    texts[0] = texts[0]!.replace(victim.key, 'CVE-1999-0001')
  })
  oneFault(await faultsAfter((dist) => forge(dist, shard, bytes, content)), 'cve', /it contains CVE-1999-0001$/)
})

test('members in another order, and a shard of another block', async () => {
  const pieces = members.map(({ at, length }) => shardBytes.subarray(at, at + length))
  const swapped = Buffer.concat([pieces[1]!, pieces[0]!, ...pieces.slice(2)])
  const faults = await faultsAfter((dist) => forge(dist, shard, swapped, contentOf(swapped)))
  oneFault(faults, 'cve', /contains CVE-\S+ after CVE-\S+, out of order$/)
  const renamed = { ...shard, name: '1998/0xxx' }
  const elsewhere = await faultsAfter((dist) => {
    activate(
      dist,
      manifest.files.map((file) => (file === shard ? renamed : file)),
    )
  })
  oneFault(elsewhere, 'cve', /^file cve 1998\/0xxx .* contains CVE-\S+, which belongs to another block$/)
})

test('bytes between and behind members', async () => {
  const longer = Buffer.concat([shardBytes, Buffer.from([0])])
  oneFault(await faultsAfter((dist) => forge(dist, shard, longer, shard.content)), 'cve', /not a member/)
})

test('the hashes that these tests make to fit are those of the format', () => {
  const segment = victim.segments[0]!
  assert.equal(Buffer.from(shortHash(plainBytes(memberBytes(), segment))), Buffer.from(segment.hash))
  assert.is(contentOf(shardBytes), shard.content)
})

test.after(() => good.remove())

test.run()
