/** Ignore files and VEX documents: what they state, and the errors of files that cannot be read. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readIgnoreFile, readVex } from '../../../../corpus/inventory/decisions/read.ts'

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 1))

const ignored = (value: unknown) => readIgnoreFile('dir/vulnshelf.ignore.json', bytes(value)).statements
const vex = (value: unknown) => readVex('vex.json', bytes(value))

/** What a test compares of statements. */
const facts = (value: unknown) =>
  vex(value).statements.map(({ status, ids, packages, notCompared, justification, reason, statedAt }) => ({
    ...{ status, ids, packages: packages!.map(({ ecosystem, name, version }) => `${ecosystem}/${name}@${version}`) },
    ...{ notCompared, justification, reason, statedAt },
  }))

test('an ignore file states ids, packages, reasons and days', () => {
  const text = `{
    "ignore": [
      { "id": "CVE-2024-1", "reason": "not used" },
      { "id": "GHSA-1", "package": "NPM/@a/b", "reason": "r", "until": "2027-01-31" },
      { "id": "X-1", "package": "pkg:pypi/Django@1.0", "reason": "r" }
    ] }`
  assert.equal(
    ignored(text).map(({ ids, packages, reason, until, line, status }) => ({
      ids,
      packages,
      reason,
      until,
      line,
      status,
    })),
    [
      { ids: ['CVE-2024-1'], packages: null, reason: 'not used', until: null, line: 3, status: 'ignored' },
      {
        ids: ['GHSA-1'],
        packages: [{ ecosystem: 'npm', name: '@a/b', version: null, purl: null }],
        ...{ reason: 'r', until: '2027-01-31', line: 4, status: 'ignored' },
      },
      {
        ids: ['X-1'],
        packages: [{ ecosystem: 'PyPI', name: 'Django', version: '1.0', purl: 'pkg:pypi/Django@1.0' }],
        ...{ reason: 'r', until: null, line: 5, status: 'ignored' },
      },
    ],
  )
})

const entry = (more: object) => ({
  ignore: [
    { id: 'CVE-1', reason: 'r' },
    { id: 'CVE-2', reason: 'r', ...more },
  ],
})

for (const [what, value, message] of [
  ['no JSON', '{\n"ignore": [}', /^dir\/vulnshelf\.ignore\.json:2: it is not JSON/],
  ['no list', { ignore: {} }, "dir/vulnshelf.ignore.json:1: 'ignore' is not a list. Correct the file"],
  [
    'no entry',
    { ignore: ['CVE-1'] },
    "dir/vulnshelf.ignore.json:2: an entry of 'ignore' is not a JSON object. Correct the file",
  ],
  [
    'another key',
    { ignore: [], ignored: [] },
    /:1: the file has the unknown key 'ignored'; known keys are \$schema, ignore\./,
  ],
  [
    'a misspelled key',
    entry({ untill: '2027-01-01' }),
    /:7: entry 2 of 'ignore' has the unknown key 'untill'; known keys are id, package, reason, until\./,
  ],
  ['no id', entry({ id: ' ' }), /:7: entry 2 of 'ignore' names no vulnerability: set "id"/],
  ['an id of another type', entry({ id: 7 }), /:7: 'id' is not a text/],
  ['no reason', entry({ reason: '' }), /:7: entry 2 of 'ignore' \(CVE-2\) has no reason: set "reason"/],
  [
    'no day',
    entry({ until: 'tomorrow' }),
    /:7: entry 2 of 'ignore' \(CVE-2\): "until" must be a day, such as "2027-01-31"/,
  ],
  ['an impossible day', entry({ until: '2027-02-30' }), /"until" must be a day/],
  [
    'no package',
    entry({ package: 'lodash' }),
    /:7: entry 2 of 'ignore' \(CVE-2\): "package" must be <ecosystem>\/<name>/,
  ],
  ['an unknown ecosystem', entry({ package: 'nmp/lodash' }), /of a known ecosystem/],
  ['an unknown purl', entry({ package: 'pkg:docker/x' }), /of a known ecosystem/],
] as const) {
  test(`an ignore file with ${what} is an error with line and remedy`, () => {
    const message_ = (() => {
      try {
        return String(ignored(value))
      } catch (error) {
        return (error as Error).message
      }
    })()
    if (typeof message === 'string') assert.is(message_, message)
    else assert.match(message_, message)
  })
}

const openVex = (statements: unknown[], more: object = {}) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  ...{ '@id': 'https://example.com/vex', author: 'A', timestamp: '2026-01-02T03:04:05.123456789-06:00', version: 1 },
  statements,
  ...more,
})

