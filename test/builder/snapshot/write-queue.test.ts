/** The queue of files to write: a few at a time, their entries in order, and every failure reported. */
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openWriteQueue } from '../../../builder/snapshot/objects.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'

const entry = (name: string): FileEntry => ({
  role: 'cve',
  name,
  content: '',
  count: 1,
  derived: false,
  sha256: '',
  size: 1,
})

test('entries come in the order in which they were added, and no more than four are under way at once', async () => {
  const puts = openWriteQueue()
  let underWay = 0
  let most = 0
  const put = async (name: string, ms: number) => {
    most = Math.max(most, ++underWay)
    await wait(ms)
    underWay--
    return entry(name)
  }
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const [i, name] of names.entries()) await puts.add(put(name, 20 - 2 * i))
  assert.equal(
    (await puts.entries()).map(({ name }) => name),
    names,
  )
  assert.is(underWay, 0)
  assert.is(most, 4)
})

test('a file that cannot be put stops what follows it, and nothing is under way once all is settled', async () => {
  const unheard: unknown[] = []
  const note = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', note)
  const puts = openWriteQueue()
  let done = 0
  const slow = async () => {
    await wait(30)
    done++
    return entry('slow')
  }
  const full = async (): Promise<FileEntry> => {
    await wait(1)
    throw new Error('no space left')
  }
  try {
    await puts.add(slow())
    await puts.add(full())
    let added = 0
    let message: string | null = null
    try {
      for (; added < 10; added++) await puts.add(slow())
    } catch (error) {
      message = (error as Error).message
    }
    assert.is(message, 'no space left')
    assert.is(added, 1)
    assert.is(await puts.entries().catch((error: Error) => error.message), 'no space left')
    await puts.settled()
    assert.is(done, 3)
  } finally {
    process.off('unhandledRejection', note)
  }
  assert.equal(unheard, [])
})

test.run()
