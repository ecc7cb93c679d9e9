/**
 * 20 real CVEs with every subset of the stored sections: the spliced gzip answer, decoded by zlib and by fflate, is the JSON put
 * together from the parts in the corpus; one gzip member, nothing behind it. curl reads the answers of five.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, inflateRawSync } from 'node:zlib'
import { gunzipSync as fflateGunzip } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { getCve } from '../../../../corpus/answers/routes/cve.ts'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import { cveBlock } from '../../../../corpus/model/ids/cve-id.ts'
import { openCorpus } from '../../../../corpus/store/corpus.ts'
import type { EncodedAnswer } from '../../../../gateway/http/encoded-answer.ts'
import { openRoutes } from '../../../support/ask.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { testGateway } from '../../../support/gateway.ts'
import { needs } from '../../../support/needs.ts'
import { realDist } from '../../../support/samples.ts'

needs('real feeds')

const SECTIONS = ['cvss', 'epss', 'affected', 'references', 'exploits', 'evidence', 'timeline', 'analysis', 'guidance']
const SUBSETS = Array.from({ length: 2 ** SECTIONS.length }, (_, bits) =>
  SECTIONS.filter((_, i) => bits & (1 << i)).join(','),
)
const CVES = 20
const CVES_OF_CURL = 5

/** Consumes one gzip member by RFC 1952 and RFC 1951 alone; throws when anything is left or wrong. */
function strictGunzip(bytes: Buffer): Buffer {
  assert.equal([...bytes.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  const { buffer, engine } = inflateRawSync(bytes.subarray(10), { info: true }) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  const trailer = 10 + engine.bytesWritten
  assert.is(bytes.length, trailer + 8, 'bytes behind the member')
  assert.is(bytes.readUInt32LE(trailer), crc32(buffer))
  assert.is(bytes.readUInt32LE(trailer + 4), buffer.length)
  return buffer
}

const folder = temporaryFolder('splice')
const made = await realDist()
const gateway = await testGateway(folder.path, made.dist)
const corpus = openCorpus(made.corpus)
const { release, scores: lines } = corpus.epss()
const scores = new Map([...lines].map((score) => [score.cveId, score]))
const index = corpus.blocks().flatMap(({ block }) => corpus.digests(block).map(({ cveId }) => cveId))
const chosen = index.filter((_, i) => i % Math.floor(index.length / CVES) === 0).slice(0, CVES)

const partsOf = (id: CveId) => {
  const [record] = corpus.records(cveBlock(id), [id])
  return Object.fromEntries(Object.entries(record!.parts).map(([name, text]) => [name, JSON.parse(text)]))
}
const parts = new Map(chosen.map((id) => [id, partsOf(id)]))

/** The answer as plain JavaScript puts it together from the parts in the corpus. */
const expected = (id: CveId, include: string): object => {
  const found = scores.get(id)
  const epss = found
    ? { score: found.score, percentile: found.percentile, date: release!.date }
    : { score: null, percentile: null, date: null }
  const current = found && {
    date: release!.date,
    epss_score: found.score,
    percentile: found.percentile,
    model_version: release!.modelVersion,
  }
  const sections = include.split(',').filter(Boolean)
  return Object.assign(
    { ...parts.get(id)!.core, epss },
    ...sections.map((name) => {
      return name === 'epss' ? { epss_detail: { current: current ?? null } } : { [name]: parts.get(id)![name] }
    }),
  )
}

test('zlib and fflate decode the splices of 20 real CVEs and all 512 subsets to the same JSON', async () => {
  const { call, close } = openRoutes(made.dist)
  const sizes = new Set<number>()
  for (const id of chosen) {
    for (const include of SUBSETS) {
      // It waits for nothing.
      const answer = call(getCve, { cveId: id }, `include=${include}`) as EncodedAnswer
      const gzip = answer.gzip()
      const plain = strictGunzip(gzip)
      assert.equal(JSON.parse(plain.toString()), expected(id, include), `${id} include=${include}`)
      if (Buffer.compare(Buffer.from(fflateGunzip(gzip)), plain) !== 0) throw new Error(`fflate reads ${id} otherwise`)
      if (Buffer.compare(answer.identity(), plain) !== 0) throw new Error(`identity of ${id} is another`)
      sizes.add(plain.length)
    }
  }
  await close()
  assert.ok(chosen.length === CVES && sizes.size > 1000, `${chosen.length} CVEs, ${sizes.size} different answers`)
})

test('curl --compressed reads the same', async () => {
  const some = chosen.slice(0, CVES_OF_CURL)
  const config = join(folder.path, 'curl.conf')
  const url = `${gateway.url}/api/v1/cves/{${some.join(',')}}?include={${SUBSETS.map((one) => one.replaceAll(',', '%2C')).join(',')}}`
  // An empty alternative is no glob: the empty subset is asked for by itself.
  const globbed = url.replace('include={,', 'include={')
  const empty = `${gateway.url}/api/v1/cves/{${some.join(',')}}?include=`
  const options = [
    `header = "Authorization: Bearer ${gateway.token}"`,
    'compressed',
    'silent',
    'fail',
    'write-out = "\\n"',
  ]
  // Not synchronously: the gateway that answers lives in this process.
  const read = async (one: string) => {
    writeFileSync(config, [...options, `url = "${one}"`].join('\n'))
    const { stdout } = await promisify(execFile)('curl', ['--config', config], { maxBuffer: 4e8, timeout: 120_000 })
    return stdout.trimEnd().split('\n')
  }
  const lines = await read(globbed)
  const nonEmpty = SUBSETS.filter(Boolean)
  assert.is(lines.length, some.length * nonEmpty.length)
  lines.forEach((line, i) => {
    const id = some[Math.floor(i / nonEmpty.length)]!
    assert.equal(JSON.parse(line), expected(id, nonEmpty[i % nonEmpty.length]!), id)
  })
  for (const [i, line] of (await read(empty)).entries()) assert.equal(JSON.parse(line), expected(some[i]!, ''))
})

test.after(async () => {
  await gateway.close()
  corpus.close()
  folder.remove()
})

test.run()
