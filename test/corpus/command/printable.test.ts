/** Text from other sources, made safe for a terminal. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { printable, printableJson, printableLine, printableLines } from '../../../corpus/command/printable.ts'
import { clearProgress, showProgress } from '../../../corpus/command/progress.ts'

/** Characters with an effect on a terminal: C0 and C1 controls, changes of direction, line ends. */
const HARMFUL = [0x00, 0x07, 0x0d, 0x1b, 0x7f, 0x80, 0x9b, 0x9d, 0x61c, 0x200f, 0x2028, 0x2029, 0x202e, 0x2066]
const text = String.fromCharCode(...HARMFUL)
const escaped = HARMFUL.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')

test('what a terminal acts upon is written out, all else is as it was', () => {
  assert.is(printable(`a\n${text}`), `a\n${escaped}`)
  assert.is(printableLine(`a\n${text}`), `a\\u000a${escaped}`)
  assert.is(printableLine('Größe 大 👩‍💻 \ud800'), 'Größe 大 👩‍💻 \ud800')
  assert.is(printableLines(['one\ntwo', 'three']), 'one\\u000atwo\nthree')
})

test('no text is a command for a CI runner', () => {
  assert.is(printable('a ##[error]b ##vso[task.x]c'), 'a \\u0023#[error]b \\u0023#vso[task.x]c')
  assert.is(printableLine('## [x] ### y'), '## [x] ### y')
  assert.is(JSON.parse(printableJson('##[error]')), '##[error]')
})

test('JSON stays valid, and means the same', () => {
  const value = { [text]: [text, 'a\nb', '\\u009b'] }
  for (const indent of [0, 1]) {
    const json = printableJson(value, indent)
    assert.not.match(json.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}]/u)
    assert.equal(JSON.parse(json), value)
  }
})

test('the name of a file cannot do anything in a progress line', () => {
  const written: string[] = []
  const out = { isTTY: true, write: (line: string) => written.push(line) } as unknown as NodeJS.WriteStream
  showProgress(out, () => 1000)('a\n\u009b2J', 1, 2)
  clearProgress()
  assert.is(written[0], '\r[==========----------]  50 %  a\\u000a\\u009b2J: 1 of 2\x1b[K\n')
})

test.run()
