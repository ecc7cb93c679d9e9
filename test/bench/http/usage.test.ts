/** Parsing of process figures on Linux. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cpuMsOf, fieldsOf, usedBetween } from './usage.ts'

test('the time of a process is found behind a name with blanks and brackets in it', () => {
  const stat = '4711 (node) Main (x)) S 1 4711 4711 0 -1 4194304 2113 0 0 0 250 31 0 0 20 0 11 0 5309'
  assert.is(cpuMsOf(stat), 2810)
})

test('lines with a number are read, others are not', () => {
  assert.equal(fieldsOf('Name:\tnode\nVmHWM:\t   2048 kB\nrchar: 17\nState: S (sleeping)\n'), {
    VmHWM: 2048,
    rchar: 17,
  })
})

test('what was used is the difference', () => {
  const before = { cpuMs: 10, bytesRead: 100, reads: 3, writes: 4 }
  const after = { cpuMs: 40, bytesRead: 150, reads: 5, writes: 4 }
  assert.equal(usedBetween(before, after), { cpuMs: 30, bytesRead: 50, reads: 2, writes: 0 })
})

test.run()
