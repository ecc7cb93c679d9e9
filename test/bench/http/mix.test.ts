/** Files of load mixes: valid content, and the resulting requests. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../corpus/sample/random.ts'
import { chooser, parseMix, readMix } from './mix.ts'

const mix = (requests: unknown, more: object = {}) => JSON.stringify({ title: 'some', requests, ...more })

test('a mix is a title and kinds with weights', () => {
  const requests = [
    { kind: 'page25', weight: 3 },
    { kind: 'q', weight: 0.5 },
  ]
  assert.equal(parseMix(mix(requests)), { title: 'some', requests })
})

test('whatever else a file says is refused by name', () => {
  const refused: [string, RegExp][] = [
    ['[]', /a mix must be an object/],
    ['{"requests": []}', /'title' must be a text/],
    [mix([]), /'requests' must be a list, and not empty/],
    [mix([{ kind: 'page26', weight: 1 }]), /'page26' is no kind of request; known are page25, page100/],
    [mix([{ kind: 'toString', weight: 1 }]), /'toString' is no kind/],
    [mix([{ kind: 'kev', weight: 0 }]), /'weight' of kev must be a number above 0/],
    [mix([{ kind: 'kev', weight: '1' }]), /'weight' of kev/],
    [mix([{ kind: 'kev', weight: 1, limit: 5 }]), /a request has kind and weight, not 'limit'/],
    [mix([{ kind: 'kev', weight: 1 }], { seed: 1 }), /a mix has title and requests, not 'seed'/],
    [
      mix([
        { kind: 'kev', weight: 1 },
        { kind: 'kev', weight: 2 },
      ]),
      /kev comes twice/,
    ],
  ]
  for (const [text, message] of refused) assert.throws(() => parseMix(text), message)
})

test('every mix of the folder can be read', () => {
  const files = readdirSync(join(import.meta.dirname, 'mixes')).filter((name) => name.endsWith('.json'))
  assert.ok(files.length >= 3)
  for (const file of files) assert.ok(readMix(file.replace('.json', '')).requests.length > 0)
})

test('a file that is wrong is named', () => {
  assert.throws(() => readMix('no-such-mix'), /no-such-mix\.json: ENOENT/)
})

test('kinds come as often as their weights say', () => {
  const random = new Random('weights')
  const choose = chooser([1, 3, 0.5])
  const seen = [0, 0, 0]
  for (let i = 0; i < 9000; i++) seen[choose(random)]!++
  assert.ok(
    seen.every((count, i) => Math.abs(count / 2000 - [1, 3, 0.5][i]!) < 0.1),
    seen.join(),
  )
  assert.is(choose({ float: () => 0 }), 0)
  assert.is(choose({ float: () => 0.9999999 }), 2)
})

test.run()
