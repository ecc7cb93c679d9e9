import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pairs, quantiles, weighted, zipf } from '../../../corpus/sample/distribution.ts'
import { Random } from '../../../corpus/sample/random.ts'

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.float())

test('a stream is a function of its names', () => {
  assert.equal(draw(new Random(1, 'CVE-2024-0001', 'text'), 5), draw(new Random(1, 'CVE-2024-0001', 'text'), 5))
  assert.is.not(new Random('ab', 'c').float(), new Random('a', 'bc').float())
  assert.is.not(new Random(1, 'a').float(), new Random(2, 'a').float())
})

test('numbers are even, also across the first draws of many streams', () => {
  const firsts = Array.from({ length: 20_000 }, (_, i) => new Random(1, `CVE-2024-${i}`, 'x').float())
  for (const list of [draw(new Random('one'), 20_000), firsts]) {
    const tenths = Array.from({ length: 10 }, (_, i) => list.filter((one) => Math.floor(one * 10) === i).length)
    for (const count of tenths) assert.ok(count > 1850 && count < 2150, `${tenths}`)
  }
})

test('whole numbers keep within their bounds and reach them', () => {
  const random = new Random('bounds')
  assert.equal(new Set(Array.from({ length: 200 }, () => random.between(3, 5))), new Set([3, 4, 5]))
  assert.match(random.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.match(random.hex(11), /^[0-9a-f]{11}$/)
})

test('a table of quantiles gives its own figures back', () => {
  const of = quantiles('0:1 0.5:10 0.9:1000 1:1000')
  assert.is(of(0), 1)
  assert.is(of(0.5), 10)
  assert.is(Math.round(of(0.7)), 100)
  assert.is(of(0.95), 1000)
  assert.is(quantiles('0:0 1:8')(0.25), 2)
})

test('a weighted choice keeps to its weights', () => {
  const of = weighted([
    ['a', 1],
    ['b', 0],
    ['c', 3],
  ])
  assert.equal([0, 0.249, 0.25, 0.999].map(of), ['a', 'a', 'c', 'c'])
})

test("Zipf's ranks fall off by the law", () => {
  const random = new Random('zipf')
  const of = zipf(1000, 1.2, 1)
  const found = new Map<number, number>()
  for (let i = 0; i < 50_000; i++) {
    const rank = of(random.float())
    found.set(rank, (found.get(rank) ?? 0) + 1)
  }
  assert.ok(Math.max(...found.keys()) < 1000 && Math.min(...found.keys()) === 0)
  // The weight of rank r is the integral of (x + 1)^-1.2 from r to r + 1.
  const weight = (rank: number) => (rank + 1) ** -0.2 - (rank + 2) ** -0.2
  const ratio = found.get(0)! / found.get(9)!
  assert.ok(Math.abs(ratio / (weight(0) / weight(9)) - 1) < 0.15, `${ratio}`)
})

test('pairs are read from text', () => {
  assert.equal(pairs(' 1:2\n 3:4.5 '), [
    [1, 2],
    [3, 4.5],
  ])
})

test.run()
