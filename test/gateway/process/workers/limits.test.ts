/** Limits of workers that the primary counts (rule 16). */
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLimits } from '../../../../gateway/limits/limits.ts'
import { askedLimits, countFor } from '../../../../gateway/process/workers/limits.ts'
import type { LimitAsk } from '../../../../gateway/process/workers/protocol.ts'

const limits = createLimits({ rateLimit: 3 })

/** A worker whose messages arrive when the test says so. */
function startedWorker() {
  const sent: LimitAsk[][] = []
  const { subjects, receive } = askedLimits(({ asks }) => void sent.push(asks))
  return {
    sent,
    subjects,
    async deliver() {
      await turn()
      for (const asks of sent.splice(0)) receive(await countFor(limits, asks))
    },
  }
}

test('rule 16: the requests of one turn are counted in their order, and in one message', async () => {
  const { sent, subjects, deliver } = startedWorker()
  const asked = [subjects.take('in turn'), subjects.look('in turn'), subjects.take('in turn')]
  await turn()
  assert.is(sent.length, 1)
  await deliver()
  const left = (await Promise.all(asked)).map((state) => state.left)
  assert.equal(left, [2, 2, 1])
})

test('rule 16: a refund settles when the primary has counted it, so that every worker sees it then', async () => {
  const [one, other] = [startedWorker(), startedWorker()]
  const taking = one.subjects.take('refunded')
  await one.deliver()
  const taken = await taking
  let settled = false
  const refunded = Promise.resolve(one.subjects.giveBack('refunded', taken)).finally(() => {
    settled = true
  })
  const before = other.subjects.look('refunded')
  await other.deliver()
  assert.equal([(await before).left, settled], [2, false])
  await one.deliver()
  await refunded
  const after = other.subjects.look('refunded')
  await other.deliver()
  assert.is((await after).left, 3)
})

test.run()
