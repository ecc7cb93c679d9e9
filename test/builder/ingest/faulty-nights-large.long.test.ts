/**
 * Nights with an item of 50 MB, and archives that would fill memory or disk. An item has at most 32 MiB. A longer one
 * is skipped by name and never in memory as a whole. Lines have lower limits.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync, constants as zlib } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MAX_ITEM_BYTES } from '../../../corpus/feeds/feed.ts'
import type { FeedName } from '../../../corpus/feeds/table.ts'
import { recordPath } from '../../support/feeds.ts'
import { COUNT, FORMS, id, items, openNight, removeNights, reportOf, skipsOf, TODAY } from './good-night.ts'

const test = suite('large')

const LONG = 'x'.repeat(50 << 20)
const withText = (item: string, text: string) => item.replace('{', () => `{"unread":"${text}",`)

/** Names of skipped items in the report; an unreadable line is named by its position. */
const LARGE: [name: FeedName, key: string][] = [
  ['kev', id(1)],
  ['cna', 'cna1'],
  ['metasploit', 'exploit/linux/local/m1'],
  ['nuclei', 'line 1'],
  ['reports', `first-party/reports-${TODAY}.ndjson:1`],
  ['osv', 'NPM-1'],
  ['ghsa', FORMS.ghsa.key(1)],
  ['nvd', id(1)],
  ['cvelist', id(1)],
]

for (const [name, key] of LARGE) {
  test(`${name}: an item of 50 MB is left out by name, and the others are taken`, async () => {
    const night = await openNight()
    const item = FORMS[name].item(1)
    const at = name === 'metasploit' ? item.indexOf(':') + 1 : 0
    // NVD's records begin with their id.
    const long = name === 'nvd' ? item.replace(/}}$/, () => `,"unread":"${LONG}"}}`) : withText(item.slice(at), LONG)
    const file = FORMS[name].file([item.slice(0, at) + long, ...items(name).slice(1)], TODAY)
    night.put({ [FORMS[name].path(TODAY)]: file })
    const report = await night.run()
    assert.equal(skipsOf(report, name), [`${key} entry_too_large`])
    const { read, kept } = reportOf(report, name)
    assert.equal([read, kept], [COUNT, COUNT - 1])
  })
}

test('an item of 50 MB in a checkout is left out by name', async () => {
  const night = await openNight()
  for (const [index, item] of items('cvelist').entries()) {
    const path = join(night.feeds, `cvelistv5/${TODAY}`, recordPath(id(index + 1)))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, index === 0 ? withText(item, LONG) : item)
  }
  const report = await night.run()
  assert.equal(skipsOf(report, 'cvelist'), [`${id(1)} entry_too_large`])
  assert.is(reportOf(report, 'cvelist').held, 1)
})

test('a row of 50 MB in the index of exploits takes the rows behind it with it: refused, naming its line', async () => {
  const night = await openNight()
  const [first, second, ...rest] = items('exploitdb')
  const long = second!.replace('A fault', () => LONG)
  night.put({ [FORMS.exploitdb.path(TODAY)]: FORMS.exploitdb.file([first!, long, ...rest], TODAY) })
  const error = await night.refusal()
  assert.is(error.code, 'feed-shrank')
  assert.match(
    error.message,
    /first skipped record in exploitdb\/2024-06-02\/files_exploits\.csv: line 3, it is not CSV: Max/,
  )
  assert.is(error.message.match(/line 3/g)!.length, 2)
})

test('a catalog with a text of 50 MB is refused before it is parsed', async () => {
  const night = await openNight()
  const long = FORMS.cwe.item(1).replace('About', () => LONG)
  night.put({ [FORMS.cwe.path(TODAY)]: FORMS.cwe.file([long, ...items('cwe').slice(1)], TODAY) })
  const error = await night.refusal()
  assert.is(error.code, 'feed-unusable')
  assert.match(
    error.message,
    /^CWE: cwe\/2024-06-02\/cwec_v4\.15\.xml has a text of \d+ characters; the limit is 2000000/,
  )
})

