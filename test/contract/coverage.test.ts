/** No sentence of api.md and no rule of decisions.md without its test, and no test of a sentence that is not there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Claim, claimsIn, claimsOf } from './claims.ts'
import { type Sentence, sentencesOf } from './sentences.ts'

const SPEC = join(import.meta.dirname, '../../../shared/spec')
const RULES = 30

/** The specifications lie beside the checkout, as the real feeds do. */
function specification(name: string): string | null {
  const path = join(SPEC, name)
  if (existsSync(path)) return readFileSync(path, 'utf8')
  if (process.env.VULNSHELF_NO_FEEDS === '1') return null
  throw new Error(`${name} is not beside the checkout (../shared/spec); VULNSHELF_NO_FEEDS=1 leaves this out`)
}

const claims = claimsOf(import.meta.dirname)
const api = specification('api.md')
const decisions = specification('decisions.md')

if (api !== null) {
  const sentences = sentencesOf(api)
  /** Sentences that stand under one heading only; a test of another one has to name the heading. */
  const once = new Set(
    [...Map.groupBy(sentences, ({ text }) => text)].filter(([, all]) => all.length === 1).map(([text]) => text),
  )
  const testsOf = ({ section, text }: Sentence): Claim[] =>
    claims.filter(({ kind, named }) =>
      kind === 'says'
        ? once.has(text) && named[0] === text
        : kind === 'saysUnder' && named[0] === section && named[1] === text,
    )

  test('every sentence of api.md has one test', () => {
    for (const sentence of sentences) {
      const places = testsOf(sentence).map(({ place }) => place)
      console.log(`api.md, ${sentence.section}: ${sentence.text} → ${places.join(', ') || 'NO TEST'}`)
    }
    const without = sentences.filter((sentence) => testsOf(sentence).length === 0)
    assert.equal(
      without.map(({ section, text }) => `${section}: ${text}`),
      [],
    )
  })

  test('every test of a sentence names one of api.md', () => {
    const said = claims.filter(({ kind }) => kind === 'says' || kind === 'saysUnder')
    const known = new Set([...once, ...sentences.map(({ section, text }) => `${section}\n${text}`)])
    assert.equal(
      said
        .filter(({ named }) => !known.has(named.join('\n')))
        .map(({ place, named }) => `${place}: ${named.join(', ')}`),
      [],
    )
  })
}

if (decisions !== null) {
  test('every rule of decisions.md has a test', () => {
    const numbers = Array.from({ length: RULES }, (_, i) => i + 1)
    for (const number of numbers) {
      assert.match(decisions, new RegExp(`^${number}\\. `, 'm'), `there is no rule ${number}`)
      const places = claims.filter(({ kind, named }) => kind === 'rule' && named[0] === String(number))
      console.log(`decisions ${number} → ${places.map(({ place }) => place).join(', ') || 'NO TEST'}`)
      assert.ok(places.length > 0, `rule ${number} has no test`)
    }
    assert.not.match(decisions, new RegExp(`^${RULES + 1}\\. `, 'm'), 'there are more rules than are looked for')
  })

  test('every row of the tables of decisions.md has a test', () => {
    const rows = sentencesOf(decisions).filter(({ text }) => text.includes(' | '))
    assert.ok(rows.length > 20)
    const keys = rows.map(({ text }) => text.split(' | ').slice(0, -1).join(' | '))
    for (const key of keys) {
      const places = claims.filter(({ kind, named }) => kind === 'row' && named[0] === key).map(({ place }) => place)
      console.log(`decisions, ${key} → ${places.join(', ') || 'NO TEST'}`)
    }
    const named = new Set(claims.filter(({ kind }) => kind === 'row').map(({ named }) => named[0]))
    assert.equal(
      keys.filter((key) => !named.has(key)),
      [],
    )
    assert.equal(
      [...named].filter((key) => !keys.includes(key!)),
      [],
    )
  })
}

test('the guard reads calls as they are written, and sentences as they stand', () => {
  const source = ["  says('it\\'s so', () => {})", '  saysUnder(', "    'A',", '    `b`,', '    () => {},', '  )'].join(
    '\n',
  )
  assert.equal(claimsIn('x.test.ts', `${source}\n  rule(7, 'part', () => {})\n`), [
    { kind: 'says', named: ["it's so"], place: 'x.test.ts:1' },
    { kind: 'saysUnder', named: ['A', 'b'], place: 'x.test.ts:3' },
    { kind: 'rule', named: ['7'], place: 'x.test.ts:7' },
  ])
  assert.throws(() => claimsIn('x.test.ts', 'says(text, () => {})'), /no plain literal/)
  const markdown =
    '# T\n\nOne thing. `two` things:\n\n- a\n  b\n\n| h | i |\n|---|---|\n| c\\|d | e |\n\n## Gaps\n\n- f\n'
  assert.equal(
    sentencesOf(markdown).map(({ text }) => text),
    ['One thing.', 'a b', 'c|d | e'],
  )
})

test.run()
