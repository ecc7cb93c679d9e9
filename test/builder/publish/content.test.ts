/** Reading for publication: an intact file completely, and never the last bytes of a damaged one. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bytesContent, type Content, fileContent } from '../../../builder/publish/content.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('content')
const file = join(folder.path, 'object')
const bytes = randomBytes(1_000_000)

/** Returns the bytes that were read, and the error that ended the read. */
async function readAll({ read }: Content): Promise<{ bytes: Buffer; error: string }> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of read()) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), error: '' }
  } catch (error) {
    const { code, message } = error as Error & { code: string }
    return { bytes: Buffer.concat(chunks), error: `${code}: ${message}` }
  }
}

const contentOf = (whole: Buffer) =>
  fileContent('objects/x', file, { sha256: sha256(whole), size: whole.length }, 'the object')

test('what is sound is read as it is, again and again', async () => {
  for (const whole of [bytes, bytes.subarray(0, 1), bytes.subarray(0, 0)]) {
    writeFileSync(file, whole)
    const content = contentOf(whole)
    for (let times = 0; times < 2; times++) assert.equal(await readAll(content), { bytes: whole, error: '' })
  }
  const pointer = bytesContent('latest.json', bytes)
  assert.equal([pointer.sha256, pointer.size], [sha256(bytes), bytes.length])
  assert.equal((await readAll(pointer)).bytes, bytes)
})

test('of what has another digest or another length the last bytes are never given', async () => {
  for (const at of [0, 500_000, 999_999]) {
    const rotten = Buffer.from(bytes)
    rotten[at]! ^= 1
    writeFileSync(file, rotten)
    const { bytes: given, error } = await readAll(contentOf(bytes))
    assert.match(error, /^digest: the object is damaged: its digest differs from its name/)
    assert.ok(given.length < bytes.length, `${given.length}`)
  }
  for (const other of [bytes.subarray(0, 999_999), Buffer.concat([bytes, bytes]), Buffer.alloc(0)]) {
    writeFileSync(file, other)
    const { bytes: given, error } = await readAll(contentOf(bytes))
    assert.match(error, /^digest: /)
    assert.ok(given.length < bytes.length, `${given.length} of ${other.length}`)
  }
})

test('what is gone is named', async () => {
  const content = fileContent('objects/x', join(folder.path, 'none'), { sha256: '', size: 1 }, 'file cve 2024/3xxx')
  assert.is((await readAll(content)).error, 'missing: file cve 2024/3xxx is missing')
})

test.after(folder.remove)
test.run()
