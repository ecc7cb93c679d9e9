/**
 * Damage of every class, also by somebody who recomputes each checksum on the way: what one file says must be what the
 * others say, or `verify` names it.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gunzipFile, gzipFile } from '../../../corpus/snapshot/deflate.ts'
import { decodeIndex, encodeIndex, type Index, indexContent } from '../../../corpus/snapshot/derive/index-table.ts'
import { decodeOrders, encodeOrders, type Orders, ordersContent } from '../../../corpus/snapshot/derive/orders.ts'
import { queryDigest } from '../../../corpus/snapshot/derive/query.ts'
import { sha256, shortHash } from '../../../corpus/snapshot/digest.ts'
import { decodeEpss, type EpssColumns, encodeEpss, NO_EPSS } from '../../../corpus/snapshot/epss.ts'
import {
  fileOf,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
} from '../../../corpus/snapshot/layout.ts'
import {
  encodeManifest,
  type FileEntry,
  type Manifest,
  type Role,
  snapshotId,
} from '../../../corpus/snapshot/manifest.ts'
import { encodeMember, plainBytes } from '../../../corpus/snapshot/member.ts'
import { encodePointer } from '../../../corpus/snapshot/pointer.ts'
import { contentDigest, membersOf } from '../../../corpus/snapshot/shard.ts'
import { column, decodeTable, encodeTable } from '../../../corpus/snapshot/table.ts'
import { verify } from '../../../corpus/snapshot/verify.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('verify')
const good = await sampleDist(folder.path, 230)
const { pointer, manifest } = readCurrent(good.dist)
let copies = 0

function copy(): string {
  const dist = join(folder.path, `copy-${copies++}`)
  cpSync(good.dist, dist, { recursive: true })
  return dist
}

/** The faults of the good snapshot after `change` worked on a copy of it. */
async function faultsAfter(change: (dist: string) => void): Promise<string[]> {
  const dist = copy()
  change(dist)
  return (await verify(dist)).faults
}

/** Puts up a manifest as if a build had made it: digests, id, size and pointer all fit. */
function putUp(dist: string, changed: Partial<Manifest>): void {
  const files = changed.files ?? manifest.files
  const bytes = encodeManifest({ ...manifest, ...changed, files, snapshot: snapshotId(files) })
  writeFileSync(manifestPath(dist, sha256(bytes)), bytes)
  const about = { sha256: sha256(bytes), size: bytes.length }
  writeFileSync(pointerPath(dist), encodePointer({ ...pointer, snapshot: snapshotId(files), manifest: about }))
}

/** Puts other bytes in the place of a file, with every digest above them made to fit. */
function forge(dist: string, file: FileEntry, bytes: Buffer, content: string, count = file.count): void {
  const forged = { ...file, sha256: sha256(bytes), size: bytes.length, content, count }
  const path = objectPath(dist, forged.sha256)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  putUp(dist, { files: manifest.files.map((one) => (one === file ? forged : one)) })
}

const objectOf = (role: Role, name?: string) => readObject(good.dist, fileOf(manifest, role, name))

/** Asserts one fault, about a file of this role, that reads like `line`. */
function oneFault(faults: string[], role: Role | null, line: RegExp): void {
  assert.is(faults.length, 1, faults.join('\n') || 'nothing was found')
  if (role) assert.match(faults[0]!, new RegExp(`^file ${role} `))
  assert.match(faults[0]!, line)
}

const CONTRADICTS = /contradicts what it is derived from/

test('the snapshot of a build has no faults, with threads as without', async () => {
  assert.equal((await verify(good.dist)).faults, [])
  assert.equal((await verify(good.dist, { jobs: 2 })).faults, [])
})

// --- members -------------------------------------------------------------------------------------------------------

const shard = manifest.files.find(({ role, count }) => role === 'cve' && count > 2)!
const shardBytes = objectOf('cve', shard.name)
const members = [...membersOf(shardBytes)]
const victim = members[1]!
/** Where a member's segment table begins: behind ten bytes of gzip, XLEN and the subfield's header. */
const TABLE_AT = 16
const ENTRY_BYTES = 40

