/** Attribute comparison of CPE names: NISTIR 7696, table 6-2. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareValues, overlap, type Relation } from '../../../../corpus/model/cpe/compare.ts'

const compare = suite('cpe compare')

/** Every kind of source with every kind of target: any, not applicable, a value, a value with wildcards. */
const TABLE: [source: string, target: string, relation: Relation][] = [
  ['*', '*', 'equal'],
  ['*', '-', 'superset'],
  ['*', '1.0', 'superset'],
  ['*', '1.*', 'undefined'],
  ['-', '*', 'subset'],
  ['-', '-', 'equal'],
  ['-', '1.0', 'disjoint'],
  ['-', '1.*', 'undefined'],
  ['1.0', '1.0', 'equal'],
  ['1.0', '1.1', 'disjoint'],
  ['1.0', '1.*', 'undefined'],
  ['1.0', '-', 'disjoint'],
  ['1.0', '*', 'subset'],
  ['1.*', '1.0', 'superset'],
  ['1.*', '2.0', 'disjoint'],
  ['1.*', '*', 'subset'],
  ['1.*', '-', 'disjoint'],
  ['1.*', '1.*', 'undefined'],
  ['1.*', '2.?', 'undefined'],
]

compare('values compare as in table 6-2', () => {
  for (const [source, target, relation] of TABLE) {
    assert.is(compareValues(source, target), relation, `source ${source}, target ${target}`)
  }
})

/** `*` stands for any number of characters, `?` for none or one. */
const PATTERNS: [pattern: string, matches: string[], others: string[]][] = [
  ['1.*', ['1.', '1.0', '1.0.5'], ['1', '11.0', '21.0']],
  ['*-rc1', ['1.0-rc1', '-rc1'], ['1.0-rc2', '1.0-rc11']],
  ['*sp*', ['sp', '1sp1', 'xsp'], ['s', 'ps']],
  ['1.?', ['1.', '1.0'], ['1.10', '11.0']],
  ['1.??', ['1.', '1.0', '1.10'], ['1.100']],
  ['?1?', ['1', '21', '12', '212'], ['2212', '2122', '2']],
  ['?1*', ['1', '213', '11'], ['2213']],
  ['???', ['1', '12', '123'], ['1234']],
  ['a\\?*', ['a\\?', 'a\\?b'], ['ab', 'a']],
  ['1\\+?', ['1\\+', '1\\+2'], ['12', '1\\+\\+\\+']],
  ['?', ['\\!'], ['\\!\\!']],
]

compare('a pattern contains what it matches', () => {
  for (const [pattern, matches, others] of PATTERNS) {
    for (const value of matches) assert.is(compareValues(pattern, value), 'superset', `${pattern}, ${value}`)
    for (const value of others) assert.is(compareValues(pattern, value), 'disjoint', `${pattern}, ${value}`)
  }
})

compare('values overlap unless they are disjoint; two patterns are undecided', () => {
  assert.is(overlap('1.0', '*'), true)
  assert.is(overlap('-', '*'), true)
  assert.is(overlap('-', '1.0'), false)
  assert.is(overlap('1.0', '1.*'), true)
  assert.is(overlap('1.*', '1.0'), true)
  assert.is(overlap('1.*', '2.0'), false)
  assert.is(overlap('1.*', '1.*'), true)
  assert.is(overlap('1.*', '1.?'), null)
  assert.is(overlap('-', '1.*'), false)
})

compare.run()
