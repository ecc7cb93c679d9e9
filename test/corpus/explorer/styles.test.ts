/** The style sheets of the explorer use one scale of text and one of spaces, which `base.css` states. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const APP = join(import.meta.dirname, '../../../corpus/explorer/app')

/** The sheets that `style.css` imports, without those of libraries and of the API reference. */
const SHEETS = [...readFileSync(join(APP, 'style.css'), 'utf8').matchAll(/@import "\.\/(?!pages\/api\/)([^"]+)"/g)].map(
  ([, path]) => path!,
)

/** `em` is for code, which follows the text around it; `px` for the units of a drawing. */
const SIZES = /^(?:var\(--(?:tiny|small|large|title)\)|1rem|0\.92em|11px)$/
const SPACES = new Set(['0.125', '0.25', '0.5', '0.75', '1', '1.5', '2', '3'])
/** Widths of the page, which some paddings are computed from. */
const WIDTHS = new Set(['84'])

const declarations = (sheet: string, property: RegExp) =>
  [...readFileSync(join(APP, sheet), 'utf8').matchAll(property)].map(([text, value]) => ({ text, value: value! }))

test('each size of text is one of the scale', () => {
  let seen = 0
  for (const sheet of SHEETS) {
    for (const { text, value } of declarations(sheet, /font-size:\s*([^;]+);/g)) {
      assert.match(value, SIZES, `${sheet}: ${text}`)
      seen++
    }
  }
  assert.ok(SHEETS.length > 5 && seen > 20, `${SHEETS.length} sheets, ${seen} sizes`)
})

test('each margin, padding and gap is one of the scale', () => {
  let seen = 0
  for (const sheet of SHEETS) {
    for (const { text, value } of declarations(sheet, /(?:margin|padding|gap)[a-z-]*:\s*([^;]+);/g)) {
      for (const [, rem] of value.matchAll(/(?<![\d.])-?(\d*\.?\d+)rem/g)) {
        assert.ok(SPACES.has(rem!) || WIDTHS.has(rem!), `${sheet}: ${text}`)
        seen++
      }
    }
  }
  assert.ok(seen > 100, `${seen} spaces`)
})

test.run()