/** A shard with one member changed in place; `change` gets the member's bytes, and the CRC of its table is made to fit. */
function shardWith(change: (member: Buffer) => unknown): { bytes: Buffer; content: string } {
  const bytes = Buffer.from(shardBytes)
  const member = bytes.subarray(victim.at, victim.at + victim.length)
  change(member)
  const crcAt = TABLE_AT + 24 + ENTRY_BYTES * victim.segments.length
  member.writeUInt32LE(crc32(member.subarray(TABLE_AT, crcAt)), crcAt)
  return { bytes, content: contentOf(bytes) }
}

function contentOf(bytes: Buffer): string {
  const digest = contentDigest()
  try {
    for (const member of membersOf(bytes)) digest.add(member)
  } catch {
    // A head that does not decode has no digest: any will do.
    return '0'.repeat(64)
  }
  return digest.hex()
}

const entryAt = (segment: number) => TABLE_AT + 24 + ENTRY_BYTES * segment
const flip = (bytes: Buffer, at: number, mask: number) => bytes.writeUInt8(bytes[at]! ^ mask, at)
const add = (bytes: Buffer, at: number, by: number) => bytes.writeUInt32LE((bytes.readUInt32LE(at) + by) >>> 0, at)

const MEMBER_DAMAGE: [what: string, change: (member: Buffer) => unknown, line: RegExp][] = [
  ['its gzip magic', (m) => flip(m, 0, 1), /not a member/],
  ['its gzip flags', (m) => flip(m, 3, 2), /not a member/],
  ['its extra length', (m) => flip(m, 10, 1), /not a member|does not fit/],
  ['its table version', (m) => m.writeUInt8(2, TABLE_AT), /version 2 is not known/],
  [
    'its number of segments',
    (m) => m.writeUInt8(m[TABLE_AT + 1]! - 1, TABLE_AT + 1),
    /does not fit|not a member|damaged/,
  ],
  ['its length', (m) => add(m, TABLE_AT + 4, 1), /not a member|longer than its shard|ends before|inflate|outside/],
  ['its source', (m) => flip(m, TABLE_AT + 8, 1), /contradicts what it is derived from \(sources\)/],
  ['its key', (m) => flip(m, m.indexOf('CVE-', TABLE_AT) + 4, 1), /it holds CVE-/],
  ['the kind of a segment', (m) => m.writeUInt8(9, entryAt(1)), /its segments are of the kinds 1, 9/],
  ['the count of a segment', (m) => m.writeUInt8(m[entryAt(1) + 1]! + 1, entryAt(1) + 1), /holds \d+ items?, not \d+/],
  ['the offset of a segment', (m) => add(m, entryAt(0) + 4, -1), /outside its member|is damaged/],
  ['the length of a segment', (m) => add(m, entryAt(0) + 8, -1), /is damaged/],
  ['the plain length of a segment', (m) => add(m, entryAt(0) + 12, 1), /inflates to/],
  ['the plain CRC of a segment', (m) => flip(m, entryAt(0) + 16, 1), /inflates to bytes of another CRC-32/],
  ['the stored CRC of a segment', (m) => flip(m, entryAt(0) + 20, 1), /is damaged/],
  ['the content hash of a segment', (m) => flip(m, entryAt(0) + 24, 1), /does not have its content hash/],
  ['a byte of glue', (m) => flip(m, victim.headLength + 6, 1), /inflates to bytes of another CRC-32|does not inflate/],
  ['its CRC-32', (m) => flip(m, m.length - 8, 1), /inflates to bytes of another CRC-32/],
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

/** The shard with its second member encoded anew from changed parts: nothing in it is inconsistent. */
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

/** What lies between the victim's segments. */
function glueOf(): string[] {
  let rest = gunzipFile(memberBytes(), 1 << 24).toString()
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
  oneFault(await faultsAfter((dist) => forge(dist, shard, bytes, content)), 'cve', /it holds CVE-1999-0001$/)
})

