/** The route of a path, as a router of Node finds it: by segments, in any case, with one slash at the end. */
import fc from 'fast-check'
import polka from 'polka'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { routeMatcher } from '../../../corpus/answers/match.ts'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { property } from '../model/properties/property.ts'

/** Returns the path of the found route, and the values of its parameters. */
function finder(routes: readonly { path: string; takesRest?: boolean }[]) {
  const match = routeMatcher(routes)
  return (path: string) => {
    const found = match(path)
    return found && [found.route.path, found.values]
  }
}

const found = finder(ROUTES)
/** The same table in polka, which has no routes that take the rest of a path. */
const router = polka()
const named = new Map<unknown, string>()
for (const { path } of ROUTES) {
  const handler = () => {}
  named.set(handler, path)
  // polka takes a path for a pattern, where a dot is any character.
  if (!path.includes('.')) router.get(path, handler)
}
function inRouter(path: string) {
  const { params, handlers } = router.find('GET', path)
  const first = named.get(handlers[0])
  if (first === undefined) return null
  // polka returns the values of all routes that fit.
  const names = first.split('/').flatMap((part) => (part.startsWith(':') ? part.slice(1) : []))
  return [first, Object.fromEntries(names.map((name) => [name, params[name]]))]
}

const rests = ROUTES.filter(({ takesRest }) => takesRest).map(({ path }) => path)
const VALUES = ['CVE-2024-3400', 'a', '%2F', 'a%2Fb', '%zz', 'Stats', '..', '~', 'ä', '']

test('every route is found by its path, in any case, with one slash at the end or none, as polka finds it', () => {
  assert.ok(ROUTES.length > 40 && rests.length > 0)
  for (const { path } of ROUTES) {
    for (const value of VALUES) {
      const plain = path.replace(/:\w+/g, value)
      for (const one of [plain, plain.toUpperCase(), `${plain}/`, `${plain}//`, `/${plain}`, plain.slice(1)]) {
        if (path.includes('.')) continue
        const [given, expected] = [found(one), inRouter(one)]
        // polka does not need the first slash, which every target of a request has.
        if (one.startsWith('/') && !rests.includes(String(given?.[0]))) assert.equal(given, expected, one)
      }
      if (value !== '' && value !== 'Stats') assert.is(found(plain)?.[0], path)
    }
  }
})

const segment = fc.constantFrom(...new Set(ROUTES.flatMap(({ path }) => path.split('/').slice(1))), ...VALUES)

property(
  'any segments have the route that polka finds, or one that takes the rest of the path',
  [fc.array(segment, { maxLength: 6 })],
  (segments) => {
    const path = `/${segments.join('/').replaceAll(':', '')}`
    const [given, expected] = [found(path), inRouter(path)]
    if (path.includes('openapi')) return
    if (expected || !given) assert.equal(given, expected, path)
    else assert.ok(rests.includes(String(given[0])), path)
  },
)

test('a dot is a dot', () => {
  assert.equal(found('/OpenAPI.json/'), ['/openapi.json', {}])
  for (const path of ['/openapi-json', '/openapiXjson', '/openapi']) assert.is(found(path), null, path)
})

test('a path without a slash, and one that is a slash alone, have no route', () => {
  for (const path of ['', '/', '//', 'cves', 'x/cves', '//cves', '/cves//CVE-2024-3400']) {
    assert.is(found(path), null, path)
  }
})

test('the first route that fits is found', () => {
  assert.is(found('/cnas/stats')?.[0], '/cnas/stats')
  assert.is(found('/cnas/STATS/')?.[0], '/cnas/stats')
  assert.equal(found('/cnas/%73tats'), ['/cnas/:slug', { slug: '%73tats' }])
})

test('a last parameter takes the rest of the path, undecoded', () => {
  const one = '/packages/:ecosystem/:name'
  const cases: [path: string, ecosystem: string, name: string][] = [
    ['/packages/npm/lodash', 'npm', 'lodash'],
    ['/packages/npm/lodash/', 'npm', 'lodash'],
    ['/packages/npm/@scope/name', 'npm', '@scope/name'],
    ['/packages/npm/@scope/name/', 'npm', '@scope/name'],
    ['/packages/npm/%40scope%2Fname', 'npm', '%40scope%2Fname'],
    ['/PACKAGES/Go/example.com/a/b/v2', 'Go', 'example.com/a/b/v2'],
    ['/packages/Go/a//b', 'Go', 'a//b'],
    ['/packages/Go/a//', 'Go', 'a/'],
    [`/packages/Go/${'a/'.repeat(4000)}b`, 'Go', `${'a/'.repeat(4000)}b`],
  ]
  for (const [path, ecosystem, name] of cases) assert.equal(found(path), [one, { ecosystem, name }], path.slice(0, 60))
  for (const path of ['/packages/npm', '/packages//a/b', '/packages/npm//a/b', '/packages/npm//']) {
    assert.is(found(path), null, path)
  }
})

test('a route with the exact number of segments comes before one that takes the rest', () => {
  const find = finder([
    { path: '/packages/:ecosystem/:name', takesRest: true },
    { path: '/packages/:ecosystem/:name/one/two/three' },
  ])
  assert.is(find('/packages/npm/a/one/two/three')?.[0], '/packages/:ecosystem/:name/one/two/three')
  assert.is(find('/packages/npm/a/one/two/four')?.[0], '/packages/:ecosystem/:name')
})

test.run()
