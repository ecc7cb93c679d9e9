/** The API's description: sound, complete, and the same as the contract's own list of endpoints and parameters. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { type ErrorCode, STATUS } from '../../../../corpus/answers/errors.ts'
import { openapiDocument } from '../../../../corpus/answers/openapi/document.ts'
import { type Operation, type Parameter, resolve } from '../../../../corpus/answers/openapi/model.ts'
import { described } from '../../../../corpus/answers/openapi/parameters.ts'
import { cveId } from '../../../../corpus/answers/parameters/ids.ts'
import { openText } from '../../../../corpus/answers/parameters/parameter-types.ts'
import { defineRoute, type Route } from '../../../../corpus/answers/route.ts'
import { apiDocument, ROUTES } from '../../../../corpus/answers/routes.ts'

/** Every endpoint of gateway/API.md with its parameters; `!` marks those that must be given. */
const CONTRACT: Record<string, string> = {
  '/cves':
    'q text severity kev has_exploit has_patch has_detection has_workaround state ssvc_exploitation ssvc_automatable ssvc_decision attack_vector privileges_required user_interaction tag assigner cwe vendor product package cvss_min cvss_max epss_min epss_below epss_change_min epss_change_days published_since published_until updated_since kev_since ids sort limit cursor count fields',
  '/cves/{cveId}': 'cveId! include fields',
  '/cves/{cveId}/cvss': 'cveId!',
  '/cves/{cveId}/epss': 'cveId!',
  '/cves/{cveId}/epss/history': 'cveId! since until',
  '/cves/{cveId}/references': 'cveId! tag source',
  '/cves/{cveId}/exploits': 'cveId!',
  '/cves/{cveId}/analysis': 'cveId!',
  '/cves/{cveId}/guidance': 'cveId!',
  '/cves/{cveId}/kev': 'cveId!',
  '/cves/{cveId}/affected': 'cveId! source ecosystem',
  '/cves/{cveId}/evidence': 'cveId! type',
  '/cves/{cveId}/timeline': 'cveId! messages category since',
  '/cves/{cveId}/advisory': 'cveId!',
  '/cves/{cveId}/reports': 'cveId! prompt full',
  '/cves/{cveId}/reports/{reportId}': 'cveId! reportId!',
  '/cwes': 'q abstraction status likelihood sort limit cursor count fields',
  '/cwes/{cweId}': 'cweId! fields',
  '/cwes/{cweId}/cves': 'cweId! scope severity kev sort limit cursor count fields',
  '/capecs': 'q status severity sort limit cursor count fields',
  '/capecs/{capecId}': 'capecId! fields',
  '/vendors': 'q sort limit cursor count fields',
  '/vendors/{vendorSlug}': 'vendorSlug!',
  '/vendors/{vendorSlug}/products/{productSlug}': 'vendorSlug! productSlug!',
  '/vendors/{vendorSlug}/products': 'vendorSlug! q limit cursor count fields',
  '/products': 'q! vendor include limit count fields',
  '/cnas': 'q grade activity_status sort limit cursor count fields',
  '/cnas/stats': '',
  '/cnas/{slug}': 'slug!',
  '/cnas/{slug}/cves': 'slug! severity kev has_exploit cwe sort limit cursor count fields',
  '/exploits': 'source platform published_since published_until include sort limit cursor count fields',
  '/exploits/{source}/{sourceId}': 'source! sourceId!',
  '/kev': 'catalog ransomware vendor added_since added_until due_since due_before sort limit cursor count fields',
  '/rejected': 'replaced rejected_since rejected_until sort limit cursor count fields',
  '/reports/types': 'include_schema',
  '/affected': 'purl ecosystem name version source cpe limit cursor count fields',
  '/packages': 'q ecosystem limit cursor count fields',
  '/packages/{ecosystem}/{name}': 'ecosystem! name!',
  '/advisories':
    'ecosystem severity prefix malware withdrawn published_since published_until modified_since sort limit cursor count fields',
  '/advisories/{advisoryId}': 'advisoryId!',
  '/search': 'q! types limit',
  '/search/suggest': 'q! types limit include',
  '/changes': 'since! until include limit cursor count',
  '/snapshot': '',
  '/snapshots': 'limit cursor count',
  '/stats': '',
  '/openapi.json': '',
}

