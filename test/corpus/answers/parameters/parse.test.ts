/** Parameters as requests send them: what test/contract/rules (rules 1 to 5) does not ask over HTTP. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../../corpus/answers/errors.ts'
import { date } from '../../../../corpus/answers/parameters/date.ts'
import { cveIds } from '../../../../corpus/answers/parameters/ids.ts'
import { type ParameterType, type Schema, withDefault } from '../../../../corpus/answers/parameters/parameter.ts'
import {
  boolean,
  csvOf,
  cursor,
  integer,
  number,
  openText,
  sort,
  text,
} from '../../../../corpus/answers/parameters/parameter-types.ts'
import { parseParams } from '../../../../corpus/answers/parameters/parse.ts'

const query = <Q extends Schema>(schema: Q, raw: string) => parseParams({ path: {}, query: schema }, {}, raw)

/** The error that a query gets. */
function refused(schema: Schema, raw: string): ApiError {
  try {
    query(schema, raw)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`'${raw}' was accepted`)
}

const LIST = {
  q: text({ max: 200 }),
  severity: csvOf(['critical', 'high', 'medium', 'low', 'none']),
  kev: boolean(),
  sort: sort(['published', 'updated', 'cvss'], '-published'),
  limit: withDefault(integer({ min: 1, max: 100 }), 25),
}

const names = suite('names of parameters')

names('slips of case and swapped letters are recognised, other words are not', () => {
  assert.match(refused(LIST, 'KEV=true').message, "did you mean 'kev'?")
  assert.match(refused(LIST, 'limti=3').message, "did you mean 'limit'?")
  assert.is(refused(LIST, 'page=3').message, "unknown parameter 'page'; allowed: q, severity, kev, sort, limit")
  assert.is(refused({}, 'x=1').message, "unknown parameter 'x'; this endpoint has no parameters")
  assert.equal(refused(LIST, '=x').body, {
    error: 'invalid_parameter',
    message: 'the query has a parameter without a name',
  })
})

names('names from the prototype of objects are as unknown as others', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.match(refused(LIST, `${name}=1`).message, `unknown parameter '${name}'`)
  }
})

names('nothing between ampersands is nothing', () => {
  assert.is(query(LIST, '&limit=5&&').limit, 5)
})

names('a long unknown name, say a token, is not echoed whole', () => {
  const error = refused(LIST, `${'t'.repeat(500)}=1`)
  assert.ok(JSON.stringify(error.body).length < 300)
})

names.run()

const encoding = suite('encoding')

encoding('a plus is a space, %2B is a plus', () => {
  assert.is(query(LIST, 'q=a+b%2Bc%20d').q, 'a b+c d')
})

encoding('equals signs, hashes and UTF-8 are part of the value', () => {
  assert.is(query(LIST, 'q=a=b#c%C3%A9%F0%9F%90%9B').q, 'a=b#cé🐛')
})

encoding('malformed percent-encoding is 400, in values, names and paths', () => {
  for (const raw of ['q=%', 'q=%4', 'q=%zz', 'q=%ff', 'q=%C3', 'q=%ED%A0%80']) {
    assert.is(refused(LIST, raw).message, "parameter 'q' has malformed percent-encoding")
  }
  assert.equal(refused(LIST, 'q%zz=1').body, {
    error: 'invalid_parameter',
    message: 'a parameter name has malformed percent-encoding',
  })
  assert.throws(
    () => parseParams({ path: { slug: openText() }, query: {} }, { slug: 'a%2' }, ''),
    (error: ApiError) => error.parameter === 'slug' && /malformed percent-encoding/.test(error.message),
  )
})

encoding('raw bytes beyond ASCII are 400', () => {
  assert.is(refused(LIST, 'q=Ã©').message, "parameter 'q' contains characters outside ASCII; percent-encode them")
})

encoding('a path keeps its plus and its encoded slash', () => {
  const values = parseParams({ path: { id: openText() }, query: {} }, { id: 'exploit%2Fwindows%2Fa+b' }, '')
  assert.is(values.id, 'exploit/windows/a+b')
})

encoding.run()

