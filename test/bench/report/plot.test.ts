/** The plot of the bench. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LINES, lineOf } from './lines-fixture.ts'
import { plot } from './plot.ts'

const count = (text: string, part: RegExp) => [...text.matchAll(part)].length

test('a panel for each line, a point for each corpus, a budget where there is one', () => {
  const svg = plot(LINES)
  assert.is(XMLValidator.validate(svg), true)
  assert.is(count(svg, /<g class="panel"/g), 3)
  assert.is(count(svg, /<circle class="met"/g), 2)
  assert.is(count(svg, /<circle class="missed"/g), 2)
  assert.is(count(svg, /<line class="budget"/g), 2)
  assert.ok(svg.includes('>13k<') && svg.includes('>350k<'))
})

test('nothing in a line is taken for markup', () => {
  const name = 'http/<a href="x">&'
  const svg = plot([lineOf({ name, reference: { title: '"<script>" & more', figure: 1 } })])
  assert.is(XMLValidator.validate(svg), true)
  const texts = JSON.stringify(new XMLParser().parse(svg))
  assert.ok(texts.includes(JSON.stringify(name).slice(1, -1)))
  assert.not.ok(svg.includes('<script'))
})

test('whiskers reach from the lowest to the highest value, inside the panel', () => {
  const svg = plot([
    lineOf({ cves: 13_000, ratio: { median: 1, min: 0.5, max: 2 } }),
    lineOf({ cves: 350_000, ratio: { median: 900, min: 800, max: 1000 } }),
  ])
  const ends = [...svg.matchAll(/<line class="cost" x1="[\d.]+" y1="([-\d.]+)" x2="[\d.]+" y2="([-\d.]+)"/g)]
  assert.is(ends.length, 2)
  for (const [, least, most] of ends) {
    assert.ok(Number(least) > Number(most), 'more is higher up')
    assert.ok(Number(least) <= 190 && Number(most) >= 46, 'within the axes')
  }
})

test('a corpus alone, and no line at all, are drawn as well', () => {
  for (const lines of [[lineOf()], [lineOf({ figure: 0, ratio: null, budget: null })], []]) {
    const svg = plot(lines)
    assert.is(XMLValidator.validate(svg), true)
    assert.not.ok(/NaN|Infinity/.test(svg))
  }
})

test.run()
