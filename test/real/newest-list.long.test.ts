/** The newest real CVE list: every record read is stored or skipped by name, and every stored one is served. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPromise } from 'yauzl'
import { show } from '../../builder/show.ts'
import { decodeIndex, idAt } from '../../corpus/snapshot/derive/index-table.ts'
import { fileOf, readCurrent, readObject } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'
import { NEWEST } from './feeds-folder.ts'

needs('real feeds')

interface UpstreamRecord {
  cveMetadata: { cveId: string; state: string }
}

/** Returns every record of a CVE list zip, read with only yauzl and JSON.parse. */
async function upstreamRecords(path: string): Promise<UpstreamRecord[]> {
  const records: UpstreamRecord[] = []
  const zip = await openPromise(path, { lazyEntries: true })
  for await (const entry of zip.eachEntry()) {
    if (!/CVE-\d+-\d+\.json$/.test(entry.fileName)) continue
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    records.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as UpstreamRecord)
  }
  return records
}

const upstream = await upstreamRecords(join(REAL_FEEDS, NEWEST))
const idsOf = (state: string) =>
  upstream.filter(({ cveMetadata }) => cveMetadata.state === state).map(({ cveMetadata }) => cveMetadata.cveId)
const { dist, ingested: report, built } = await realDist()

test('the zip, read by another implementation, has the records that the feeds state', () => {
  assert.equal([upstream.length, idsOf('PUBLISHED').length, idsOf('REJECTED').length], [12_280, 12_256, 24])
})

test('of every feed, what was read is what was kept and what was skipped, by name', () => {
  for (const { name, read, kept, skipped } of report.feeds) {
    const named = skipped.flatMap(({ items }) => items)
    assert.is(read, kept + named.length, name)
    assert.ok(
      named.every(({ key, detail }) => key !== '' && detail !== ''),
      name,
    )
  }
  const list = report.feeds.find(({ name }) => name === 'cvelist')!
  assert.equal([list.read, list.kept, list.skipped], [12_280, 12_280, []])
  assert.equal([report.records.total, report.rejected], [12_256, 24])
})

test('every published record is served and every rejected one is named as such', () => {
  const { manifest } = readCurrent(dist)
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))
  const served = Array.from({ length: index.count }, (_, row) => idAt(index, row) as string)
  assert.equal(served.toSorted(), idsOf('PUBLISHED').toSorted())
  assert.equal(Object.keys(show(dist, 'rejected') as object).toSorted(), idsOf('REJECTED').toSorted())
  assert.is(built.counts.cves, 12_256)
})

test('the snapshot verifies', async () => {
  const { faults, cves } = await verify(dist, { jobs: 2 })
  assert.equal(faults, [])
  assert.is(cves, 12_256)
})

test.run()
