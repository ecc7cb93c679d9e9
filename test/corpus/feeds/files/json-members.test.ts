/** Members of a list in a JSON file: the result equals that of `JSON.parse`, for any chunk boundaries. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jsonMembers } from '../../../../corpus/feeds/files/json-members.ts'
import { errorOf } from '../reading.ts'

interface Read {
  members: unknown[]
  tooLong: number[]
  envelope: unknown
}

/** Reads a text in chunks of `chunkBytes`. */
async function read(text: string, chunkBytes = 1 << 16, maxBytes = 1 << 20): Promise<Read> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const result: Read = { members: [], tooLong: [], envelope: undefined }
  const judge = (envelope: unknown) => {
    result.envelope = envelope
  }
  for await (const { number, bytes } of jsonMembers({ name: 'x.json', chunks: chunks() }, 'list', maxBytes, judge)) {
    if (bytes === null) result.tooLong.push(number)
    else result.members.push(JSON.parse(bytes.toString()))
  }
  return result
}

test('the members are those of JSON.parse, in whatever chunks and with whatever blanks the file comes', async () => {
  const members = fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 6 })
  const around = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  const indent = fc.constantFrom(undefined, 1, '\t', '\r\n ')
  await fc.assert(
    fc.asyncProperty(members, around, around, indent, fc.integer({ min: 1, max: 9 }), async (list, a, b, by, chunk) => {
      // Only one list of that name, as in an object; other keys may precede or follow it.
      const whole = JSON.parse(JSON.stringify({ ...a, list, ...b })) as Record<string, unknown>
      if (!Object.is(JSON.stringify(whole.list), JSON.stringify(list))) return
      const { members, envelope } = await read(JSON.stringify(whole, null, by), chunk)
      assert.equal(members, whole.list)
      assert.equal(envelope, { ...whole, list: list.map(() => 0) })
    }),
    { seed: 20_240_601, numRuns: 300 },
  )
})

test('only the list of the outermost object counts, not its namesake further in', async () => {
  const text = '{"a":{"list":[1,2]},"b":"\\"list\\":[3]","list":[{"list":[4]},"]",[5,[6]]],"c":[["list"]]}'
  for (const chunk of [1, 2, 3, 5, 100]) {
    const { members } = await read(text, chunk)
    assert.equal(members, [{ list: [4] }, ']', [5, [6]]])
  }
})

test('a key that only ends in its name is not the list', async () => {
  assert.equal((await read('{"a\\"list":[{"b":1}],"list":[3]}')).members, [3])
})

test('a member that is too long is named by its number and left out, its neighbours are there', async () => {
  const long = 'x'.repeat(5000)
  const text = JSON.stringify({ list: [1, { long }, 'a', long, { b: 2 }] })
  const { members, tooLong } = await read(text, 700, 100)
  assert.equal(
    [members, tooLong],
    [
      [1, 'a', { b: 2 }],
      [2, 4],
    ],
  )
})

test('what is no such JSON is an error that names the file', async () => {
  const cases: [string, RegExp][] = [
    ['{"list":[1,2', /^file_damaged: x\.json ends in the middle of its JSON$/],
    ['{"list":[1,"2', /^file_damaged: /],
    ['{"list":[{"a":1}', /^file_damaged: /],
    ['', /^file_damaged: /],
    ['{"list":[1]]', /^file_invalid: x\.json is not JSON: /],
    ['{"list":[1 2]}', /^file_invalid: /],
    ['{"list":[1,]}', /^file_invalid: /],
    ['<html>', /^file_invalid: /],
    ['{"list":[1],"list":[2]}', /^file_invalid: x\.json has two lists called "list"$/],
  ]
  for (const [text, what] of cases) assert.match(await errorOf(() => read(text)), what, text)
})

test('a file without the list has no members, and its envelope says so', async () => {
  assert.equal(await read('{"other":[1]}'), { members: [], tooLong: [], envelope: { other: [1] } })
  assert.equal((await read('[[1],[2]]')).members, [])
})

test.run()
