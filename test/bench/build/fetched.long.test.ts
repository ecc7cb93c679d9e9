/** The computed download size of a night. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { encodeMember } from '../../../corpus/snapshot/record/member.ts'
import { sampleDist, sampleOfTwoNights, temporaryFolder } from '../../support/dist.ts'
import type { BenchCorpus } from '../report/line.ts'
import { advisoryNight, CHANGED } from './advisory-night.ts'
import { changedMembers, fetchedOf } from './fetched.ts'

const folder = temporaryFolder('bench-fetched')
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

test('of a night, the pack and what it does not lead to is less than whole objects, and more than what changed', async () => {
  const { dist } = await sampleOfTwoNights(folder.path, 300)
  const fetched = fetchedOf(dist)
  const { delta } = readCurrent(dist).manifest
  assert.ok(fetched.memberCount > 0)
  assert.is(fetched.delta, delta!.size + fetched.whole + fetched.epss + fetched.tables + fetched.manifest)
  assert.ok(fetched.carried + fetched.recipes < delta!.size)
  assert.ok(fetched.delta < fetched.objectsUnderived && fetched.objectsUnderived < fetched.objects)
})

test('a night of advisories changes their records, the packages that they name, and their CVEs', async () => {
  const { dist, feeds, corpus, nights } = await sampleOfTwoNights(folder.path, 300)
  const of: BenchCorpus = { cves: 300, feeds, corpus, dist, nights: [nights[0]!, nights[1]!] }
  const before = readCurrent(dist).manifest.snapshot
  const night = await advisoryNight(of, { folder: join(folder.path, 'advisory-night') })
  const { records, reference, fetched } = night!
  const { cve, advisories, packages } = fetched.membersOf
  assert.is(records, CHANGED)
  assert.ok(advisories > 0 && packages > 0 && cve > 0, JSON.stringify(fetched))
  assert.ok(fetched.memberCount > records && fetched.delta > reference)
  assert.is(readCurrent(dist).manifest.snapshot, before, 'the corpus itself stays as it was')
})

test('a snapshot without a parent is nothing to be reckoned', async () => {
  const other = temporaryFolder('bench-fetched-first')
  const { dist } = await sampleDist(other.path, 300)
  assert.throws(() => fetchedOf(dist), /has no parent to be compared with/)
  other.remove()
})

test.after(folder.remove)
test.run()
