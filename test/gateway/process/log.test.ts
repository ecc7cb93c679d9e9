/** Log lines, as they arrive in a file. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AccessEntry, accessLine } from '../../../gateway/http/access-line.ts'
import { openLog } from '../../../gateway/process/log.ts'
import { temporaryFolder } from '../../support/dist.ts'

const { path: dir, remove } = temporaryFolder('log')
const ENTRY: AccessEntry = {
  id: 'a1-b2',
  method: 'GET',
  path: '/api/v1/cves',
  query: '?limit=25',
  status: 200,
  bytes: 4711,
  ms: 0.12345,
  subject: '0123456789ab',
  from: 'shard',
}

const textsOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
const linesOf = (file: string) => textsOf(file).map((line) => JSON.parse(line))

test('lines keep their order for all writers', async () => {
  const file = join(dir, 'order.log')
  const log = openLog({ to: file })
  for (let i = 0; i < 2000; i++) {
    log.access({ ...ENTRY, bytes: 2 * i })
    log.warn({ bytes: 2 * i + 1 }, 'note')
  }
  log.error({ err: new Error('why') }, 'last')
  await log.flush()
  const lines = linesOf(file)
  assert.is(lines.length, 4001)
  assert.equal(
    lines.slice(0, 4000).map(({ bytes }) => bytes),
    Array.from({ length: 4000 }, (_, i) => i),
  )
  assert.is(lines[4000].err.message, 'why')
})

test('the line of a request has the fields of any other', async () => {
  const file = join(dir, 'fields.log')
  const log = openLog({ to: file })
  log.access(ENTRY)
  log.info(ENTRY, 'request')
  await log.flush()
  const [byHand, byPino] = linesOf(file)
  assert.equal({ ...byHand, time: 0 }, { ...byPino, time: 0, ms: 0.123 })
})

test('no line has a character that a terminal acts upon', async () => {
  const file = join(dir, 'terminal.log')
  const log = openLog({ to: file })
  const text = 'a\u009b2J\u202eb\n'
  log.warn({ text, err: new Error(text) }, text)
  log.access({ ...ENTRY, path: text })
  await log.flush()
  assert.not.match(readFileSync(file, 'utf8').replaceAll('\n', ''), /[\p{Cc}\p{Bidi_C}]/u)
  const [note, request] = linesOf(file)
  assert.equal([note.text, note.msg, note.err.message, request.path], [text, text, text, text])
})

test('what a client writes into its path cannot break out of its line', () => {
  const path = '/a"b\\c\u0000\n\u2028é{}'
  const line = accessLine({ ...ENTRY, path, subject: null, from: null }, 1)
  assert.is(line.indexOf('\n'), line.length - 1)
  const { time, level, msg, ...rest } = JSON.parse(line)
  const { subject, from, ...expected } = ENTRY
  assert.equal(rest, { ...expected, path, ms: 0.123 })
})

test('each level omits the lines below it; requests have the level info, which is the default', async () => {
  const ALL = ['debug', 'request', 'info', 'warn', 'error']
  for (const [level, omitted] of [
    ['debug', 0],
    [undefined, 1],
    ['info', 1],
    ['warn', 3],
    ['error', 4],
  ] as const) {
    const file = join(dir, `level-${level}.log`)
    const log = openLog({ to: file, ...(level === undefined ? {} : { level }) })
    log.debug({}, 'debug')
    log.access(ENTRY)
    log.info({}, 'info')
    log.warn({}, 'warn')
    log.error({}, 'error')
    await log.flush()
    assert.equal(
      linesOf(file).map(({ msg }) => msg),
      ALL.slice(omitted),
      level,
    )
  }
})

test('the text format has one readable line per event, with every field', async () => {
  const file = join(dir, 'text.log')
  const log = openLog({ to: file, format: 'text', level: 'debug' })
  log.access(ENTRY)
  log.debug({}, 'key set loaded')
  log.warn({ path: '/srv/a b', open: 4096, quote: 'a"b', none: null, mirror: { files: 2 } }, 'two words')
  log.error({ err: new TypeError('why\n\u009b') }, 'failed')
  await log.flush()
  const lines = textsOf(file)
  const events = lines.map((line) => {
    const [, time, event] = /^(\S+) (.*)$/.exec(line)!
    assert.is(new Date(time!).toISOString(), time)
    return event!
  })
  assert.equal(events.slice(0, 3), [
    'INFO  request id=a1-b2 method=GET path=/api/v1/cves query=?limit=25 status=200 bytes=4711 ms=0.123 subject=0123456789ab from=shard',
    'DEBUG key set loaded',
    'WARN  two words path="/srv/a b" open=4096 quote="a\\"b" none=null mirror={"files":2}',
  ])
  assert.match(events[3]!, /^ERROR failed err="TypeError: why\\n\\u009b\\n {4}at .*"$/)
  assert.is(lines.length, 4)
})

test('a log that cannot be written delays neither answers nor the end of the process', async () => {
  const log = openLog({ to: '/dev/full' })
  for (let i = 0; i < 3; i++) {
    log.access(ENTRY)
    await log.flush()
  }
  assert.throws(() => writeFileSync('/dev/full', 'x'), /ENOSPC/)
})

test.after(remove)
test.run()
