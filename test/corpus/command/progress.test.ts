/** Progress on a terminal and in a log. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { clearProgress, type Progress, showProgress } from '../../../corpus/command/progress.ts'
import { screenOf } from '../../support/screen.ts'

interface Shown {
  progress: Progress
  /** Writes without progress, as a program does after `clearProgress`. */
  write(text: string): void
  output(): string
  screen(): string[]
  /** Moves the clock, in seconds. */
  wait(seconds: number): void
}

function shownOn(out: { isTTY: boolean; columns?: number }): Shown {
  let output = ''
  let now = 1000
  // As a terminal does, starts a new line at a line feed.
  const write = (text: string) => {
    output += out.isTTY ? text.replaceAll('\n', '\r\n') : text
  }
  return {
    progress: showProgress({ ...out, write } as unknown as NodeJS.WriteStream, () => now),
    write,
    output: () => output,
    screen: () => screenOf(output),
    wait: (seconds) => {
      now += seconds * 1000
    },
  }
}
const terminal = (columns = 100) => shownOn({ isTTY: true, columns })

test.after.each(clearProgress)

test('a terminal shows a bar, and the cursor is below it', () => {
  const { progress, screen, wait } = terminal()
  progress('shards', 355, 1420)
  assert.equal(screen(), ['[=====---------------]  25 %  shards: 355 of 1,420', ''])
  wait(1)
  progress('shards', 1419, 1420)
  assert.equal(screen(), ['[===================-]  99 %  shards: 1,419 of 1,420', ''])
})

test('the bar is drawn at most ten times per second', () => {
  const { progress, output, wait } = terminal()
  progress('shards', 1, 1000)
  const first = output()
  progress('shards', 2, 1000)
  assert.is(output(), first)
  wait(0.1)
  progress('shards', 3, 1000)
  assert.is.not(output(), first)
})

test('after two seconds, the bar shows the rate and the time left', () => {
  const { progress, screen, wait } = terminal()
  progress('shards', 0, 1420)
  wait(1)
  progress('shards', 100, 1420)
  assert.not.match(screen()[0]!, /left|\/s/)
  wait(1)
  progress('shards', 200, 1420)
  assert.is(screen()[0], '[==------------------]  14 %  100/s  0:13 left  shards: 200 of 1,420')
})

test('a long time is shown in minutes and hours, and a low rate with its decimals', () => {
  const { progress, screen, wait } = terminal()
  progress('merged', 0, 100_000)
  wait(60)
  progress('merged', 2_000, 100_000)
  assert.match(screen()[0]!, / {2}33\.3\/s {2}49:00 left {2}merged: 2,000 of 100,000$/)
  wait(3540)
  progress('merged', 2_100, 100_000)
  assert.match(screen()[0]!, / {2}0\.583\/s {2}46:37:09 left /)
})

test('bytes have a rate in MB', () => {
  const { progress, screen, wait } = terminal()
  progress('uploaded', 0, 650e6, 'bytes')
  wait(10)
  progress('uploaded', 65e6, 650e6, 'bytes')
  assert.is(screen()[0], '[==------------------]  10 %  6.5 MB/s  1:30 left  uploaded: 65.0 MB of 650.0 MB')
})

test('a rate counts from the first call of a step: bytes of an earlier run are not in it', () => {
  const { progress, screen, wait } = terminal()
  progress('fetched', 500e6, 650e6, 'bytes')
  wait(10)
  progress('fetched', 510e6, 650e6, 'bytes')
  assert.match(screen()[0]!, / {2}1\.0 MB\/s {2}2:20 left /)
})

test('a total that grows has no time left', () => {
  const { progress, screen, wait } = terminal()
  progress('fetched', 0, 10e6, 'bytes')
  wait(3)
  progress('fetched', 3e6, 600e6, 'bytes')
  wait(3)
  progress('fetched', 6e6, 600e6, 'bytes')
  assert.is(screen()[0], '[--------------------]   1 %  1.0 MB/s  fetched: 6.0 MB of 600.0 MB')
})

test('a few steps of different cost have neither rate nor time left', () => {
  const { progress, screen, wait } = terminal()
  progress('derived files', 1, 23)
  wait(5)
  progress('derived files', 9, 23)
  assert.is(screen()[0], '[=======-------------]  39 %  derived files: 9 of 23')
})

test('the next step begins with its own rate', () => {
  const { progress, screen, wait } = terminal()
  progress('first', 0, 1000)
  wait(5)
  progress('first', 500, 1000)
  progress('second', 0, 1000)
  wait(1)
  progress('second', 1, 1000)
  assert.equal(screen(), ['[--------------------]   0 %  second: 1 of 1,000', ''])
})

test('the end of a step removes the bar', () => {
  const { progress, screen } = terminal()
  progress('shards', 1, 3)
  progress('shards', 3, 3)
  assert.equal(screen(), ['', ''])
})

test('other output replaces the bar, which is drawn again below', () => {
  const { progress, screen, write, wait } = terminal()
  progress('shards', 100, 1000)
  clearProgress()
  write('the server is busy\n')
  assert.equal(screen(), ['the server is busy', ''])
  wait(1)
  progress('shards', 250, 1000)
  assert.equal(screen(), ['the server is busy', '[=====---------------]  25 %  shards: 250 of 1,000', ''])
})

test('output that nobody announced begins on its own line', () => {
  const { progress, screen, write } = terminal()
  progress('shards', 100, 1000)
  write('^C')
  assert.equal(screen(), ['[==------------------]  10 %  shards: 100 of 1,000', '^C'])
})

test('a line never wraps: it is cut to the terminal, and a wide character counts as two', () => {
  const narrow = terminal(40)
  narrow.progress('cvelistv5/2026-06-01_all_CVEs.zip', 1, 4)
  assert.is(narrow.screen()[0], '[=====---------------]  25 %  cvelistv5')
  const wide = terminal(40)
  wide.progress('大大大大大大大', 1, 4)
  assert.is(wide.screen()[0], '[=====---------------]  25 %  大大大大')
})

test('a terminal without cursor movements gets the lines of a log', () => {
  const { TERM } = process.env
  process.env.TERM = 'dumb'
  try {
    const { progress, output, wait } = terminal()
    wait(10)
    progress('shards', 1, 3)
    assert.is(output(), 'shards: 1 of 3\r\n')
  } finally {
    if (TERM === undefined) delete process.env.TERM
    else process.env.TERM = TERM
  }
})

test('a log gets a line every ten seconds', () => {
  const { progress, output, wait } = shownOn({ isTTY: false })
  progress('shards', 1, 2000)
  wait(9.9)
  progress('shards', 2, 2000)
  assert.is(output(), '')
  wait(0.1)
  progress('shards', 1400, 2000)
  progress('shards', 1500, 2000)
  wait(10)
  progress('uploaded', 12.3e6, 650e6, 'bytes')
  assert.is(output(), 'shards: 1,400 of 2,000\nuploaded: 12.3 MB of 650.0 MB\n')
})

test.run()