/** Endpoints that are still to be built. A path that is answered must not stand here. */
const TO_COME: readonly string[] = []

/** Endpoints about several snapshots, or none (API 27.7). */
const WITHOUT_SNAPSHOT = ['/changes', '/snapshots', '/openapi.json']
const takesSnapshot = (path: string) => !WITHOUT_SNAPSHOT.includes(path)

/** Errors that follow from no parameter (rule 9, API 23.2, API 24.19, API 24.20, API 25.8, API 27.5, API 30.10, API 31.3). */
const OWN_ERRORS: Record<string, readonly ErrorCode[]> = {
  '/cwes/{cweId}': ['not_found'],
  '/capecs/{capecId}': ['not_found'],
  '/cnas/{slug}': ['not_found'],
  '/vendors/{vendorSlug}': ['not_found'],
  '/vendors/{vendorSlug}/products/{productSlug}': ['not_found'],
  '/exploits/{source}/{sourceId}': ['not_found'],
  '/packages/{ecosystem}/{name}': ['not_found'],
  '/advisories/{advisoryId}': ['not_found'],
  '/changes': ['gone'],
}

const DOCUMENT = apiDocument()
const OPERATIONS: readonly (readonly [string, Operation])[] = Object.entries(DOCUMENT.paths).map(([path, { get }]) => [
  path,
  get,
])
const parametersOf = ({ parameters }: Operation): Parameter[] =>
  parameters.map((parameter) => resolve(DOCUMENT, 'parameters', parameter)).filter((one) => one.in !== 'header')

/** The codes that an operation names, by status. */
function errorsOf({ responses }: Operation): Record<string, string[]> {
  const errors = Object.entries(responses).flatMap(([status, given]) => {
    const schema = resolve(DOCUMENT, 'responses', given).content?.['application/json'].schema
    if (status === '200' || schema === undefined) return []
    const narrowed = (schema as { allOf: { properties?: { error: { enum: string[] } } }[] }).allOf[1]
    return [[status, narrowed!.properties!.error.enum]]
  })
  return Object.fromEntries(errors)
}

test('the document passes a public validator of OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone({ ...DOCUMENT }))
  assert.ok(valid, JSON.stringify(errors))
  assert.is(validator.version, '3.1')
  const broken = { ...structuredClone({ ...DOCUMENT }), info: { title: 'no version' } }
  assert.not.ok((await new Validator().validate(broken)).valid, 'the validator refuses nothing')
})

test('documented are exactly the registered routes, under the names they have', () => {
  assert.equal(
    OPERATIONS.map(([path, { operationId }]) => [path, operationId]),
    ROUTES.map(({ path, name }) => [path.replace(/:(\w+)/g, '{$1}'), name]),
  )
  const names = ROUTES.map(({ name }) => name)
  assert.is(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z][a-zA-Z]+$/)
})

test('documented are exactly the endpoints of gateway/API.md', () => {
  const documented = OPERATIONS.map(([path]) => path)
  assert.equal([...documented, ...TO_COME].sort(), Object.keys(CONTRACT).sort())
})

