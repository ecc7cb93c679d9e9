/** The CVE list in upstream's formats: a zip, a zip in a zip, zip64, a folder; and every kind of damage. */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ZipFile } from 'yazl'
import { cveList } from '../../../../corpus/feeds/cvelist/cvelist.ts'
import { itemDigest } from '../../../../corpus/feeds/feed.ts'
import { parseCveId } from '../../../../corpus/model/ids/cve-id.ts'
import { CONTENT_BYTES, contentDigest } from '../../../../corpus/model/item-digest.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { baselineZip, cveRecord, recordPath, zipOf } from '../../../support/feeds.ts'
import { cveListItems, errorOf, outcomes, readOptions } from '../reading.ts'

const folder = temporaryFolder('cvelist')
const ONE = { id: 'CVE-2024-0001' } as const
const TWO = { id: 'CVE-2024-0002' } as const
const THREE = { id: 'CVE-2024-13337' } as const
const IDS = [ONE.id, TWO.id, THREE.id]

let files = 0
function put(bytes: Uint8Array): string {
  const path = join(folder.path, `${++files}.zip`)
  writeFileSync(path, bytes)
  return path
}

const ADAPTER = cveList.adapter
const reading = suite('reading')

reading('yields a claim for each record of a zip, and nothing for other files', async () => {
  const items = await cveListItems(put(baselineZip([ONE, TWO, THREE])))
  assert.equal(outcomes(items), IDS)
  const [item] = items
  assert.ok(item?.kind === 'claim')
  assert.equal(item.cveIds, [ONE.id])
  assert.is(item.statedAt, '2024-05-02T08:00:00.000Z')
  const content = itemDigest(ADAPTER, JSON.stringify(cveRecord(ONE)))
  assert.equal(contentDigest(item.digest), content)
  assert.is(JSON.parse(item.body).assigner, 'acme')
})

for (const [what, level] of [
  ['stored', 0],
  ['compressed', 6],
] as const) {
  reading(`reads upstream's zip inside a zip, ${what}`, async () => {
    const outer = put(zipOf({ 'cves.zip': baselineZip([ONE, TWO, THREE]) }, level))
    assert.equal(outcomes(await cveListItems(outer)), IDS)
  })
}

reading('reads a checkout', async () => {
  const checkout = join(folder.path, 'checkout/cves')
  for (const record of [THREE, TWO, ONE]) {
    const path = join(dirname(checkout), recordPath(record.id))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(cveRecord(record)))
  }
  writeFileSync(join(checkout, 'deltaLog.json'), '[]')
  const items = await cveListItems(checkout, true)
  assert.equal(outcomes(items).sort(), [...IDS].sort())
})

