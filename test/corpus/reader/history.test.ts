/** The snapshots of a lineage that `/changes` and `/snapshots` select, without files. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readerHistory } from '../../../corpus/reader/history.ts'
import type { Objects } from '../../../corpus/reader/objects.ts'
import { completed } from '../../../corpus/runtime/steps.ts'
import { type SnapshotData, SnapshotError } from '../../../corpus/snapshot/index.ts'
import type { Lineage, Link } from '../../../corpus/snapshot/ranges/lineage.ts'
import { failed } from '../../support/refusal.ts'

const idOf = (prefix: string) => prefix.padEnd(64, '0')
const nights: readonly [prefix: string, day: string][] = [
  ['abcdef01', '05'],
  ['1111111', '04'],
  ['abcdef02', '03'],
  ['2222222', '02'],
]
const current = { id: idOf('abcdef01') } as SnapshotData

/** `end` is what follows the last night. */
function historyWith({ missing = [] as string[], end = null as SnapshotError | null } = {}) {
  let read = 0
  const lineage: Lineage = {
    async at(night) {
      read = Math.max(read, night)
      const found = nights[night]
      if (!found && end) throw end
      if (!found) return null
      const [prefix, day] = found
      const created_at = `2026-11-${day}T00:00:00Z`
      const manifest = async () => ({ files: [] }) as never
      return { summary: { id: idOf(prefix), created_at, parent: null, cves: 1 }, parent: null, manifest }
    },
    isReadable: async ({ summary: { id } }: Link) => !missing.some((prefix) => id.startsWith(prefix)),
  }
  const history = readerHistory(lineage, {} as Objects)
  return {
    resolve: (choice: string | { ms: number }) => completed(history.resolve(choice as string, 'since')),
    snapshots: (before: number | null, most: number) => completed(history.snapshots(current, before, most)),
    compare: (since: string, until: string) => completed(history.compare(current, idOf(since), idOf(until))),
    read: () => read,
  }
}

const at = (day: string) => ({ ms: Date.parse(`2026-11-${day}T00:00:00Z`) })

test('a prefix of two ids is ambiguous, and the message names both', async () => {
  const { resolve } = historyWith()
  assert.is(await resolve('abcdef02'), idOf('abcdef02'))
  const error = await failed(resolve('abcdef0'))
  assert.is(error?.code, 'invalid_parameter')
  assert.match(
    error!.message,
    /^parameter 'since' is ambiguous: the ids abcdef010000…, abcdef020000… begin with abcdef0;/,
  )
  // A night without its files cannot be meant.
  assert.is(await historyWith({ missing: ['abcdef02'] }).resolve('abcdef0'), idOf('abcdef01'))
})

test('a time selects the newest snapshot created at or before it, and reads none before that', async () => {
  const { resolve, read } = historyWith()
  assert.is(await resolve(at('04')), idOf('1111111'))
  assert.is(read(), 1)
  assert.is(await historyWith({ missing: ['1111111'] }).resolve(at('04')), idOf('abcdef02'))
  assert.is((await failed(resolve(at('01'))))?.code, 'gone')
})

test('a damaged manifest hides those before it, and is the error if nothing else fits', async () => {
  const damage = new SnapshotError('digest', 'the manifest is damaged')
  const { resolve, snapshots } = historyWith({ end: damage })
  assert.is(await resolve('2222222'), idOf('2222222'))
  assert.is(await failed(resolve('3333333')), damage)
  assert.is((await snapshots(null, 100)).length, nights.length)
})

test('snapshots are those before a time, newest first, without nights that have no files', async () => {
  const { snapshots, read } = historyWith({ missing: ['abcdef02'] })
  assert.equal(
    (await snapshots(at('05').ms, 1)).map(({ id, retained }) => [id, retained]),
    [[idOf('1111111'), false]],
  )
  assert.is(read(), 1)
  assert.equal(
    (await snapshots(null, 10)).map(({ id, retained }) => [id, retained]),
    [
      [idOf('abcdef01'), true],
      [idOf('1111111'), false],
      [idOf('2222222'), false],
    ],
  )
})

test('an end that is gone is named, also if both ends are the same', async () => {
  const { compare } = historyWith({ missing: ['1111111'] })
  const messageOf = async (since: string, until: string) => (await failed(compare(since, until)))!.message
  assert.match(await messageOf('3333333', 'abcdef01'), /snapshot of `since` is no longer available/)
  assert.match(await messageOf('2222222', '3333333'), /snapshot of `until` is no longer available/)
  assert.match(await messageOf('1111111', '1111111'), /snapshot of `since` is no longer available/)
  assert.match(await messageOf('abcdef01', 'abcdef02'), /'until' is older than that of 'since'/)
  const same = await compare('abcdef02', 'abcdef02')
  assert.equal(await completed(same.after(null, 5, true)), { changes: [], more: false })
})

test.run()