/** For each kind: texts it takes with their value, and texts it refuses. `+` and `%` are as a URL has them. */
const MATRIX: { name: string; kind: ParameterType<unknown>; takes: [string, unknown][]; refuses: string[] }[] = [
  {
    name: 'integer',
    kind: integer({ min: 1, max: 100 }),
    takes: [
      ['1', 1],
      ['100', 100],
      ['007', 7],
    ],
    refuses: ['0', '101', '-1', '1.0', '1e1', '0x10', '%2B5', '5+', 'NaN', '99999999999999999999'],
  },
  {
    name: 'number',
    kind: number({ min: 0, max: 1 }),
    takes: [
      ['0', 0],
      ['1', 1],
      ['0.25', 0.25],
      ['.5', 0.5],
      ['1e-3', 0.001],
    ],
    refuses: ['1.01', '-0.1', 'NaN', 'Infinity', '0x1', '1e999', '0,5', '+', '.'],
  },
  {
    name: 'date',
    kind: date(),
    takes: [
      ['2024-02-29', { kind: 'day', ms: Date.UTC(2024, 1, 29) }],
      ['0001-01-01', { kind: 'day', ms: Date.parse('0001-01-01') }],
      ['2024-04-12T08:00:00Z', { kind: 'instant', ms: Date.UTC(2024, 3, 12, 8) }],
      ['2024-04-12t08:00:00.25z', { kind: 'instant', ms: Date.UTC(2024, 3, 12, 8) + 250 }],
      ['2024-04-12T08:00:00.0005Z', { kind: 'instant', ms: Date.UTC(2024, 3, 12, 8) + 0.5 }],
      ['2024-04-12T08:00:00%2B02:30', { kind: 'instant', ms: Date.UTC(2024, 3, 12, 5, 30) }],
      ['2024-04-12T23:30:00-01:00', { kind: 'instant', ms: Date.UTC(2024, 3, 13, 0, 30) }],
      ['2016-12-31T23:59:60Z', { kind: 'instant', ms: Date.UTC(2017, 0, 1) }],
    ],
    refuses: [
      '2024-02-30',
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-1-1',
      '20240101',
      '2024-01-01T',
      'now',
      '1700000000',
      '2024-02-30T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:60:00Z',
      '2024-01-01T00:00Z',
      '2024-01-01T00:00:00',
      '2024-01-01T00:00:00+02:00',
      '2024-01-01T00:00:00%2B25:00',
      '2024-01-01%2000:00:00Z',
    ],
  },
  {
    name: 'CVE ids',
    kind: cveIds({ max: 3 }),
    takes: [
      ['cve-2024-3400', ['CVE-2024-3400']],
      ['CVE-2024-0002,+cve-2024-0001,CVE-2024-0002', ['CVE-2024-0002', 'CVE-2024-0001']],
      [Array(9).fill('CVE-2024-0001').join(), ['CVE-2024-0001']],
    ],
    refuses: ['CVE-2024-0001,', 'CVE-2024-0001;CVE-2024-0002', [1, 2, 3, 4].map((n) => `CVE-2024-000${n}`).join()],
  },
  { name: 'open text', kind: openText(), takes: [['Nobody%20knows', 'Nobody knows']], refuses: [] },
]

const kinds = suite('kinds')

for (const { name, kind, takes, refuses } of MATRIX) {
  kinds(`${name} takes what it should`, () => {
    for (const [raw, value] of takes) assert.equal(query({ p: kind }, `p=${raw}`).p, value, raw)
  })
  kinds(`${name} refuses the rest, and says which parameter and what is allowed`, () => {
    for (const raw of refuses) {
      const error = refused({ p: kind }, `p=${raw}`)
      assert.is(error.code, 'invalid_parameter', raw)
      assert.is(error.parameter, 'p', raw)
      assert.match(error.message, /'p'/)
      assert.match(error.message, /must be|allowed: |Allowed: |at most/)
    }
  })
  kinds(`${name} can state itself as JSON Schema`, () => {
    assert.type(JSON.parse(JSON.stringify(kind.schema)).type, 'string')
  })
}

kinds('a cursor that is too long is one that we did not issue, an empty one is an empty parameter', () => {
  const schema = { cursor: cursor() }
  assert.is(query(schema, `cursor=${'a'.repeat(512)}`).cursor, 'a'.repeat(512))
  assert.is(refused(schema, `cursor=${'a'.repeat(513)}`).code, 'invalid_cursor')
  assert.is(refused(schema, 'cursor=').code, 'invalid_parameter')
})

kinds('an offset whose plus was not encoded gets a hint', () => {
  assert.match(refused({ since: date() }, 'since=2024-01-01T00:00:00+02:00').message, 'write %2B')
})

kinds.run()
