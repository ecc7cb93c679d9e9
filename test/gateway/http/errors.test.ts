/** Error bodies and headers, against the table of gateway/API.md, "Errors". */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import * as answers from '../../../corpus/answers/errors.ts'
import * as errors from '../../../gateway/http/errors.ts'

const TABLE: [answers.ApiError, number, answers.ErrorCode, Record<string, string>][] = [
  [answers.invalidParameter('limit', 'm'), 400, 'invalid_parameter', {}],
  [errors.malformedRequest(), 400, 'invalid_parameter', {}],
  [answers.invalidCursor('m'), 400, 'invalid_cursor', {}],
  [errors.unauthenticated('m', 'missing'), 401, 'unauthenticated', { 'WWW-Authenticate': 'Bearer' }],
  [
    errors.unauthenticated('m', 'expired'),
    401,
    'unauthenticated',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  ],
  [errors.forbidden(), 403, 'forbidden', {}],
  [answers.tierRestricted('CVE-2024-3400'), 403, 'tier_restricted', {}],
  [answers.notFound('m'), 404, 'not_found', {}],
  [errors.methodNotAllowed(), 405, 'method_not_allowed', { Allow: 'GET, HEAD' }],
  [answers.gone('m'), 410, 'gone', {}],
  [errors.uriTooLong(8192), 414, 'uri_too_long', {}],
  [errors.rateLimited('m', 0.2), 429, 'rate_limited', { 'Retry-After': '1' }],
  [errors.headersTooLarge(16_384), 431, 'headers_too_large', {}],
  [answers.asApiError(new Error('secret')), 500, 'internal', {}],
  [answers.unavailable('m', -3), 503, 'unavailable', { 'Retry-After': '1' }],
  [answers.overloaded('m', 2.1), 503, 'overloaded', { 'Retry-After': '3' }],
]

test('each has its status, code and headers', () => {
  for (const [error, status, code, headers] of TABLE) {
    assert.equal([error.status, error.body.error, error.headers], [status, code, headers])
  }
})

test('a body has error and message, and the parameter where one is to blame', () => {
  assert.equal(answers.notFound('m').body, { error: 'not_found', message: 'm' })
  assert.equal(answers.invalidCursor('m').body, { error: 'invalid_cursor', message: 'm', parameter: 'cursor' })
  assert.equal(Object.keys(errors.malformedRequest().body), ['error', 'message'])
})

test('an unexpected error keeps its cause for the log, and the answer does not show it', () => {
  for (const thrown of [new TypeError('secret'), 'secret', null, { status: 200, message: 'secret' }]) {
    const error = answers.asApiError(thrown)
    assert.is(error.cause, thrown)
    assert.not.match(JSON.stringify(error.body), 'secret')
  }
})

test.run()
