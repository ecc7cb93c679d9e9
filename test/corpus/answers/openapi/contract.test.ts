/** The check that all tests of answers lean on: it lets good answers through, and only those. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CONTRACT, type Received } from '../../../support/contract.ts'

const METRIC = {
  source_type: 'cna',
  source_short_name: 'acme',
  cvss_version: '3.1',
  base_score: 9.8,
  base_severity: 'CRITICAL',
  vector_string: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  is_primary: true,
  captured_at: '2024-04-12T08:00:00.000Z',
}
const CVSS = { cve_id: 'CVE-2024-3400', metrics: [METRIC], svc_assessment: null }
const PATH = '/api/v1/cves/CVE-2024-3400/cvss'

const received = (body: unknown, other: Partial<Received> = {}): Received => ({
  method: 'GET',
  target: PATH,
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...other,
})
const metric = (other: object) => received({ ...CVSS, metrics: [METRIC, { ...METRIC, ...other }] })
const error = (status: number, code: string, other: object = {}) =>
  received({ error: code, message: 'a message', ...other }, { status })

const good = suite('answers as described')

const GOOD: [string, Received][] = [
  ['a body with all its fields', received(CVSS)],
  ['no rows at all', received({ ...CVSS, metrics: [] })],
  ['an address with a query', received(CVSS, { target: `${PATH}?` })],
  ['an answer without a body: HEAD, 304', received('', { status: 304, contentType: null })],
  ['an error of the endpoint', error(403, 'tier_restricted')],
  ['an error with the parameter to blame', error(400, 'invalid_parameter', { parameter: 'cveId' })],
  ['a wrong method, which no endpoint describes', error(405, 'method_not_allowed')],
  ['an unknown path', { ...error(404, 'not_found'), target: '/api/v1/nothing' }],
  ['an open address', received({ status: 'ok' }, { target: '/healthz' })],
]
for (const [what, answer] of GOOD) good(what, () => CONTRACT.hold(answer))

good.run()

const bad = suite('answers that are not')

const BAD: [string, Received, RegExp][] = [
  ['a field missing', metric({ base_score: undefined }), /expected number.*\n.*metrics\[1\]\.base_score/],
  ['a field too many', metric({ colour: 'red' }), /"colour"\n.*metrics\[1\]/],
  ['a field too many at the top', received({ ...CVSS, count: 1 }), /"count"/],
  ['a wrong type', metric({ is_primary: 'yes' }), /expected boolean.*\n.*metrics\[1\]\.is_primary/],
  ['null where it may not be', metric({ vector_string: null }), /metrics\[1\]\.vector_string/],
  ['a value outside its enumeration', metric({ source_type: 'press' }), /metrics\[1\]\.source_type/],
  ['a number outside its range', metric({ base_score: 10.1 }), /<=10\n.*metrics\[1\]\.base_score/],
  ['a time that is not in UTC', metric({ captured_at: '2024-04-12T08:00:00+02:00' }), /metrics\[1\]\.captured_at/],
  ['a time that never was', metric({ captured_at: '2024-02-30T08:00:00Z' }), /metrics\[1\]\.captured_at/],
  ['an id in lower case', received({ ...CVSS, cve_id: 'cve-2024-3400' }), /pattern.*\n.*cve_id/],
  ['a list instead of an object', received([]), /expected object/],
  ['what is not JSON', received('<html>'), /not JSON: <html>/],
  ['JSON under another type', received(CVSS, { contentType: 'text/plain' }), /as text\/plain/],
  [
    'a status that is not described',
    { ...error(410, 'gone'), target: '/api/v1/snapshots' },
    /not described for listSnapshots/,
  ],
  ['an error without a message', received({ error: 'not_found' }, { status: 404 }), /message/],
  ['an error with a field too many', error(404, 'not_found', { stack: 'at' }), /"stack"/],
  ['an error that nobody knows', error(404, 'lost'), /'lost', which is unknown/],
  ['an error under the status of another', error(404, 'forbidden'), /'forbidden', which is 403/],
  [
    'an error of this status that this endpoint does not have',
    { ...error(403, 'tier_restricted'), target: '/api/v1/snapshot' },
    /forbidden.*\n.*error/,
  ],
  ['an answer where nothing is described', received(CVSS, { target: '/api/v1/nothing' }), /no endpoint is described/],
  ['an answer where nothing is described yet', received(CVSS, { target: `${PATH}/more` }), /no endpoint is described/],
]
for (const [what, answer, pattern] of BAD) {
  bad(what, () => assert.throws(() => CONTRACT.hold(answer), pattern))
}

bad('the failure names the request', () => {
  assert.throws(() => CONTRACT.hold(metric({ base_score: '9.8' })), new RegExp(`^GET ${PATH} was answered 200`))
})

bad.run()
