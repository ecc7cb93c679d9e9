/** gateway/README.md documents every field of the log. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { accessLine } from '../../../gateway/http/access-line.ts'

const gateway = join(import.meta.dirname, '../../../gateway')
const section = readFileSync(join(gateway, 'README.md'), 'utf8')
  .split(/^## /m)
  .find((one) => one.startsWith('Log\n'))!
/** Names in the first column of the tables. */
const documented = new Set(
  Array.from(section.matchAll(/^\| (`.*?`) \|/gm), ([, cell]) =>
    Array.from(cell!.matchAll(/`(\w+)`/g), ([, name]) => name!),
  ).flat(),
)

/** Returns the keys of `{ err: error, path }`. */
const keysOf = (fields: string) => fields.split(',').map((field) => /^\s*(\w+)/.exec(field)![1]!)

test('each field of a request is documented', () => {
  const entry = { id: 'a', method: 'GET', path: '/', query: '', status: 200, bytes: 1, ms: 1, subject: 'x', from: 'y' }
  for (const field of Object.keys(JSON.parse(accessLine(entry, 1)))) assert.ok(documented.has(field), field)
})

test('each field of other lines is documented, and each documented field exists', () => {
  const sources = readdirSync(gateway, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(gateway, name), 'utf8'))
  const calls = sources.flatMap((text) => [
    ...text.matchAll(/\b(?:log\.(?:debug|info|warn|error)|log\[level\]|logLimited)\(\s*(?:'\w+', )?\{ ([^}]+) \}/g),
  ])
  // Fields that are a variable at the call.
  const fields = new Set([...calls.flatMap(([, fields]) => keysOf(fields!)), 'redis', 'reason', 'mirror', 'line'])
  assert.ok(calls.length > 25, `only ${calls.length} calls found: the pattern no longer fits the code`)
  assert.equal(
    [...fields].filter((field) => !documented.has(field)),
    [],
    'not documented',
  )
  const ofRequests = ['level', 'time', 'msg', 'method', 'query', 'status', 'bytes', 'ms', 'subject', 'from']
  assert.equal(
    [...documented].filter((field) => !fields.has(field) && !ofRequests.includes(field)),
    [],
    'not in the code',
  )
})

test.run()
