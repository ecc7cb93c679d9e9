/** What is reckoned of a night's changes for a mirror. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeMember } from '../../../corpus/snapshot/member.ts'
import { changeOf } from './fetched.ts'

const GLUE = Buffer.from('\n')
const member = (key: string, ...texts: string[]) =>
  encodeMember(key, [...texts.map((text, i) => ({ kind: i + 1, count: 1, plain: Buffer.from(text) })), GLUE])

const [a, b, c] = [member('a', 'one', 'two'), member('b', 'three'), member('c', 'four')]
const changed = member('b', 'other')
const shard = (...members: { bytes: Buffer }[]) => Buffer.concat(members.map(({ bytes }) => bytes))

test('of the same shard nothing is carried but one run', () => {
  const { members, carriedBytes, recipeBytes } = changeOf(shard(a, b, c), shard(a, b, c))
  assert.equal({ members, carriedBytes }, { members: [], carriedBytes: 0 })
  assert.is(recipeBytes, 3, 'a length of two bytes, and that it begins where the shard does')
})

test('a member of which nothing stayed is carried whole, between two runs of the old shard', () => {
  const { members, carriedBytes, recipeBytes } = changeOf(shard(a, changed, c), shard(a, b, c))
  assert.equal(members, [changed.bytes])
  assert.is(carriedBytes, changed.length)
  assert.is(recipeBytes, 3 + 2 + 4, 'two bytes a length; how far a run lies behind the one before takes one, then two')
})

test('what is new is carried, what is gone is passed over', () => {
  assert.equal(changeOf(shard(a, b), shard(a)).members, [b.bytes])
  assert.equal(changeOf(shard(a, c), shard(a, b, c)).members, [])
  assert.equal(changeOf(shard(a, b), Buffer.alloc(0)).members, [a.bytes, b.bytes])
})

test('of a changed member, the segments that its former self had are taken from the old shard', () => {
  const longer = member('a', 'one', 'a second part')
  const { members, carriedBytes, recipeBytes } = changeOf(shard(longer), shard(a))
  assert.equal(members, [longer.bytes])
  assert.is(carriedBytes, longer.length - a.segments[0]!.length)
  assert.is(recipeBytes, 2 + 2 + 2, 'the head, the segment of the old shard and where it begins, the rest')
})

test.run()