test('members in another order, and a shard of another block', async () => {
  const pieces = members.map(({ at, length }) => shardBytes.subarray(at, at + length))
  const swapped = Buffer.concat([pieces[1]!, pieces[0]!, ...pieces.slice(2)])
  const faults = await faultsAfter((dist) => forge(dist, shard, swapped, contentOf(swapped)))
  oneFault(faults, 'cve', /holds CVE-\S+ behind CVE-\S+$/)
  const renamed = { ...shard, name: '1998/0xxx' }
  const elsewhere = await faultsAfter((dist) => {
    putUp(dist, { files: manifest.files.map((file) => (file === shard ? renamed : file)) })
  })
  oneFault(elsewhere, 'cve', /^file cve 1998\/0xxx .* holds CVE-\S+, which lies in another block$/)
})

test('bytes between and behind members', async () => {
  const longer = Buffer.concat([shardBytes, Buffer.from([0])])
  oneFault(await faultsAfter((dist) => forge(dist, shard, longer, shard.content)), 'cve', /not a member/)
})

// --- tables --------------------------------------------------------------------------------------------------------

function forgeIndex(dist: string, change: (index: Index) => void): void {
  const index = decodeIndex(Buffer.from(objectOf('index')))
  change(index)
  forge(dist, fileOf(manifest, 'index'), encodeIndex(index), indexContent(index))
}

test('an index that leads elsewhere', async () => {
  for (const name of ['at', 'coreEnd', 'length', 'shard', 'year', 'numberLow', 'sources'] as const) {
    const faults = await faultsAfter((dist) =>
      forgeIndex(dist, (index) => {
        index[name][3]! ^= 1
      }),
    )
    oneFault(faults, 'index', new RegExp(`contradicts what it is derived from \\(${name}\\)$`))
  }
})

test('columns that say something else of a CVE', async () => {
  const file = fileOf(manifest, 'columns')
  const { about, columns } = decodeTable(Buffer.from(objectOf('columns')))
  for (const name of Object.keys(columns)) {
    if (name.endsWith('Starts')) continue
    const changed = columns[name]!.slice()
    if (changed.length === 0) continue
    changed[0] = changed[0] === 1 ? 0 : 1
    const bytes = encodeTable({ about, columns: { ...columns, [name]: changed } })
    const faults = await faultsAfter((dist) => forge(dist, file, bytes, sha256(bytes)))
    oneFault(faults, 'columns', new RegExp(`contradicts what it is derived from \\(${name}\\)$`))
  }
})

function forgeOrders(dist: string, change: (orders: Orders) => unknown): void {
  const file = fileOf(manifest, 'orders')
  const orders = decodeOrders(Buffer.from(objectOf('orders')), file.count)
  change(orders)
  forge(dist, file, encodeOrders(orders), ordersContent(orders))
}

test('orders that are no permutation, sort otherwise, count keys otherwise or lead to other pages', async () => {
  const twice = ({ cvss }: Orders) => cvss.ordinals.copyWithin(1, 0, 1)
  const swapped = ({ epss: { ordinals } }: Orders) => {
    ;[ordinals[4], ordinals[5]] = [ordinals[5]!, ordinals[4]!]
  }
  const keyed = ({ cvss }: Orders) => {
    cvss.keyed--
  }
  const pages = ({ updated }: Orders) => {
    updated.pagesAt[1]!++
  }
  for (const change of [twice, swapped, keyed, pages]) {
    oneFault(await faultsAfter((dist) => forgeOrders(dist, change)), 'orders', CONTRADICTS)
  }
})

function forgeEpss(dist: string, change: (epss: EpssColumns) => EpssColumns): void {
  const file = fileOf(manifest, 'epss')
  const epss = change(decodeEpss(gunzipFile(objectOf('epss'), 1 << 24)))
  const plain = encodeEpss(epss)
  forge(dist, file, gzipFile(plain), sha256(plain), epss.scores.length)
}

