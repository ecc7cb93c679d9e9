/** The texts about the origin of fields. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { affected, references } from '../../../corpus/answers/schemas/cve-claims.ts'
import { cvss } from '../../../corpus/answers/schemas/cve-scores.ts'
import { exploitModule } from '../../../corpus/answers/schemas/cve-signals.ts'
import { ORIGINS } from '../../../corpus/explorer/app/pages/cves/origin.ts'
import { sourceName } from '../../../corpus/explorer/app/parts/sources.ts'

const RULES = readFileSync(join(import.meta.dirname, '../../../corpus/model/RULES.md'), 'utf8')

test('every rule that a text cites exists', () => {
  let cited = 0
  for (const [field, text] of Object.entries(ORIGINS)) {
    assert.match(text, /\.$/, field)
    for (const [, number] of text.matchAll(/\(rule (\d+)\)/g)) {
      assert.match(RULES, new RegExp(`^### ${number}\\. `, 'm'), field)
      cited++
    }
  }
  assert.ok(cited > 10, `${cited} citations`)
})

test('every source of the API has a name', () => {
  const sources: string[] = [
    ...affected.element.shape.source.options,
    ...references.element.shape.sources.element.options,
    ...cvss.shape.metrics.element.shape.source_type.options,
    ...exploitModule.shape.source.options,
  ]
  for (const source of sources) assert.is.not(sourceName(source), source)
})

test('another source keeps its name', () => {
  for (const source of ['CISA-ADP', 'constructor', '']) assert.is(sourceName(source), source)
})

test.run()