for (const [path, operation] of OPERATIONS) {
  test(`${path}: takes exactly the parameters of the contract, required as it says`, () => {
    const found = parametersOf(operation).map(({ name, required }) => (required ? `${name}!` : name))
    const own = CONTRACT[path]?.split(' ').filter(Boolean) ?? []
    assert.equal(found.sort(), [...own, ...(takesSnapshot(path) ? ['snapshot'] : [])].sort())
  })

  test(`${path}: parameters are described and stand where they are read`, () => {
    for (const parameter of parametersOf(operation)) {
      const { name, in: position, required, description, schema } = parameter
      assert.ok(description.length > 10, name)
      assert.is(position, path.includes(`{${name}}`) ? 'path' : 'query')
      if (required) assert.is(schema.default, undefined, `${name} is required and has a default`)
      if (schema.type !== 'array') continue
      // A purl can contain commas.
      if (name === 'purl') {
        assert.equal([parameter.style, parameter.explode], ['form', true])
        continue
      }
      assert.equal([parameter.style, parameter.explode], ['form', false])
      assert.match(description, /commas, or repeat the parameter$/)
    }
  })

  test(`${path}: names every error that the order of judgement leaves it, and no other`, () => {
    const perCve = path.includes('{cveId}')
    const takes = (name: string) => parametersOf(operation).some((parameter) => parameter.name === name)
    const own = OWN_ERRORS[path] ?? []
    assert.equal(errorsOf(operation), {
      400: ['invalid_parameter', ...(takes('cursor') ? ['invalid_cursor'] : [])],
      401: ['unauthenticated'],
      403: ['forbidden', ...(perCve || path === '/advisories/{advisoryId}' ? ['tier_restricted'] : [])],
      ...(perCve || own.includes('not_found') || takesSnapshot(path) ? { 404: ['not_found'] } : {}),
      ...(own.includes('gone') || takesSnapshot(path) ? { 410: ['gone'] } : {}),
      429: ['rate_limited'],
      500: ['internal'],
      503: ['unavailable', ...(takes('q') || takes('cpe') || takesSnapshot(path) ? ['overloaded'] : [])],
    })
    for (const [status, codes] of Object.entries(errorsOf(operation)))
      for (const code of codes) assert.is(STATUS[code as ErrorCode], Number(status))
  })

  test(`${path}: a 200 is a component, with the headers of rules 16 and 17; 304 has no body`, () => {
    const [ok, same] = [200, 304].map((status) => resolve(DOCUMENT, 'responses', operation.responses[status]!))
    assert.match(JSON.stringify(ok!.content!['application/json'].schema), /^{"\$ref":"#\/components\/schemas\/\w+"}$/)
    assert.is(same!.content, undefined)
    const headers = 'ETag Cache-Control Vary Snapshot-Id Served-From X-Request-Id RateLimit-Policy RateLimit'.split(' ')
    const past = takesSnapshot(path) ? ['Memento-Datetime', 'Link'] : []
    for (const { headers: found } of [ok!, same!]) assert.equal(Object.keys(found), [...headers, ...past])
  })
}

test('every error belongs to an endpoint or is described in the introduction', () => {
  const ofEndpoints = new Set(OPERATIONS.flatMap(([, operation]) => Object.values(errorsOf(operation)).flat()))
  const untold = Object.keys(STATUS).filter(
    (code) => !ofEndpoints.has(code) && !DOCUMENT.info.description.includes(`${STATUS[code as ErrorCode]} \`${code}\``),
  )
  assert.equal(untold, TO_COME.includes('/changes') ? ['gone'] : [])
})

test('every reference leads somewhere, and every component is referred to', () => {
  const text = JSON.stringify(DOCUMENT)
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/[\w-]+)"/g)].map(([, target]) => target))
  const { securitySchemes, ...components } = DOCUMENT.components
  const present = Object.entries(components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `${kind}/${name}`),
  )
  assert.equal([...used].sort(), present.sort())
  assert.equal(DOCUMENT.security.flatMap(Object.keys), Object.keys(securitySchemes))
})

test('every schema with a name, and every field in it, says what it means', () => {
  const silent: string[] = []
  const look = (schema: unknown, position: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties = {}, items, anyOf = [] } = schema as Record<string, object> & { anyOf?: object[] }
    for (const [name, field] of Object.entries(properties)) {
      if (!('description' in field) && !('$ref' in field)) silent.push(`${position}.${name}`)
      look(field, `${position}.${name}`)
    }
    look(items, `${position}[]`)
    for (const choice of anyOf) look(choice, position)
  }
  for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
    if (typeof schema.description !== 'string') silent.push(name)
    look(schema, name)
  }
  assert.equal(silent, [])
})

test('a 401 declares the quota policy; formats are those that programs know', () => {
  const { headers } = DOCUMENT.components.responses.Unauthenticated!
  assert.ok('RateLimit-Policy' in headers && !('RateLimit' in headers))
  const formats = [...JSON.stringify(DOCUMENT).matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format)
  assert.equal([...new Set(formats)].sort(), ['date', 'date-time', 'uuid'])
})

