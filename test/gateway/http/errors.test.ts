/** Error bodies and headers, against the table of gateway/API.md, "Errors". */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import * as errors from '../../../gateway/http/errors.ts'

const TABLE: [errors.ApiError, number, errors.ErrorCode, Record<string, string>][] = [
  [errors.invalidParameter('limit', 'm'), 400, 'invalid_parameter', {}],
  [errors.malformedRequest(), 400, 'invalid_parameter', {}],
  [errors.invalidCursor('m'), 400, 'invalid_cursor', {}],
  [errors.unauthenticated('m', 'missing'), 401, 'unauthenticated', { 'WWW-Authenticate': 'Bearer' }],
  [
    errors.unauthenticated('m', 'expired'),
    401,
    'unauthenticated',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  ],
  [errors.forbidden(), 403, 'forbidden', {}],
  [errors.tierRestricted('CVE-2024-3400'), 403, 'tier_restricted', {}],
  [errors.notFound('m'), 404, 'not_found', {}],
  [errors.methodNotAllowed(), 405, 'method_not_allowed', { Allow: 'GET, HEAD' }],
  [errors.gone('m'), 410, 'gone', {}],
  [errors.uriTooLong(8192), 414, 'uri_too_long', {}],
  [errors.rateLimited('m', 0.2), 429, 'rate_limited', { 'Retry-After': '1' }],
  [errors.headersTooLarge(16_384), 431, 'headers_too_large', {}],
  [errors.asApiError(new Error('secret')), 500, 'internal', {}],
  [errors.unavailable('m', -3), 503, 'unavailable', { 'Retry-After': '1' }],
  [errors.overloaded('m', 2.1), 503, 'overloaded', { 'Retry-After': '3' }],
]

test('each has its status, code and headers', () => {
  for (const [error, status, code, headers] of TABLE) {
    assert.equal([error.status, error.body.error, error.headers], [status, code, headers])
  }
})

test('a body has error and message, and the parameter where one is to blame', () => {
  assert.equal(errors.notFound('m').body, { error: 'not_found', message: 'm' })
  assert.equal(errors.invalidCursor('m').body, { error: 'invalid_cursor', message: 'm', parameter: 'cursor' })
  assert.equal(Object.keys(errors.malformedRequest().body), ['error', 'message'])
})

test('an unexpected error keeps its cause for the log, and the answer does not show it', () => {
  for (const thrown of [new TypeError('secret'), 'secret', null, { status: 200, message: 'secret' }]) {
    const error = errors.asApiError(thrown)
    assert.is(error.cause, thrown)
    assert.not.match(JSON.stringify(error.body), 'secret')
  }
})

test.run()
