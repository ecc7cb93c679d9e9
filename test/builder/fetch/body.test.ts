/** Which content is accepted as a file of a feed: generated and real files. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBody } from '../../../builder/fetch/body.ts'
import { PUBLISHERS } from '../../../builder/fetch/publishers.ts'
import { TransferError } from '../../../corpus/transfer/error.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { REAL_FEEDS, suiteNeeding } from '../../support/needs.ts'
import { gzipped, zipOf } from './downloading.ts'

const folder = temporaryFolder('body')
const test = suite('body')
test.after(() => folder.remove())

const ANY = /^/
const file = join(folder.path, 'file')

async function check(name: string, bytes: Buffer | string, head = ANY) {
  writeFileSync(file, bytes)
  return checkBody(file, name, head)
}

async function refused(name: string, bytes: Buffer | string, message: RegExp, head = ANY): Promise<void> {
  try {
    await check(name, bytes, head)
  } catch (error) {
    assert.instance(error, TransferError)
    assert.is((error as TransferError).code, 'wrong_body')
    assert.match((error as TransferError).message, message)
    return
  }
  assert.unreachable(`${name} passed`)
}

test('a zip has its directory at its end; cut off anywhere, it is none', async () => {
  const zip = zipOf('a.json', '{}')
  await check('x/all.zip', zip)
  for (let length = 1; length < zip.length; length++) await refused('x/all.zip', zip.subarray(0, length), /zip/)
  await refused('x/all.zip', Buffer.concat([zip, Buffer.from('x')]), /truncated/)
  await refused('x/all.zip', zip.subarray(zip.length - 22), /not a zip file, or an empty one/)
})

test('a comment at the end of a zip, as GitHub writes it, is fine', async () => {
  const zip = zipOf('a.json', '{}')
  const comment = Buffer.from('a752ea54a752ea54a752ea54a752ea54a752ea54')
  zip.writeUInt16LE(comment.length, zip.length - 2)
  await check('x/all.zip', Buffer.concat([zip, comment]))
})

test('a gzip is inflated to its end: every bit of it counts', async () => {
  const text = 'cve,epss,percentile\n'.repeat(50)
  const gz = gzipped(text)
  const { head, plain } = await check('x.csv.gz', gz, /^cve,/)
  assert.is(head, text)
  assert.is(plain!.bytes, text.length)
  for (let length = 1; length < gz.length; length++)
    await refused('x.csv.gz', gz.subarray(0, length), /gzip|decompressed/)
  const flipped = Buffer.from(gz)
  flipped[gz.length - 6]! ^= 1
  await refused('x.csv.gz', flipped, /cannot be decompressed/)
  await refused('x.csv.gz', gzipped('0'.repeat(50 << 20)), /too large when decompressed/)
})

test('JSON is parsed whole, JSON lines line by line, with a byte order mark or without', async () => {
  await check('kev/x.json', '\ufeff{"vulnerabilities":[]}', /^\{"vuln/)
  await refused('kev/x.json', '{"vulnerabilities":[]', /^it is not JSON: /)
  await check('nuclei/cves.json', '{"ID":"a"}\n{"ID":"b"}\n', /^\{"ID"/)
  await refused('nuclei/cves.json', '{"ID":"a"}\n{"ID":', /^line 2 is not JSON: /)
})

test('XML ends with the end of its root', async () => {
  await check('cwe/cwec_latest.xml', '<?xml version="1.0"?><A></A>\n<!-- the end -->\n')
  await refused('cwe/cwec_latest.xml', '<?xml version="1.0"?><A><B/>', /truncated/)
})

test('HTML is named as such, whatever was expected', async () => {
  for (const name of ['x.zip', 'x.csv.gz', 'x.json', 'x.csv', 'x.xml'])
    await refused(name, '\n<html lang="en">', /^it is an HTML page$/)
  await refused('x.csv', '<!doctype HTML><title>Sign in</title>', /^it is an HTML page$/)
})

const real = suiteNeeding('bodies, real feeds', 'real feeds')
/** EUVD's list has no real file. */
const WITH_FILES = PUBLISHERS.filter(({ feed }) => feed !== 'euvd')

real('every file of the real feeds passes as what it is, and as nothing else', async () => {
  const seen: string[] = []
  for (const { feed, folder: where, copied, head } of WITH_FILES) {
    const names = readdirSync(join(REAL_FEEDS, where), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((one) => copied.test(one))) {
      await checkBody(join(REAL_FEEDS, where, name), `${where}/${name}`, head)
      seen.push(feed)
      if (name.endsWith('.zip')) continue
      const others = PUBLISHERS.filter((other) => other.feed !== feed && other.head.source !== '^')
      const bytes = readFileSync(join(REAL_FEEDS, where, name))
      const start = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).subarray(0, 65_536).toString('utf8')
      const alike = others.filter((other) => other.head.test(start)).map((other) => other.feed)
      // KEV and NVD both have a list of that name.
      assert.equal(alike, feed === 'kev' ? ['nvd'] : feed === 'nvd' ? ['kev'] : [], `${where}/${name}`)
    }
  }
  assert.equal(
    [...new Set(seen)],
    WITH_FILES.map(({ feed }) => feed),
  )
})

test.run()
real.run()