test('OpenVEX: products, subcomponents, identifiers, inherited times', () => {
  const document = openVex([
    {
      vulnerability: { name: 'CVE-1', aliases: ['GHSA-1'] },
      products: [
        {
          '@id': 'pkg:oci/app@sha256:1',
          subcomponents: [{ '@id': 'pkg:npm/a@1.0' }, { '@id': 'https://x', identifiers: { purl: 'pkg:npm/b' } }],
        },
      ],
      ...{ status: 'not_affected', justification: 'component_not_present' },
    },
    {
      vulnerability: { name: 'CVE-2' },
      products: [{ '@id': 'pkg:npm/%40s/c' }, { identifiers: { cpe23: 'cpe:2.3:a:x:y' } }, { '@id': 'pkg:oci/app' }],
      ...{ status: 'affected', action_statement: 'update', timestamp: '2026-02-01T00:00:00Z' },
    },
    { vulnerability: { name: 'CVE-3' }, status: 'under_investigation', last_updated: '2026-03-01T00:00:00Z' },
    { vulnerability: 'CVE-4', products: ['pkg:npm/d'], status: 'fixed' },
  ])
  const issued = '2026-01-02T09:04:05.123Z'
  assert.is(vex(document).format, 'OpenVEX')
  assert.equal(facts(document), [
    {
      ...{ status: 'not_affected', ids: ['CVE-1', 'GHSA-1'], packages: ['npm/a@1.0', 'npm/b@null'], notCompared: [] },
      ...{ justification: 'component_not_present', reason: null, statedAt: issued },
    },
    {
      ...{ status: 'affected', ids: ['CVE-2'], packages: ['npm/@s/c@null'] },
      notCompared: ['a product has no purl', 'pkg:oci/app names no package of a known ecosystem'],
      ...{ justification: null, reason: 'update', statedAt: '2026-02-01T00:00:00.000Z' },
    },
    {
      ...{ status: 'under_investigation', ids: ['CVE-3'], packages: [], notCompared: [] },
      ...{ justification: null, reason: null, statedAt: '2026-03-01T00:00:00.000Z' },
    },
    {
      ...{ status: 'fixed', ids: ['CVE-4'], packages: ['npm/d@null'], notCompared: [] },
      ...{ justification: null, reason: null, statedAt: issued },
    },
  ])
})

test('CycloneDX: states, references, components of the document and of others, versions', () => {
  const document = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { timestamp: '2026-01-01T00:00:00Z' } },
    components: [
      {
        type: 'library',
        'bom-ref': 'one',
        name: 'a',
        purl: 'pkg:npm/a@1.0',
        components: [{ 'bom-ref': 'in', name: 'b', version: '2.0', purl: 'pkg:npm/b' }],
      },
      { 'bom-ref': 'none', name: 'c' },
    ],
    vulnerabilities: [
      {
        ...{
          id: 'CVE-1',
          references: [{ id: 'GHSA-1', source: {} }],
          affects: [{ ref: 'one' }, { ref: 'in' }, { ref: 'none' }],
        },
        analysis: {
          state: 'false_positive',
          justification: 'code_not_reachable',
          detail: 'why',
          lastUpdated: '2026-02-01T00:00:00Z',
        },
      },
      { id: 'CVE-2', affects: [{ ref: 'one' }] },
      {
        ...{ id: 'CVE-3', analysis: { state: 'exploitable' } },
        affects: [
          { ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#pkg:npm/%40s/d@1.0?x=y' },
          { ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#pkg%3Anpm%2Fe%401' },
          {
            ref: 'one',
            versions: [
              { version: '1.0', status: 'affected' },
              { version: '1.1', status: 'unaffected' },
              { range: 'vers:npm/>=2.0', status: 'affected' },
            ],
          },
        ],
      },
    ],
  }
  assert.is(vex(document).format, 'CycloneDX VEX')
  const at = '2026-01-01T00:00:00.000Z'
  assert.equal(facts(document), [
    {
      ...{
        status: 'not_affected',
        ids: ['CVE-1', 'GHSA-1'],
        packages: ['npm/a@1.0', 'npm/b@2.0'],
        notCompared: ['none has no purl'],
      },
      ...{ justification: 'code_not_reachable', reason: 'why', statedAt: '2026-02-01T00:00:00.000Z' },
    },
    {
      ...{ status: 'affected', ids: ['CVE-3'], packages: ['npm/@s/d@1.0', 'npm/e@1', 'npm/a@1.0'] },
      ...{ notCompared: ['one has a range of versions'], justification: null, reason: null, statedAt: at },
    },
    {
      ...{ status: 'not_affected', ids: ['CVE-3'], packages: ['npm/a@1.1'], notCompared: [] },
      ...{ justification: null, reason: null, statedAt: at },
    },
  ])
})

const csaf = (product_status: object, more: object = {}) => ({
  document: { category: 'csaf_vex', csaf_version: '2.0', tracking: { current_release_date: '2026-01-01T00:00:00Z' } },
  product_tree: {
    branches: [
      {
        category: 'vendor',
        branches: [
          {
            category: 'product_version',
            product: { product_id: 'P1', product_identification_helper: { purl: 'pkg:npm/a@1.0' } },
          },
          {
            category: 'product_version',
            product: { product_id: 'P2', product_identification_helper: { purls: ['pkg:npm/b', 'pkg:npm/c'] } },
          },
        ],
      },
    ],
    full_product_names: [{ product_id: 'P3', name: 'Product' }],
    product_groups: [{ group_id: 'G1', product_ids: ['P1', 'P4'] }],
    relationships: [
      {
        category: 'default_component_of',
        product_reference: 'P1',
        relates_to_product_reference: 'P3',
        full_product_name: { product_id: 'P4', name: 'a of Product' },
      },
    ],
  },
  vulnerabilities: [{ cve: 'CVE-1', ids: [{ system_name: 'x', text: 'GHSA-1' }], product_status, ...more }],
})