test('EPSS with a row too few, half a value, more than certainty, or another score', async () => {
  const oneLess = ({ scores, percentiles, ...epss }: EpssColumns) => ({
    ...epss,
    scores: scores.slice(1),
    percentiles: percentiles.slice(1),
  })
  oneFault(await faultsAfter((dist) => forgeEpss(dist, oneLess)), 'epss', /has \d+ rows for \d+ CVEs$/)
  const withScore = (score: number) => (epss: EpssColumns) => {
    const row = epss.scores.findIndex((one) => one !== NO_EPSS)
    return { ...epss, scores: epss.scores.with(row, score) }
  }
  for (const score of [NO_EPSS, 1_000_000_001]) {
    oneFault(
      await faultsAfter((dist) => forgeEpss(dist, withScore(score))),
      'epss',
      /no probability and percentile in row/,
    )
  }
  const stale = await faultsAfter((dist) => forgeEpss(dist, withScore(123_456_789)))
  const stalePages = stale.filter((line) => line.startsWith('file pages ') && CONTRADICTS.test(line))
  assert.is(stalePages.length, 4, 'the pages still hold the EPSS that was')
})

test('pages with their rows in another order, or with one row less', async () => {
  const file = fileOf(manifest, 'pages', 'cvss')
  const bytes = objectOf('pages', 'cvss')
  const [page, ...others] = [...membersOf(bytes)]
  const texts = page!.segments.map((segment) => plainBytes(bytes, segment).toString())
  const rest = others.map(({ at, length }) => bytes.subarray(at, at + length))
  const repaged = (changed: string[]) => {
    const parts = changed.flatMap((text, i) => [
      Buffer.from(i === 0 ? '{"rows":[' : ','),
      { kind: 64, count: (JSON.parse(`[${text}]`) as unknown[]).length, plain: Buffer.from(text) },
    ])
    return Buffer.concat([encodeMember(page!.key, [...parts, Buffer.from(']}\n')]).bytes, ...rest])
  }
  const rows = JSON.parse(`[${texts[0]}]`) as unknown[]
  const text = (some: unknown[]) => JSON.stringify(some).slice(1, -1)
  assert.is(text(rows), texts[0], 'rows survive being read and written')
  const damaged = [text([rows[1], rows[0], ...rows.slice(2)]), text(rows.slice(1))]
  for (const first of damaged) {
    const forged = repaged([first, ...texts.slice(1)])
    // Members that follow may lie elsewhere now, so the orders may contradict as well.
    const faults = await faultsAfter((dist) => forge(dist, file, forged, contentOf(forged)))
    assert.ok(
      faults.some((line) => line.startsWith('file pages cvss ') && CONTRADICTS.test(line)),
      faults.join('\n'),
    )
  }
})

test('a query.db with other texts or other postings', async () => {
  const file = fileOf(manifest, 'query')
  const changes = [
    "UPDATE cve SET title = 'harmless' WHERE ordinal = 3",
    'DELETE FROM gram WHERE key = (SELECT min(key) FROM gram)',
    "UPDATE gram SET ordinals = x'01' || substr(ordinals, 2) WHERE substr(ordinals, 1, 1) = x'02'",
  ]
  for (const change of changes) {
    const path = join(folder.path, 'forged.db')
    writeFileSync(path, objectOf('query'))
    const database = new Database(path)
    assert.ok(database.prepare(change).run().changes > 0)
    const { content, count } = queryDigest(database)
    database.close()
    const faults = await faultsAfter((dist) => forge(dist, file, readFileSync(path), content, count))
    oneFault(faults, 'query', CONTRADICTS)
  }
})

test('bytes that are none of what their role says, under digests that fit', async () => {
  const junk = Buffer.from('neither gzip nor table nor database, whatever its digests say '.repeat(300))
  for (const role of ['about', 'epss', 'rejected', 'index', 'columns', 'orders', 'query', 'cve', 'pages'] as const) {
    const file = fileOf(manifest, role)
    for (const bytes of [junk, gzipFile(junk), gzipFile(Buffer.from('null'))]) {
      const faults = await faultsAfter((dist) => forge(dist, file, bytes, sha256(bytes)))
      oneFault(faults, role, /./)
    }
  }
})

