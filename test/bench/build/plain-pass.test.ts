/** The reference of a full ingest reads the same files as an ingest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { plainPass } from './plain-pass.ts'

const folder = temporaryFolder('plain-pass')
const feeds = join(folder.path, 'feeds')

test.before(async () => void (await generateSample({ feeds, cves: 120, nights: 2 })))
test.after(() => folder.remove())

/** Feeds that are not JSON: a pass only decompresses their files. */
const UNPACKED = ['epss', 'exploitdb', 'cwe']

test('each record of each JSON feed of the night is passed over, and no other', async () => {
  const [night] = ['2026-05-31']
  const report = await ingest({ feeds, corpus: join(folder.path, 'corpus.db'), asOf: night!, jobs: 0 }, quietEffects())
  // Courses of action and relationships are no records of an ingest.
  const { objects } = JSON.parse(readFileSync(join(feeds, 'capec/stix-capec.json'), 'utf8')) as { objects: object[] }
  const expected = report.feeds
    .filter(({ name }) => !UNPACKED.includes(name))
    .reduce((sum, { name, read }) => sum + (name === 'capec' ? objects.length : read), 0)
  const { records, files, bytes, compressedBytes } = await plainPass(feeds, night!)
  assert.is(records, expected)
  assert.ok(report.feeds.find(({ name }) => name === 'osv')!.read > 100)
  assert.is(
    files,
    report.feeds.reduce((sum, feed) => sum + feed.files.length, 0),
  )
  assert.ok(bytes > compressedBytes && compressedBytes > 0)
})

test.run()