/** Returns a zip of one deflated entry of `megabytes` MB of blanks, and optional small entries. */
function bomb(name: string, megabytes: number, others: Record<string, string> = {}): Buffer {
  // A full flush: later data does not refer to earlier data, so the piece can repeat any number of times.
  const piece = deflateRawSync(Buffer.alloc(1 << 20, 0x20), { finishFlush: zlib.Z_FULL_FLUSH })
  const end = deflateRawSync(Buffer.alloc(0))
  const deflated = Buffer.concat([...Array.from({ length: megabytes }, () => piece), end])
  const entries = [
    { name, bytes: deflated, size: megabytes * 2 ** 20, crc: 0, method: 8 },
    ...Object.entries(others).map(([other, text]) => {
      const bytes = Buffer.from(text)
      return { name: other, bytes, size: bytes.length, crc: crc32(bytes), method: 0 }
    }),
  ]
  let offset = 0
  const [files, directory]: [Buffer[], Buffer[]] = [[], []]
  for (const entry of entries) {
    const isZip64 = entry.size >= 2 ** 32
    const extra = Buffer.alloc(isZip64 ? 12 : 0)
    // A size that does not fit in the fixed fields (APPNOTE 4.5.3).
    if (isZip64) {
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(8, 2)
      extra.writeBigUInt64LE(BigInt(entry.size), 4)
    }
    const fixed = Buffer.alloc(26)
    for (const [at, value] of [
      [0, 45],
      [4, entry.method],
      [22, entry.name.length],
      [24, extra.length],
    ] as const)
      fixed.writeUInt16LE(value, at)
    fixed.writeUInt32LE(entry.crc, 10)
    fixed.writeUInt32LE(entry.bytes.length, 14)
    fixed.writeUInt32LE(isZip64 ? 0xffffffff : entry.size, 18)
    const local = Buffer.from(fixed)
    local.writeUInt16LE(0, 24)
    files.push(Buffer.from('PK\x03\x04', 'latin1'), local, Buffer.from(entry.name), entry.bytes)
    const central = Buffer.alloc(14)
    central.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x2d\x00', 'latin1'), fixed, central, Buffer.from(entry.name), extra)
    offset += 30 + entry.name.length + entry.bytes.length
  }
  const central = Buffer.concat(directory)
  const tail = Buffer.alloc(22)
  tail.write('PK\x05\x06', 'latin1')
  tail.writeUInt16LE(entries.length, 8)
  tail.writeUInt16LE(entries.length, 10)
  tail.writeUInt32LE(central.length, 12)
  tail.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, central, tail])
}

const TEN_GIGABYTES = 10 << 10

test('an item that inflates to 10 GB is left out by name, and never inflated', async () => {
  const night = await openNight()
  const others = items('cvelist')
    .slice(1)
    .map((item, i): [string, string] => [recordPath(id(i + 2)), item])
  night.put({ [FORMS.cvelist.path(TODAY)]: bomb(recordPath(id(1)), TEN_GIGABYTES, Object.fromEntries(others)) })
  const report = await night.run()
  assert.equal(skipsOf(report, 'cvelist'), [`${id(1)} entry_too_large`])
  assert.is(reportOf(report, 'cvelist').held, 1)
})

test('a zip in a zip that inflates to 10 GB is refused, and nothing of it is written to the disk', async () => {
  const night = await openNight()
  night.put({ [FORMS.cvelist.path(TODAY)]: bomb('cves.zip', TEN_GIGABYTES) })
  const error = await night.refusal()
  assert.is(error.code, 'feed-unusable')
  assert.match(
    error.message,
    /^CVE list: cvelistv5\/2024-06-02_all_CVEs\.zip: cves\.zip in it is too large: it would extract to 10737418240 bytes/,
  )
  assert.not.ok(existsSync(`${night.corpus}.spill`))
})

test('entries that lie on each other and state more than there is room for are refused', async () => {
  const night = await openNight()
  const one = bomb(recordPath(id(1)), 30)
  const at = one.indexOf(Buffer.from('PK\x01\x02', 'latin1'))
  const central = one.subarray(at, -22)
  const count = 200
  const entries = Array.from({ length: count }, (_, i) =>
    Buffer.from(central.toString('latin1').replace(id(1), id(i + 1)), 'latin1'),
  )
  const tail = Buffer.from(one.subarray(-22))
  const directory = Buffer.concat(entries)
  tail.writeUInt16LE(count, 8)
  tail.writeUInt16LE(count, 10)
  tail.writeUInt32LE(directory.length, 12)
  night.put({ [FORMS.cvelist.path(TODAY)]: Buffer.concat([one.subarray(0, at), directory, tail]) })
  const error = await night.refusal()
  assert.match(error.message, /its entries state 6291456000 bytes, too many for a file of \d+ bytes/)
})

test('an item as long as an item may be is taken', async () => {
  const night = await openNight()
  const item = FORMS.cvelist.item(1)
  const room = MAX_ITEM_BYTES - item.length - '"unread":"",'.length
  const texts = [withText(item, 'x'.repeat(room)), ...items('cvelist').slice(1)]
  assert.is(texts[0]!.length, MAX_ITEM_BYTES)
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file(texts, TODAY) })
  assert.equal(skipsOf(await night.run(), 'cvelist'), [])
})

test.after(removeNights)
test.run()
