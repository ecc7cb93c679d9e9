/** HTML of Markdown, and the bounds beyond which a text is shown as plain text. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  MOST_CELLS,
  MOST_CHARACTERS,
  MOST_DEPTH,
  MOST_HTML_CHARACTERS,
} from '../../../corpus/explorer/app/parts/markdown-bounds.ts'
import { markdownHtml } from '../../../corpus/explorer/app/parts/markdown-html.ts'
import { REAL_FEEDS, REAL_PACKAGES, suiteNeeding } from '../../support/needs.ts'

const test = suite('Markdown')
const realTest = suiteNeeding('Markdown of real advisories', 'real feeds', 'real advisories of packages')

const htmlOf = (text: string): string => {
  const result = markdownHtml(text)
  assert.ok('html' in result, JSON.stringify(result))
  return result.html
}

/** A table with a header of `columns`, and rows of one cell. */
const table = (columns: number, rows: number) =>
  `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|a\n'.repeat(rows)}`

test('headings are below that of the section, and markup with attributes is text', () => {
  assert.is(htmlOf('# A\n\n#### B'), '<h3>A</h3>\n<h4>B</h4>\n')
  assert.is(htmlOf('<b>x</b> <i id="a">y</i> <!-- z -->'), '<p><b>x</b> &lt;i id="a">y</i> </p>\n')
  assert.is(htmlOf('![<b>](https://a.example)'), '<p>&lt;b></p>\n')
})

test('a text at a bound is read, one above it is not', () => {
  htmlOf('a'.repeat(MOST_CHARACTERS))
  assert.equal(markdownHtml('a'.repeat(MOST_CHARACTERS + 1)), { plain: 'long' })
  assert.ok(htmlOf('"'.repeat(21_800)).length > MOST_HTML_CHARACTERS - 1_000)
  assert.equal(markdownHtml('"'.repeat(22_000)), { plain: 'large' })
})

test('no table has more cells than its bound, and no text is repeated by links without one', () => {
  assert.match(htmlOf(table(40, 100)), '<td></td>')
  for (const [columns, rows] of [
    [100, 200],
    [10_000, 10],
    [10, MOST_CELLS / 10],
  ] as const) {
    assert.equal(markdownHtml(table(columns, rows)), { plain: 'large' })
    assert.equal(markdownHtml(`> ${table(columns, rows).replaceAll('\n', '\n> ')}`), { plain: 'large' })
  }
  // These are headings and paragraphs.
  htmlOf('a | b\n-\n\nc\n'.repeat(1_000))
  const target = `/${'u'.repeat(2_000)}`
  assert.match(htmlOf(`[a]: ${target}\n\n${'[a] '.repeat(50)}`), `href="${target}"`)
  assert.equal(markdownHtml(`[a]: ${target}\n\n${'[a] '.repeat(100)}`), { plain: 'large' })
})

test('no text has more elements in each other than their bound, or than the stack holds', () => {
  for (const [open, close] of [
    ['> ', ''],
    ['<b>', ''],
    ['<b>', '</b>'],
    ['<DETAILS>', ''],
    ['<ul><li>', ''],
  ] as const) {
    const nested = (levels: number) => `${open.repeat(levels)}a${close.repeat(levels)}`
    htmlOf(nested(MOST_DEPTH))
    assert.equal(markdownHtml(nested(MOST_DEPTH + 1)), { plain: 'deep' }, open)
  }
  assert.equal(markdownHtml('>'.repeat(MOST_CHARACTERS)), { plain: 'deep' })
  // These are not in each other.
  htmlOf('<p>a<br>'.repeat(1_000))
  htmlOf('<b>a</b>'.repeat(1_000))
})

/** Returns the texts of the advisories in an export. */
function textsOf(path: string): string[] {
  const files = unzipSync(readFileSync(path), { filter: ({ name }) => name.endsWith('.json') })
  return Object.values(files).flatMap((bytes) => {
    const { details } = JSON.parse(Buffer.from(bytes).toString()) as { details?: unknown }
    return typeof details === 'string' ? [details] : []
  })
}

realTest('every real text is within the bounds', () => {
  const paths = [
    join(REAL_FEEDS, 'ghsa/advisory-database.zip'),
    ...['npm', 'PyPI', 'Packagist'].map((name) => join(REAL_PACKAGES, 'osv', name, 'all.zip')),
  ]
  const texts = new Set(paths.flatMap(textsOf))
  const plain = [...texts].filter((text) => 'plain' in markdownHtml(text))
  console.log(
    `# ${texts.size} texts of real advisories, of at most ${Math.max(...[...texts].map((one) => one.length))} characters`,
  )
  assert.ok(texts.size > 1_000, String(texts.size))
  assert.equal(plain, [])
})

test.run()
realTest.run()
