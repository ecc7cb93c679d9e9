/** `/docs`: a page that shows all of the document, needs nothing but itself, and may do nothing. */
import { hash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { docsRoute } from '../../../gateway/docs/docs.ts'
import { html, inline, prose } from '../../../gateway/docs/html.ts'
import { boundsOf, fieldsOf, typeOf } from '../../../gateway/docs/schema.ts'
import type { JsonSchema } from '../../../gateway/params/parameter.ts'
import { DOCUMENT } from '../../../gateway/routes/table.ts'
import { serveApp } from '../../support/server.ts'

const server = await serveApp<null>({ routes: [], context: () => null, deps: { openRoutes: [docsRoute(DOCUMENT)] } })
const response = await fetch(`${server.url}/docs`)
const text = await response.text()
const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!)

const page = suite('the page')

page('is served without a token, as HTML', () => {
  assert.equal([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
})

page('shows every endpoint with every parameter, and every schema with every field', () => {
  const ids = new Set(all(/ id="([^"]+)"/g))
  for (const [path, { get }] of Object.entries(DOCUMENT.paths)) {
    assert.ok(ids.has(get.operationId), path)
    const section = text.split(`id="${get.operationId}"`)[1]!.split('</section>')[0]!
    for (const parameter of get.parameters) {
      if ('name' in parameter) assert.ok(section.includes(`<td><code>${parameter.name}</code>`), parameter.name)
    }
    for (const status of Object.keys(get.responses)) assert.ok(section.includes(`>${status}</span>`), status)
  }
  for (const [name, { properties = {} }] of Object.entries(DOCUMENT.components.schemas)) {
    assert.ok(ids.has(`schema-${name}`), name)
    const section = text.split(`id="schema-${name}"`)[1]!.split('</section>')[0]!
    for (const field of Object.keys(properties as object)) assert.ok(section.includes(`<code>${field}</code>`), field)
  }
})

page('every link leads to a place on the page, and no place is named twice', () => {
  const ids = all(/ id="([^"]+)"/g)
  assert.is(new Set(ids).size, ids.length)
  const links = all(/ href="([^"]*)"/g)
  assert.ok(links.length > 50)
  assert.equal(
    links.filter((link) => !ids.includes(link.slice(1)) || !link.startsWith('#')),
    [],
  )
})

page('needs nothing from elsewhere and runs nothing', () => {
  for (const forbidden of [
    /<script/i,
    /<link/i,
    /<img/i,
    /<iframe/i,
    / src=/i,
    / style=/i,
    / on\w+=/i,
    /url\(/i,
    /@import/i,
  ]) {
    assert.not.match(text, forbidden)
  }
})

page('its policy allows its own style and nothing else', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(text)![1]!
  assert.is(
    response.headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  assert.is(response.headers.get('x-content-type-options'), 'nosniff')
  assert.is(response.headers.get('referrer-policy'), 'no-referrer')
  assert.is(response.headers.get('cache-control'), 'no-cache')
})

page('is the same in both codings; HEAD has no body; other methods are refused', async () => {
  const plain = await fetch(`${server.url}/docs`, { headers: { 'accept-encoding': 'identity' } })
  assert.equal([plain.headers.get('content-encoding'), await plain.text()], [null, text])
  assert.is(response.headers.get('content-encoding'), 'gzip')
  assert.is(response.headers.get('vary'), 'Accept-Encoding')
  const head = await fetch(`${server.url}/docs`, { method: 'HEAD' })
  assert.equal([head.status, await head.text()], [200, ''])
  assert.is((await fetch(`${server.url}/docs`, { method: 'POST' })).status, 405)
})

page('says what a missing patch means, and how a csv parameter is sent', () => {
  assert.match(text, 'means only that no source states a patch')
  assert.match(text, 'Separate several values with commas, or repeat the parameter')
})

page('says how to ask: a line to paste, with examples where something must be given', () => {
  assert.match(text, '&quot;$BASE/api/v1/cves?severity=critical&amp;kev=true&amp;sort=-epss&amp;limit=1&quot;')
  assert.match(text, '&quot;$BASE/api/v1/cves/CVE-2025-22302?include=cvss&quot;')
})

page.after(() => server.close())
page.run()

const pieces = suite('its pieces')

pieces('what is filled into a template is escaped, in prose too', () => {
  assert.is(html`<p>${'<b>"&\''}</p>`.html, '<p>&lt;b&gt;&quot;&amp;&#39;</p>')
  assert.is(inline('a `<b>` c').html, 'a <code>&lt;b&gt;</code> c')
  assert.is(prose('one\n\n<two>').html, '<p>one</p>\n<p>&lt;two&gt;</p>')
})

pieces('prose has paragraphs, lists and bold text', () => {
  assert.is(
    prose('**One.** Two:\n\n- `a`\n- b <c>\n\nThree').html,
    '<p><strong>One.</strong> Two:</p>\n<ul>\n<li><code>a</code></li>\n<li>b &lt;c&gt;</li>\n</ul>\n<p>Three</p>',
  )
  assert.is(prose('- a\nb').html, '<p>- a\nb</p>')
})

const TYPES: [JsonSchema, string, string | null][] = [
  [{ type: 'string' }, 'string', null],
  [{ anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] }, 'integer or null', 'at least 0'],
  [{ type: ['string', 'null'] }, 'string or null', null],
  [{ type: 'array', items: { $ref: '#/components/schemas/Kev' } }, 'array of <a href="#schema-Kev">Kev</a>', null],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of number by name', null],
  [{ type: 'string', enum: ['a', 'b'] }, 'string', 'one of <code>a</code>, <code>b</code>'],
  [{ type: 'array', items: { type: 'string', enum: ['a'] } }, 'array of string', 'one of <code>a</code>'],
  [{ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] }, 'string', 'date or date-time'],
  [{ type: 'integer', minimum: 1, maximum: 100, default: 25 }, 'integer', '1 to 100; default <code>25</code>'],
  [{ type: 'string', minLength: 2, maxLength: 200 }, 'string', '2 to 200 characters'],
  [{ type: 'string', minLength: 1 }, 'string', null],
  [{ type: 'string', pattern: '^<$' }, 'string', 'matches <code>^&lt;$</code>'],
  [{ type: 'array', default: ['a', 'b'] }, 'array of anything', 'default <code>a,b</code>'],
  [{}, 'anything', null],
]
for (const [schema, type, bounds] of TYPES) {
  pieces(`${JSON.stringify(schema)} is ${type}${bounds === null ? '' : `, ${bounds}`}`, () => {
    assert.equal([typeOf(schema).html, boundsOf(schema)?.html ?? null], [type, bounds])
  })
}

pieces('fields of unnamed objects are listed under their parent field', () => {
  const inner = { type: 'object', properties: { b: { type: 'string', description: 'The `b`' } }, required: ['b'] }
  const table = fieldsOf({ type: 'object', properties: { a: { type: 'array', items: inner } }, required: ['a'] })!.html
  assert.match(table, '<td><code>a[].b</code></td><td>string</td><td>The <code>b</code></td>')
  assert.not.match(table, 'may be missing')
  const optional = fieldsOf({ type: 'object', properties: { a: { anyOf: [inner, { type: 'null' }] } } })!.html
  assert.match(optional, '<code>a</code> <em>may be missing</em></td><td>object or null</td>')
  assert.match(optional, '<code>a.b</code>')
  assert.is(fieldsOf({ type: 'string' }), null)
})

pieces.run()
