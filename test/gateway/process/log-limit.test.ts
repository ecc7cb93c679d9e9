/** Log lines that clients can cause. */
import { mock } from 'node:test'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LINES_PER_MINUTE } from '../../../gateway/process/bounds.ts'
import { limitLines } from '../../../gateway/process/log-limit.ts'
import { listLog } from '../../support/server.ts'

const MINUTE_MS = 60_000

test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }))
test.after.each(() => mock.timers.reset())

test('a minute has a limited number of lines of a message, then one with the number of the others', () => {
  const { log, lines } = listLog()
  const write = limitLines(log)
  for (let i = 0; i < 352; i++) write('warn', { i }, 'too late')
  assert.equal(
    lines,
    Array.from({ length: LINES_PER_MINUTE }, (_, i) => ({ i, level: 'warn', message: 'too late' })),
  )
  lines.length = 0
  mock.timers.tick(MINUTE_MS)
  assert.equal(lines, [{ leftOut: 352 - LINES_PER_MINUTE, level: 'warn', message: 'too late' }])
  write('warn', {}, 'too late')
  assert.is(lines.length, 2)
})

test('a minute without too many lines has no more line', () => {
  const { log, lines } = listLog()
  const write = limitLines(log)
  for (let i = 0; i < LINES_PER_MINUTE; i++) write('error', {}, 'failed')
  mock.timers.tick(MINUTE_MS)
  assert.is(lines.length, LINES_PER_MINUTE)
})

test('other messages, and other kinds of a message, count apart', () => {
  const { log, lines } = listLog()
  const write = limitLines(log)
  for (let i = 0; i < 50; i++) {
    write('warn', {}, 'one')
    write('warn', {}, 'other')
    write('error', {}, 'failed', '/cves')
    write('error', {}, 'failed', '/cwes')
  }
  assert.is(lines.length, 4 * LINES_PER_MINUTE)
})

test.run()
