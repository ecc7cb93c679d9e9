/** The computed download size of a night, and the reference of a full ingest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { encodeMember } from '../../../corpus/snapshot/record/member.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { type SampleDist, sharedSample } from '../../support/samples.ts'
import { changedMembers, fetchedOf } from './fetched.ts'
import { plainPass } from './plain-pass.ts'

const folder = temporaryFolder('bench-build')
let sample: SampleDist

test.before(async () => {
  sample = await sharedSample('usual')
})
test.after(folder.remove)

const GLUE = Buffer.from('\n')
const member = (key: string, text: string) => encodeMember(key, [{ kind: 1, count: 1, plain: Buffer.from(text) }, GLUE])

const [a, b, c] = [member('a', 'one'), member('b', 'three'), member('c', 'four')]
const changed = member('b', 'other')
const shard = (...members: { bytes: Buffer }[]) => Buffer.concat(members.map(({ bytes }) => bytes))

test('members that changed and new ones count, those that stayed or are gone do not', () => {
  assert.equal(changedMembers(shard(a, b, c), shard(a, b, c)), [])
  assert.equal(changedMembers(shard(a, changed, c), shard(a, b, c)), [changed.bytes])
  assert.equal(changedMembers(shard(a, b), shard(a)), [b.bytes])
  assert.equal(changedMembers(shard(a, c), shard(a, b, c)), [])
  assert.equal(changedMembers(shard(a, b), Buffer.alloc(0)), [a.bytes, b.bytes])
})

test('the pack of a night and the files that it does not cover are smaller than whole objects', () => {
  const fetched = fetchedOf(sample.dist)
  const { delta } = readCurrent(sample.dist).manifest
  assert.ok(fetched.memberCount > 0)
  assert.is(fetched.pack, delta!.size)
  assert.is(fetched.delta, delta!.size + fetched.whole + fetched.tables + fetched.manifest)
  assert.ok(fetched.delta < fetched.objectsUnderived && fetched.objectsUnderived < fetched.objects)
})

test('a snapshot without a parent has no download of a night', async () => {
  const { dist } = await sharedSample('small')
  assert.throws(() => fetchedOf(dist), /has no parent to be compared with/)
})

/** Feeds that are not JSON: the reference only decompresses their files. */
const UNPACKED = ['epss', 'exploitdb', 'cwe']

test('the reference reads each record of each JSON feed of the night, and no other', async () => {
  const { feeds, nights } = sample
  const given = { feeds, corpus: join(folder.path, 'other.db'), asOf: nights[0]!, jobs: 0 }
  const report = await ingest(given, quietEffects())
  const sum = (of: (feed: (typeof report.feeds)[number]) => number) =>
    report.feeds.reduce((all, feed) => all + of(feed), 0)
  // Courses of action and relationships are no records of an ingest.
  const { objects } = JSON.parse(readFileSync(join(feeds, 'capec/stix-capec.json'), 'utf8')) as { objects: object[] }
  // A copy in another export is no further record of an ingest.
  const filesOf = (feed: string) => report.feeds.find(({ name }) => name === feed)!.files
  const exported = filesOf('osv').flatMap(({ path }) => Object.keys(unzipSync(readFileSync(join(feeds, path)))))
  assert.ok(exported.length > new Set(exported).size)
  // EUVD repeats the entries of KEV, which are no records of an ingest.
  const [catalog] = filesOf('euvd')
  const { length: euvd } = JSON.parse(readFileSync(join(feeds, catalog!.path), 'utf8')) as object[]
  const all: Record<string, number> = { capec: objects.length, osv: exported.length, euvd }
  const recordsOf = ({ name, read }: { name: string; read: number }) =>
    UNPACKED.includes(name) ? 0 : (all[name] ?? read)
  const { records, files, bytes, compressedBytes } = await plainPass(feeds, nights[0]!)
  assert.is(records, sum(recordsOf))
  assert.ok(report.feeds.find(({ name }) => name === 'osv')!.read > 100)
  assert.is(
    files,
    sum((feed) => feed.files.length),
  )
  assert.ok(bytes > compressedBytes && compressedBytes > 0)
})

test.run()
