/** The examples of the OpenAPI document are the answers of a gateway on the sample corpus. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { resolve } from '../../corpus/answers/openapi/model.ts'
import { apiDocument, ROUTES } from '../../corpus/answers/routes.ts'
import { openService } from './support/service.ts'

const FILE = join(import.meta.dirname, '../../corpus/answers/openapi/examples.json')
const service = await openService({ size: 'plain' })

/** Replaces what depends on the time of the build: cursors, the creation of snapshots, and which of them are open. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, function (this: object, key, member) {
      if (key === 'created_at' && 'parent' in this)
        return this.parent === null ? '2026-06-01T02:17:24.661Z' : '2026-06-02T02:17:24.661Z'
      if (key === 'retained') return true
      if (key === 'next_cursor' && member !== null) return 'ODhjY2Y0YTJbMSwiY3ZlcyJd'
      return member
    }),
  )

/** Figures are long lists: three rows of each are enough. */
const shortened = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, member) =>
      Array.isArray(member) && typeof member[0] === 'object' && !Array.isArray(member[0]) ? member.slice(0, 3) : member,
    ),
  )

async function examplesNow(): Promise<Record<string, unknown>> {
  const examples: Record<string, unknown> = {}
  for (const { name, example } of ROUTES) {
    if (example === undefined) continue
    const { status, body } = await service.ask(example)
    assert.is(status, 200, `${name}: ${example}`)
    examples[name] = timeless(name === 'getStats' ? shortened(body) : body)
  }
  return examples
}

test('every operation but that of the document itself has an example, with the answer of the sample corpus', async () => {
  const examples = await examplesNow()
  // After a change of answers: VULNSHELF_TEST_WRITE=1 npm test -- contract/examples
  if (process.env.VULNSHELF_TEST_WRITE) writeFileSync(FILE, `${JSON.stringify(examples, null, 2)}\n`)
  assert.equal(
    ROUTES.filter(({ example }) => example === undefined).map(({ name }) => name),
    ['getOpenapi'],
  )
  assert.equal(JSON.parse(readFileSync(FILE, 'utf8')), examples)
})

test('the document has each example with its request', () => {
  for (const [path, { get }] of Object.entries(apiDocument().paths)) {
    const { example: request } = ROUTES.find(({ name }) => name === get.operationId)!
    const [sample] = get['x-codeSamples']
    assert.ok(sample!.source.endsWith(`/api/v1${request ?? path}"`), sample!.source)
    const { content } = resolve(apiDocument(), 'responses', get.responses[200]!)
    assert.is(content!['application/json'].example === undefined, request === undefined, path)
  }
})

test.after(service.remove)
test.run()
