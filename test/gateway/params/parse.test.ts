/** Parameters as requests send them, against rules 1 to 5. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../gateway/http/errors.ts'
import { date } from '../../../gateway/params/date.ts'
import { capecId, cveId, cveIds, cweId } from '../../../gateway/params/ids.ts'
import { type ParameterType, required, type Schema, withDefault } from '../../../gateway/params/parameter.ts'
import {
  boolean,
  csvOf,
  cursor,
  integer,
  number,
  oneOf,
  openText,
  sort,
  text,
} from '../../../gateway/params/parameter-types.ts'
import { parseParams } from '../../../gateway/params/parse.ts'

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

names('a missing parameter has its default, or is undefined', () => {
  const sort = { key: 'published', descending: true }
  assert.equal(query(LIST, ''), { q: undefined, severity: undefined, kev: undefined, sort, limit: 25 })
})

names('an unknown one is 400 and the message offers the one that was meant', () => {
  const error = refused(LIST, 'severty=high')
  assert.is(error.status, 400)
  assert.equal(error.body, {
    error: 'invalid_parameter',
    message: "unknown parameter 'severty'; did you mean 'severity'? Allowed: q, severity, kev, sort, limit",
    parameter: 'severty',
  })
})

names('slips of case and swapped letters are recognised, other words are not', () => {
  assert.match(refused(LIST, 'KEV=true').message, "did you mean 'kev'?")
  assert.match(refused(LIST, 'limti=3').message, "did you mean 'limit'?")
  assert.is(refused(LIST, 'page=3').message, "unknown parameter 'page'; allowed: q, severity, kev, sort, limit")
  assert.is(refused({}, 'x=1').message, "unknown parameter 'x'; this endpoint has no parameters")
})

names('names from the prototype of objects are as unknown as others', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.match(refused(LIST, `${name}=1`).message, `unknown parameter '${name}'`)
  }
})

names('one given twice is 400, also under another encoding of its name', () => {
  for (const [name, value] of Object.entries({ q: 'ab', kev: 'true', sort: 'cvss', limit: '5' })) {
    assert.is(
      refused(LIST, `${name}=${value}&${name}=${value}`).message,
      `parameter '${name}' is repeated; give it once`,
    )
  }
  assert.is(refused(LIST, 'kev=true&k%65v=true').parameter, 'kev')
})

names('a csv parameter given several times is the union of its values', () => {
  for (const raw of ['severity=low&severity=high', 'severity=high,low&kev=true&s%65verity=low', 'severity=low,high']) {
    assert.equal(query(LIST, raw).severity, ['high', 'low'], raw)
  }
  assert.match(refused(LIST, 'severity=low&severity=awful').message, "unknown value 'awful'")
  assert.is(refused(LIST, 'severity=low&severity=').message, "parameter 'severity' is empty; give a value or omit it")
  const ids = { ids: cveIds({ max: 3 }) }
  const of = (...numbers: number[]) => numbers.map((n) => `CVE-2024-000${n}`)
  assert.equal(query(ids, `ids=${of(1, 2)}&ids=${of(2, 3)}`).ids, of(1, 2, 3))
  const tooMany = refused(ids, `ids=${of(1, 2)}&ids=${of(3, 4)}`)
  assert.equal([tooMany.parameter, tooMany.message], ['ids', "parameter 'ids' takes at most 3 CVE ids, not 4"])
})

names('an empty one is 400, with or without its equals sign', () => {
  for (const raw of ['severity=', 'severity', 'limit=5&severity=']) {
    assert.is(refused(LIST, raw).message, "parameter 'severity' is empty; give a value or omit it")
  }
})

names('nothing between ampersands is nothing', () => {
  assert.is(query(LIST, '&limit=5&&').limit, 5)
})

names('a required one left out is 400', () => {
  const schema = { q: required(text({ min: 2 })) }
  assert.is(refused(schema, '').message, "parameter 'q' is required")
  assert.is(query(schema, 'q=ab').q, 'ab')
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
    name: 'boolean',
    kind: boolean(),
    takes: [
      ['true', true],
      ['false', false],
      ['TRUE', true],
      ['False', false],
    ],
    refuses: ['T', '1', 'yes', '%20true'],
  },
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
    name: 'CVE id',
    kind: cveId(),
    takes: [
      ['CVE-2024-3400', 'CVE-2024-3400'],
      ['cve-2024-3400', 'CVE-2024-3400'],
      ['CvE-1999-0001', 'CVE-1999-0001'],
      ['CVE-2024-1234567890123456789', 'CVE-2024-1234567890123456789'],
    ],
    refuses: [
      'CVE-2024-123',
      'CVE-24-1234',
      '2024-3400',
      'CVE-2024-12345678901234567890',
      'CVE-2024-3400+',
      'CVE%2D2024-x',
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
  {
    name: 'CWE id',
    kind: cweId(),
    takes: [
      ['79', 'cwe-79'],
      ['CWE-79', 'cwe-79'],
      ['cwe-79', 'cwe-79'],
    ],
    refuses: ['Cwe-79', 'CWE79', 'CWE-', 'CWE-79x', '-79', 'CAPEC-79', '79.0', '079'],
  },
  {
    name: 'CAPEC id',
    kind: capecId(),
    takes: [
      ['66', 'capec-66'],
      ['CAPEC-66', 'capec-66'],
      ['capec-66', 'capec-66'],
    ],
    refuses: ['CWE-66', 'capec_66', '6 6'],
  },
  {
    name: 'csv of a closed set',
    kind: csvOf(['critical', 'high', 'low']),
    takes: [
      ['high', ['high']],
      ['low,critical', ['critical', 'low']],
      ['low,+critical+,low', ['critical', 'low']],
      ['LOW,Critical,low', ['critical', 'low']],
    ],
    refuses: ['Highest', 'high,', ',', 'high,,low', 'high;low', 'hgih', '+'],
  },
  {
    name: 'one of',
    kind: oneOf(['primary', 'any', 'Very High']),
    takes: [
      ['any', 'any'],
      ['ANY', 'any'],
      ['very+high', 'Very High'],
    ],
    refuses: ['any,primary', '+any', 'VeryHigh'],
  },
  {
    name: 'sort',
    kind: sort(['published', 'cvss'], '-published'),
    takes: [
      ['cvss', { key: 'cvss', descending: false }],
      ['-cvss', { key: 'cvss', descending: true }],
      ['-CVSS', { key: 'cvss', descending: true }],
    ],
    refuses: ['--cvss', '-', '%2Bcvss', 'cvss:desc', 'cvss,published'],
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

kinds('only include may be empty, and then means no section', () => {
  const schema = { include: withDefault(csvOf(['cvss', 'epss', 'affected'], { emptyAllowed: true }), ['cvss', 'epss']) }
  assert.equal(query(schema, '').include, ['cvss', 'epss'])
  assert.equal(query(schema, 'include=').include, [])
  assert.equal(query(schema, 'include').include, [])
  assert.equal(query(schema, 'include=&include=epss').include, ['epss'])
  assert.is(refused(schema, 'include=+').code, 'invalid_parameter')
})

kinds('an unknown member is named with the set and the nearest of it', () => {
  assert.is(
    refused(LIST, 'severity=high,critcal').message,
    "unknown value 'critcal' of parameter 'severity'; did you mean 'critical'? Allowed: critical, high, medium, low, none",
  )
  assert.match(refused(LIST, 'sort=-publshed').message, "did you mean '-published'?")
})

kinds('text is measured in code points', () => {
  const bugs = (count: number) => `q=${'%F0%9F%90%9B'.repeat(count)}`
  assert.is(query(LIST, bugs(200)).q, '🐛'.repeat(200))
  assert.is(refused(LIST, bugs(201)).message, "parameter 'q' must have 1 to 200 characters, not 201")
  assert.is(refused({ q: text({ min: 2 }) }, bugs(1)).message, "parameter 'q' must have 2 to 200 characters, not 1")
})

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