// --- manifest and pointer ------------------------------------------------------------------------------------------

test('counts in the manifest and in what the snapshot says of itself', async () => {
  for (const role of ['cve', 'pages', 'index', 'epss', 'rejected', 'query'] as const) {
    const file = fileOf(manifest, role)
    const files = manifest.files.map((one) => (one === file ? { ...one, count: one.count + 1 } : one))
    const faults = await faultsAfter((dist) => putUp(dist, { files }))
    oneFault(faults, role, /it holds \d+, not \d+ as the manifest says$/)
  }
  for (const name of ['cves', 'vendors', 'products']) {
    const about = JSON.parse(gunzipFile(objectOf('about'), 1 << 20).toString())
    about.counts[name]++
    const plain = Buffer.from(JSON.stringify(about))
    const faults = await faultsAfter((dist) => forge(dist, fileOf(manifest, 'about'), gzipFile(plain), sha256(plain)))
    oneFault(faults, 'about', new RegExp(`counts \\d+ ${name}, but there are \\d+$`))
  }
})

test('a rejected id of which there is a record, or that is no id', async () => {
  const file = fileOf(manifest, 'rejected')
  const rejected = JSON.parse(gunzipFile(objectOf('rejected'), 1 << 20).toString()) as Record<string, string | null>
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ [victim.key]: null }, /of which there is a record$/],
    [{ 'CVE-x': null }, /which is no CVE id$/],
    [{ ...rejected, [Object.keys(rejected)[0]!]: 'yesterday' }, /has no date of CVE-/],
  ]
  for (const [value, line] of cases) {
    const plain = Buffer.from(JSON.stringify(value))
    const count = Object.keys(value).length
    const faults = await faultsAfter((dist) => forge(dist, file, gzipFile(plain), sha256(plain), count))
    oneFault(faults, 'rejected', line)
  }
})

test('a role that is missing, one that nothing derives, and a wrong mark of what is derived', async () => {
  const without = manifest.files.filter(({ role }) => role !== 'orders')
  oneFault(await faultsAfter((dist) => putUp(dist, { files: without })), null, /lists no file orders$/)
  const pages = fileOf(manifest, 'pages')
  const more = [...manifest.files, { ...pages, name: 'severity' }]
  oneFault(await faultsAfter((dist) => putUp(dist, { files: more })), 'pages', /derived from nothing known$/)
  const marked = manifest.files.map((file) => (file === shard ? { ...file, derived: true } : file))
  oneFault(await faultsAfter((dist) => putUp(dist, { files: marked })), 'cve', /the manifest says derived: true$/)
})

test('a pointer that gives another size or time of its manifest', async () => {
  for (const other of [{ manifest: { ...pointer.manifest, size: 1 } }, { created_at: '2020-01-01T00:00:00.000Z' }]) {
    const faults = await faultsAfter((dist) =>
      writeFileSync(pointerPath(dist), encodePointer({ ...pointer, ...other })),
    )
    oneFault(faults, null, /^latest\.json gives another size or time/)
  }
})

test('one bit anywhere in any file', async () => {
  const dist = copy()
  for (const file of manifest.files) {
    const path = objectPath(dist, file.sha256)
    assert.ok(existsSync(path))
    const bytes = readFileSync(path)
    const damaged = Buffer.from(bytes)
    damaged[(file.size * 7919) % file.size]! ^= 0x10
    writeFileSync(path, damaged)
  }
  assert.is((await verify(dist)).faults.length, manifest.files.length)
})

test('the hashes that the tests above make to fit are those of the format', () => {
  const segment = victim.segments[0]!
  assert.equal(Buffer.from(shortHash(plainBytes(memberBytes(), segment))), Buffer.from(segment.hash))
  assert.is(contentOf(shardBytes), shard.content)
  assert.equal(
    column(decodeTable(objectOf('index')), 'year', 'u16').length,
    pointer ? fileOf(manifest, 'index').count : 0,
  )
})

test.after(() => folder.remove())

test.run()
