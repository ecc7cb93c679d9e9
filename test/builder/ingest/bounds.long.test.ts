/** What an ingest reads, stores and prints of a feed is bounded, whatever the content. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IngestError } from '../../../builder/ingest/error.ts'
import { formatIngestReport } from '../../../builder/ingest/format-report.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { jsonMembers } from '../../../corpus/feeds/files/json-members.ts'
import { cweXml, cweXmlEntry } from '../../contract/support/upstream.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, type FeedFiles, kevJson, putFeeds } from '../../support/feeds.ts'

const test = suite('bounds')
const folder = temporaryFolder('bounds')
const LIST = { 'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip([{ id: 'CVE-2024-0001' }]) }

let worlds = 0
function run(files: FeedFiles) {
  const path = join(folder.path, String(++worlds))
  return ingest({ feeds: putFeeds(path, { ...LIST, ...files }), corpus: `${path}.db`, jobs: 0 }, quietEffects())
}

const nvd = (members: string) => ({
  'nvd/nvdcve-2.0-2024.json': `{"format":"NVD_CVE","timestamp":"2024-06-01T00:00:00.000","vulnerabilities":[${members}]}`,
})

test('a file of which 100,000 records are unusable is refused, and the rest of it is not read', async () => {
  // If the file were read to its end, it would be reported as truncated.
  const members = `${'1,'.repeat(1_000_000)}{`
  try {
    await run(nvd(members))
    assert.unreachable()
  } catch (error) {
    const { code, message } = error as IngestError
    assert.is(code, 'feed-unusable')
    assert.match(
      message,
      /^NVD: nvd\/.*: more than 100000 records are unusable, the last one is record 100001 \(it is not an object/,
    )
  }
})

test('a list with more than a million members is refused', async () => {
  async function* chunks() {
    yield Buffer.from('{"list":[')
    for (let i = 0; i < 11; i++) yield Buffer.from('1,'.repeat(100_000))
  }
  let members = 0
  try {
    for await (const _ of jsonMembers({ name: 'file', chunks: chunks() }, 'list', 100, () => {})) members++
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).message, 'file has more than 1048576 members in its "list"')
  }
  assert.is(members, 1_048_576)
})

test('of an item with a million oddities 100 are noted', async () => {
  const cpeMatch = '{},'.repeat(1_000_000)
  const record = `{"cve":{"id":"CVE-2024-0001","configurations":[{"nodes":[{"cpeMatch":[${cpeMatch}{}]}]}]}}`
  const report = await run(nvd(record))
  const { notes } = report.feeds.find(({ name }) => name === 'nvd')!
  assert.equal(
    notes.map(({ reason, items }) => [reason, items.length]),
    [
      ['date-missing', 1],
      ['range-unreadable', 99],
    ],
  )
})

test('no value of a feed is printed or kept whole', async () => {
  const digits = '7'.repeat(5000)
  const cwe = cweXml([cweXmlEntry(1), cweXmlEntry(2).replace('ID="2"', `ID="${digits}"`)].join('\n'))
  const kev = kevJson(['CVE-2024-0001']).replace('2024.06.01', digits).replace('"count":1', '"count":2')
  const report = await run({
    'cwe/cwec_v4.15.xml': cwe,
    'kev/known_exploited_vulnerabilities.json': kev.replace('[{', `[{"cveID":"${digits}"},{`),
  })
  const skipped = report.feeds.flatMap(({ skipped }) => skipped.flatMap(({ items }) => items))
  assert.is(skipped.length, 2)
  assert.not.match(JSON.stringify(report), /7{501}/)
  assert.is(report.feeds.find(({ name }) => name === 'kev')!.version, digits.slice(0, 100))
  assert.not.match(formatIngestReport(report, { verbose: true }), /7{161}/)
})

test('the fault of a file is not printed whole either', async () => {
  const root = 'R'.repeat(100_000)
  try {
    await run({ 'cwe/cwec_v4.15.xml': `<${root}/>` })
    assert.unreachable()
  } catch (error) {
    const { message } = error as Error
    assert.ok(message.length < 1500, message.slice(0, 200))
    assert.match(message, /the corpus then keeps its data$/)
  }
})

test.after(() => folder.remove())
test.run()