test('a flag and a filter that are false say that no source states a patch', () => {
  const { properties } = DOCUMENT.components.schemas.CveSummary as { properties: Record<string, Parameter> }
  const filter = parametersOf(DOCUMENT.paths['/cves']!.get).find(({ name }) => name === 'has_patch')
  for (const one of [properties.has_patch, filter]) assert.match(one!.description, /`false`.* no source states/)
})

test('the parameter fields has every property of the answer, or of a row of its page', () => {
  interface Shape {
    $ref?: string
    properties?: Record<string, Shape>
    items?: Shape
    anyOf?: Shape[]
  }
  const whole = (shape: Shape): Shape => {
    const { $ref, anyOf } = shape
    if ($ref) return whole(resolve(DOCUMENT, 'schemas', { $ref }) as Shape)
    return anyOf ? whole(anyOf[0]!) : shape
  }
  let checked = 0
  for (const [path, operation] of OPERATIONS) {
    const fields = parametersOf(operation).find(({ name }) => name === 'fields')
    if (!fields) continue
    const ok = resolve(DOCUMENT, 'responses', operation.responses[200]!)
    const answer = whole(ok.content!['application/json'].schema as Shape)
    const { data } = answer.properties!
    // `include` chooses the sections of a record.
    const record = path === '/cves/{cveId}' ? (DOCUMENT.components.schemas.CveSummary as Shape) : answer
    const row = data ? whole(whole(data).items!) : record
    const { items } = fields.schema as { items: { enum: string[] } }
    const onlyByName = path === '/cves' ? ['epss_change'] : []
    assert.equal(items.enum, [...Object.keys(row.properties!), ...onlyByName], path)
    checked++
  }
  assert.is(checked, Object.values(CONTRACT).filter((names) => names.split(' ').includes('fields')).length)
})

test('the introduction says how a csv parameter is repeated, and that case does not matter', () => {
  for (const said of ['`include=cvss&include=affected`', 'in any case']) {
    assert.ok(DOCUMENT.info.description.includes(said), said)
  }
})

test('the same table gives the same document, byte for byte', () => {
  assert.is(JSON.stringify(openapiDocument(ROUTES)), JSON.stringify(DOCUMENT))
})

test('what a route leaves unsaid stops the gateway from starting', () => {
  const route = (path: string, query: Record<string, ReturnType<typeof openText>>, answer = z.object({})) =>
    defineRoute({
      name: 'made',
      path,
      summary: 'Made up',
      description: 'A route of the test',
      params: { path: {}, query },
      answer,
      handle: (_context: null) => {
        throw new Error('never asked')
      },
    })
  const refuses = (pattern: RegExp, ...routes: Route<null>[]) => assert.throws(() => openapiDocument(routes), pattern)
  refuses(/no tag for \/nowhere/, route('/nowhere', {}))
  refuses(/the parameter 'colour' has no description/, route('/cves', { colour: openText() }))
  const named = (field: z.ZodType) => z.object({ field }).meta({ id: 'Twice' })
  refuses(/two schemas are called Twice/, route('/cves', {}, named(z.string())), route('/cwes', {}, named(z.int())))
})

test('a route may say more of a parameter than its name does', () => {
  const made = defineRoute({
    name: 'made',
    path: '/cves/:cveId',
    summary: 'Made up',
    description: 'A route of the test',
    example: '/cves/CVE-2024-3400?tag=exploit',
    params: { path: { cveId: cveId() }, query: { tag: described('The tag of the day', openText()) } },
    answer: z.object({}),
    handle: (_context: null) => {
      throw new Error('never asked')
    },
  })
  const [id, tag] = openapiDocument([made]).paths['/cves/{cveId}']!.get.parameters as Parameter[]
  assert.equal([id!.example, tag!.example], ['CVE-2024-3400', 'exploit'])
  assert.equal([tag!.description, tag!.schema], ['The tag of the day', { type: 'string', minLength: 1 }])
})

test.run()
