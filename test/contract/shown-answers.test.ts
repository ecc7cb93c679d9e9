/** gateway/API.md shows each endpoint with a request and its shortened answer, and explains the names of sources. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { apiDocument, ROUTES } from '../../corpus/answers/routes.ts'
import { catalogName, sourceName } from '../../corpus/explorer/app/parts/sources.ts'
import { DETECTION_LAYERS } from '../../corpus/model/claim.ts'
import { CATEGORIES, FEED_OF_SOURCE } from '../../corpus/model/timeline/timeline-table.ts'
import { shortenedAnswer } from './support/shortened-answer.ts'

const root = join(import.meta.dirname, '../..')
const PAGE = join(root, 'gateway/API.md')
const EXAMPLES = JSON.parse(readFileSync(join(root, 'corpus/answers/openapi/examples.json'), 'utf8'))

/** Members that say less than those after them. */
const LEFT_OUT: Record<string, string[]> = {
  listAffecting: [
    'aliases',
    'matched_source',
    'modified_at',
    'published_at',
    'stated_severity',
    'undecided_reason',
    'urgency',
  ],
}

/** A request and the block below it. */
const SHOWN = /^```bash\n(curl .*)\n```\n\n```js\n([^`]*)\n```$/gm

/** The request and the answer of each operation, as the page must show them. */
const expected = (() => {
  const samples = Object.values(apiDocument().paths).map(({ get }) => [
    get.operationId,
    get['x-codeSamples'][0]!.source,
  ])
  const requests = new Map(samples as [string, string][])
  const shown = ROUTES.filter(({ example }) => example !== undefined)
  return new Map(shown.map(({ name }) => [requests.get(name)!, shortenedAnswer(EXAMPLES[name], LEFT_OUT[name])]))
})()

test('every operation with an example is shown once, with the request of the OpenAPI document and its shortened answer', () => {
  const page = readFileSync(PAGE, 'utf8')
  // After a change of answers: VULNSHELF_TEST_WRITE=1 npm test -- contract/shown-answers
  if (process.env.VULNSHELF_TEST_WRITE) {
    const block = (request: string) => `\`\`\`bash\n${request}\n\`\`\`\n\n\`\`\`js\n${expected.get(request)}\n\`\`\``
    writeFileSync(
      PAGE,
      page.replace(SHOWN, (_, request: string) => block(request)),
    )
  }
  const shown = [...readFileSync(PAGE, 'utf8').matchAll(SHOWN)].map(
    ([, request, answer]) => [request!, answer!] as const,
  )
  assert.equal(shown.map(([request]) => request).sort(), [...expected.keys()].sort())
  for (const [request, answer] of shown) assert.is(answer, expected.get(request), request)
})

test('a shortened answer keeps the order of an object, states what is left out, and has 12 lines of 120 characters', () => {
  assert.is(shortenedAnswer({ a: 1, b: [1, 2, 3, 4], c: [] }), '{\n  "a": 1, "b": [1, 2, 3, …], "c": []\n}')
  assert.is(shortenedAnswer({ text: 'x'.repeat(61) }), `{\n  "text": "${'x'.repeat(60)}…"\n}`)
  assert.is(shortenedAnswer({ rows: [{ id: 1 }, { id: 2 }] }), '{\n  "rows": [{ "id": 1 }, …]\n}')
  assert.is(shortenedAnswer({ a: 1, b: 2, c: 3 }, ['b']), '{\n  "a": 1, …, "c": 3\n}')
  for (const answer of expected.values()) {
    const lines = answer.split('\n')
    assert.ok(lines.length <= 12 && lines.every((line) => line.length <= 120), answer)
  }
})

/** Closed sets whose values need an explanation, by the name of their parameter or field. */
const EXPLAINED = new Set([
  'catalog',
  'decision',
  'Served-From',
  'source',
  'source_type',
  'sources',
  'ssvc_decision',
  'undecided_reason',
])

/** Returns the values of these sets in the OpenAPI document. */
function explainedValues(part: unknown, name = ''): string[] {
  if (typeof part !== 'object' || part === null) return []
  const { enum: values, in: position, name: parameter } = part as { enum?: unknown[]; in?: string; name?: string }
  const own = position === undefined ? name : parameter!
  const found = Array.isArray(values) && EXPLAINED.has(own) ? values.filter((value) => typeof value === 'string') : []
  const passed = /^(?:anyOf|items|schema|\d+)$/
  const below = Object.entries(part).flatMap(([key, member]) => explainedValues(member, passed.test(key) ? own : key))
  return [...found, ...below]
}

/** The tables of section 35 up to a text: the meaning of each name. */
function explanations(end?: string): Map<string, string> {
  const [, section] = readFileSync(PAGE, 'utf8').split(/^## 35\. .*$/m)
  const tables = end === undefined ? section : section!.split(end)[0]
  return new Map(Array.from(tables!.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm), ([, name, meaning]) => [name!, meaning!]))
}

test('section 35 explains every name of a source, a category, a decision, a reason, a layer and a type of evidence', () => {
  const closed = explainedValues(apiDocument())
  assert.ok(closed.includes('svc_analysis') && closed.includes('no_order') && closed.includes('track*'), `${closed}`)
  const rules = readFileSync(join(root, 'corpus/model/RULES.md'), 'utf8')
  const [evidence] = /^### 23\. [\s\S]*?^Code:/m.exec(rules)!
  const cells = evidence!.matchAll(/^\| [^|`]+(?:`exploit\/…`)? \| ([^|]*) \| ([^|]*) \|/gm)
  const ofEvidence = Array.from(cells, ([, source, type]) => [...`${source} ${type}`.matchAll(/`([^`]+)`/g)])
    .flat()
    .map(([, name]) => name!)
    .filter((name) => !['source', 'evidence_type'].includes(name))
  assert.ok(ofEvidence.includes('code_host_poc_search') && ofEvidence.includes('kev_listed'), `${ofEvidence}`)
  const names = [
    ...closed,
    ...ofEvidence,
    ...FEED_OF_SOURCE.keys(),
    ...CATEGORIES.map(({ category }) => category),
    ...DETECTION_LAYERS,
    ...['cisa', 'supplier_adp', 'svc_metrics', 'enrichment'],
  ]
  const known = explanations()
  assert.equal(
    [...new Set(names)].filter((name) => !known.has(name)),
    [],
  )
})

test('section 35 names sources and catalogs as the explorer does', () => {
  let compared = 0
  for (const [name, meaning] of explanations('Types of evidence')) {
    for (const shown of [sourceName(name), catalogName(name)]) {
      if (shown === name || ['reference', 'other feeds'].includes(shown)) continue
      compared++
      assert.ok(meaning.toLowerCase().includes(shown.toLowerCase()), `${name}: ${meaning}, explorer: ${shown}`)
    }
  }
  assert.ok(compared > 15, `${compared}`)
})

test.run()
