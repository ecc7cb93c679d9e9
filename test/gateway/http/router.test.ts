/** The index of routes: by number of segments, and routes whose last parameter takes the rest of the path. */
import type { Middleware } from 'polka'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { routeIndex } from '../../../gateway/http/router.ts'

const index = routeIndex()
const named = new Map<unknown, string>()
function get(path: string, takesRest?: boolean) {
  const handler: Middleware = () => {}
  named.set(handler, path)
  index.get(path, handler, takesRest)
}
get('/cves')
get('/cves/:cveId')
get('/openapi.json')
get('/packages')
get('/packages/:ecosystem/:name', true)
get('/packages/:ecosystem/:name/one/two/three')

const found = (path: string) => {
  const { params, handlers } = index.find('GET', path)
  return [named.get(handlers[0]) ?? null, { ...params }]
}

test('a route matches its number of segments; a slash at the end does not count', () => {
  assert.equal(found('/cves'), ['/cves', {}])
  assert.equal(found('/cves/CVE-1/'), ['/cves/:cveId', { cveId: 'CVE-1' }])
  assert.equal(found('/cves/CVE-1/more'), [null, {}])
  assert.equal(found('/none'), [null, {}])
})

test('a dot matches only a dot', () => {
  assert.is(found('/openapi.json')[0], '/openapi.json')
  assert.is(found('/openapiXjson')[0], null)
})

test('a last parameter takes the rest of the path, undecoded', () => {
  const one = '/packages/:ecosystem/:name'
  const cases: [path: string, ecosystem: string, name: string][] = [
    ['/packages/npm/lodash', 'npm', 'lodash'],
    ['/packages/npm/lodash/', 'npm', 'lodash'],
    ['/packages/npm/@scope/name', 'npm', '@scope/name'],
    ['/packages/npm/@scope/name/', 'npm', '@scope/name'],
    ['/packages/npm/%40scope%2Fname', 'npm', '%40scope%2Fname'],
    ['/packages/Go/example.com/a/b/v2', 'Go', 'example.com/a/b/v2'],
    ['/packages/Go/a//b', 'Go', 'a//b'],
    [`/packages/Go/${'a/'.repeat(4000)}b`, 'Go', `${'a/'.repeat(4000)}b`],
  ]
  for (const [path, ecosystem, name] of cases) assert.equal(found(path), [one, { ecosystem, name }], path.slice(0, 60))
  for (const path of ['/packages/npm', '/packages//a/b', '/packages/npm//a/b']) assert.is(found(path)[0], null, path)
})

test('a route with the exact number of segments comes first', () => {
  assert.is(found('/packages/npm/a/one/two/three')[0], '/packages/:ecosystem/:name/one/two/three')
  assert.is(found('/packages/npm/a/one/two/four')[0], '/packages/:ecosystem/:name')
})

test.run()