test('CSAF: lists of products, their purls by branch, name and relationship, flags, threats and remediations', () => {
  const document = csaf(
    { known_not_affected: ['P4', 'P3'], fixed: ['P2'], known_affected: ['P1'], recommended: ['P2'] },
    {
      flags: [{ label: 'vulnerable_code_not_present', group_ids: ['G1'] }],
      threats: [{ category: 'impact', details: 'removed', product_ids: ['P4', 'P3'] }],
      remediations: [{ category: 'vendor_fix', details: 'update', product_ids: ['P1'] }],
    },
  )
  assert.is(vex(document).format, 'CSAF VEX')
  const stated = { ids: ['CVE-1', 'GHSA-1'], statedAt: '2026-01-01T00:00:00.000Z' }
  assert.equal(
    facts(document).map(({ ids, statedAt, ...one }) => {
      assert.equal({ ids, statedAt }, stated)
      return one
    }),
    [
      {
        status: 'not_affected',
        packages: ['npm/a@1.0'],
        notCompared: [],
        justification: 'vulnerable_code_not_present',
        reason: 'removed',
      },
      {
        status: 'not_affected',
        packages: [],
        notCompared: ['the product P3 has no purl'],
        justification: null,
        reason: 'removed',
      },
      { status: 'fixed', packages: ['npm/b@null', 'npm/c@null'], notCompared: [], justification: null, reason: null },
      { status: 'affected', packages: ['npm/a@1.0'], notCompared: [], justification: null, reason: 'update' },
    ],
  )
})

for (const [what, value, message] of [
  [
    'no known format',
    { a: 1 },
    /^vex\.json is no VEX document in a known format\. Known formats: OpenVEX, CycloneDX VEX, CSAF VEX$/,
  ],
  ['no JSON', '[', /^vex\.json:1: it is not JSON/],
  [
    'another status',
    openVex([{ vulnerability: { name: 'C' }, status: 'ok' }]),
    /^vex\.json:8: 'status' is none of not_affected, affected/,
  ],
  ['no statements', openVex([], { statements: null }), /^vex\.json:1: 'statements' is not a list/],
  ['no vulnerability', openVex([{ status: 'fixed' }]), /:8: 'vulnerability' is not a JSON object/],
  [
    'no time',
    openVex([{ vulnerability: 'C', status: 'fixed', timestamp: 'now' }]),
    /:8: 'timestamp' is not a time in ISO 8601/,
  ],
  [
    'products of another type',
    openVex([{ vulnerability: 'C', status: 'fixed', products: 'pkg:npm/a' }]),
    /:8: 'products' is not a list/,
  ],
  [
    'another state',
    { bomFormat: 'CycloneDX', vulnerabilities: [{ id: 'C', analysis: { state: 'constructor' } }] },
    /:4: 'analysis\.state' is none of/,
  ],
  [
    'no id',
    { bomFormat: 'CycloneDX', vulnerabilities: [{ analysis: { state: 'resolved' } }] },
    /:4: an entry of 'vulnerabilities' has no 'id'/,
  ],
  ['no vulnerabilities', { bomFormat: 'CycloneDX', components: [] }, /:1: 'vulnerabilities' is not a list/],
  [
    'neither id',
    csaf({}, { cve: undefined, ids: undefined }),
    /an entry of 'vulnerabilities' has neither 'cve' nor 'ids'/,
  ],
  ['a list of another type', csaf({ fixed: [1] }), /'fixed' is not a list of texts/],
] as const) {
  test(`a VEX document with ${what} is an error with its line`, () => {
    assert.throws(
      () => vex(value),
      (error: Error) => {
        assert.match(error.message, message)
        return true
      },
    )
  })
}

test('a CSAF document whose products multiply is an error with the bound', () => {
  const ids = (count: number) => Array.from({ length: count }, () => 'P1')
  const groups = { product_groups: [{ group_id: 'G1', product_ids: ids(1000) }] }
  const flags = Array.from({ length: 1000 }, () => ({ label: 'component_not_present', group_ids: ['G1'] }))
  const helper = { purls: Array.from({ length: 2000 }, () => 'pkg:npm/a') }
  const tree = { full_product_names: [{ product_id: 'P1', product_identification_helper: helper }] }
  const document = csaf({ fixed: ids(2000) })
  for (const [value, message] of [
    [{ ...document, product_tree: tree }, /it has more than 500,000 products of vulnerabilities, the limit$/],
    [{ ...csaf({}, { flags }), product_tree: groups }, /it has more than 500,000 products of groups, the limit$/],
  ] as const) {
    assert.throws(
      () => vex(value),
      (error: Error) => {
        assert.match(error.message, message)
        return true
      },
    )
  }
})

test.run()
