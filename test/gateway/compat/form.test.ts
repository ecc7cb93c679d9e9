/** Forms and queries of clients. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../corpus/answers/errors.ts'
import { parseForm } from '../../../gateway/compat/form.ts'

const parse = (text: string | Uint8Array, most = 10) => parseForm(Buffer.from(text as string), most)
const statusOf = (text: string | Uint8Array, most?: number) => {
  try {
    parse(text, most)
    return 200
  } catch (error) {
    return error instanceof ApiError && error.status
  }
}

test('pairs are decoded and keep their order', () => {
  assert.equal(parse('packages%5B0%5D=a%2Fb&packages[]=c/d&b=1=2&e&=f&x=a+b%2Bc'), [
    ['packages[0]', 'a/b'],
    ['packages[]', 'c/d'],
    ['b', '1=2'],
    ['e', ''],
    ['', 'f'],
    ['x', 'a b+c'],
  ])
  assert.equal(parse(''), [])
  assert.equal(parse('&&a=1&'), [['a', '1']])
})

test('other text than percent-encoded UTF-8 is a 400', () => {
  for (const text of ['a=%', 'a=%zz', '%ff=1', 'a=%c3', Buffer.from([0x61, 0x3d, 0xff])]) assert.is(statusOf(text), 400)
})

test('more fields than the bound are a 413 before they are parsed', () => {
  assert.is(statusOf('a&b&c', 3), 200)
  assert.is(statusOf('a&b&c&d', 3), 413)
  assert.is(statusOf('&'.repeat(3), 3), 413)
  assert.is(statusOf('%&%&%&%', 3), 413)
})

test.run()