reading('reads a zip64 of more than 65,535 entries', async () => {
  const COUNT = 66_000
  const path = join(folder.path, 'zip64.zip')
  const zip = new ZipFile()
  const options = { compress: false, mtime: new Date(2024, 0, 1) }
  for (let number = 1; number <= COUNT; number++) {
    const id = parseCveId(`CVE-2024-${String(number).padStart(4, '0')}`)!
    const tiny = `{"cveMetadata":{"cveId":"${id}","state":"REJECTED"}}`
    zip.addBuffer(Buffer.from(tiny), recordPath(id), options)
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
  const items = await cveListItems(path)
  assert.is(items.length, COUNT)
  assert.is(new Set(items.map(({ key }) => key)).size, COUNT)
  assert.ok(items.every(({ kind }) => kind === 'claim'))
})

reading('neither parses nor yields what the corpus has from the same bytes', async () => {
  const path = put(baselineZip([ONE, TWO]))
  const known = itemDigest(ADAPTER, JSON.stringify(cveRecord(ONE)))
  const digestOf = (key: string) => (key === ONE.id ? known : itemDigest(2, 'other bytes'))
  const items = await cveListItems(path, false, { ...readOptions(path), digestOf })
  const kinds = items.map(({ key, kind }) => `${key} ${kind}`)
  assert.equal(kinds, ['CVE-2024-0001 known', 'CVE-2024-0002 claim'])
})

reading('an entry with the compressed bytes of before is known without being inflated', async () => {
  const path = put(baselineZip([ONE, TWO]))
  const digests = new Map<string, Uint8Array>()
  for (const item of await cveListItems(path)) if (item.kind === 'claim') digests.set(item.key, item.digest)
  const digestOf = (key: string) => digests.get(key) ?? null
  const again = async (file: string) =>
    (await cveListItems(file, false, { ...readOptions(file), digestOf })).map(({ kind }) => kind)
  assert.equal(await again(path), ['known', 'known'])
  const [one, two] = [digests.get(ONE.id)!, digests.get(TWO.id)!]
  digests.set(ONE.id, Buffer.concat([contentDigest(two), one.subarray(CONTENT_BYTES)]))
  assert.equal(await again(path), ['known', 'known'], 'what it says is not looked at')
  digests.set(ONE.id, Buffer.concat([contentDigest(one), two.subarray(CONTENT_BYTES)]))
  assert.equal(await again(path), ['known', 'known'], 'compressed otherwise, it still says the same')
  digests.set(ONE.id, Buffer.from([ADAPTER - 1, ...one.subarray(1)]))
  assert.equal(await again(path), ['claim', 'known'], 'another version of the adapter read it')
})

reading.run()

const damage = suite('damage')

/** Returns a zip of three records with changed bytes in the second entry. */
function brokenSecond(change: (bytes: Buffer, localHeader: number, directoryHeader: number) => void): string {
  const zip = Buffer.from(baselineZip([ONE, TWO, THREE]))
  const name = recordPath(TWO.id)
  change(zip, zip.indexOf(name) - 30, zip.lastIndexOf(name) - 46)
  return put(zip)
}

const DAMAGES: [what: string, path: () => string, reason: string, detail: RegExp][] = [
  [
    'a wrong CRC-32',
    () => brokenSecond((zip, _local, entry) => zip.writeUInt8(zip[entry + 16]! ^ 1, entry + 16)),
    'entry_damaged',
    /CRC-32 does not match/,
  ],
  [
    'a flipped bit in its bytes',
    () => brokenSecond((zip, local) => zip.writeUInt8(zip[local + 120]! ^ 0x10, local + 120)),
    'entry_damaged',
    /./,
  ],
  [
    'more bytes than it states',
    () => brokenSecond((zip, _local, entry) => zip.writeUInt32LE(100, entry + 24)),
    'entry_damaged',
    /inflated/,
  ],
  [
    'a size beyond the limit',
    () => brokenSecond((zip, _local, entry) => zip.writeUInt32LE(33 << 20, entry + 24)),
    'entry_too_large',
    /34603008 bytes; the limit is 33554432/,
  ],
  [
    'an unknown compression method',
    () => brokenSecond((zip, _local, entry) => zip.writeUInt16LE(99, entry + 10)),
    'entry_unsupported',
    /method 99/,
  ],
  [
    'an encrypted entry',
    () => brokenSecond((zip, _local, entry) => zip.writeUInt16LE(1, entry + 8)),
    'entry_unsupported',
    /encrypted/,
  ],
  [
    'no local header',
    () => brokenSecond((zip, local) => zip.writeUInt32LE(0, local)),
    'entry_damaged',
    /no local header/,
  ],
  ['broken JSON', () => withSecond('{"cveMetadata":'), 'json_invalid', /JSON/],
  [
    'another record than its name says',
    () => withSecond(JSON.stringify(cveRecord(THREE))),
    'id_differs_from_name',
    /contains CVE-2024-13337/,
  ],
  ['no record', () => withSecond('[]'), 'record_not_object', /not a JSON object/],
]

function withSecond(content: string): string {
  const good = [ONE, THREE].map((record) => [recordPath(record.id), JSON.stringify(cveRecord(record))])
  return put(zipOf({ ...Object.fromEntries(good), [recordPath(TWO.id)]: content }))
}

for (const [what, path, reason, detail] of DAMAGES) {
  damage(`a record with ${what} is skipped by name, and the others arrive`, async () => {
    const items = await cveListItems(path())
    assert.equal(outcomes(items).sort(), [ONE.id, `${TWO.id} ${reason}`, THREE.id])
    const skipped = items.find((item) => item.kind === 'skip')!
    assert.match(skipped.detail, detail)
  })
}

damage('a zip cut off anywhere is an error that names the file', async () => {
  const whole = baselineZip([ONE, TWO, THREE])
  for (const length of [0, 10, whole.length >> 1, whole.length - 1]) {
    const path = put(whole.subarray(0, length))
    const error = await errorOf(() => cveListItems(path))
    assert.ok(error.startsWith(`file_damaged: ${path.split('/').at(-1)}`), error)
  }
})

damage('a directory that points beyond the end of the file is an error', async () => {
  const zip = Buffer.from(baselineZip([ONE]))
  zip.writeUInt32LE(zip.length + 1000, zip.length - 6)
  assert.match(await errorOf(() => cveListItems(put(zip))), /^file_damaged: /)
})

damage('an inner zip whose CRC-32 does not match is an error', async () => {
  const outer = Buffer.from(zipOf({ 'cves.zip': baselineZip([ONE, TWO, THREE]) }))
  const entry = outer.lastIndexOf('cves.zip') - 46
  outer.writeUInt8(outer[entry + 16]! ^ 1, entry + 16)
  const error = await errorOf(() => cveListItems(put(outer)))
  assert.match(error, /^file_damaged: .*cves\.zip in it does not match its size and CRC-32/)
})

damage('an inner zip that inflates beyond its stated size is given up early', async () => {
  const outer = Buffer.from(zipOf({ 'cves.zip': Buffer.alloc(50 << 20) }))
  outer.writeUInt32LE(1000, outer.lastIndexOf('cves.zip') - 46 + 24)
  assert.match(await errorOf(() => cveListItems(put(outer))), /^file_damaged: /)
})

damage.after(folder.remove)
damage.run()
