/** OSV's API over HTTP: queries, batches, records, pages, errors. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CompatServer, type CompatServerOptions, packagesOf, withCompat } from '../../support/compat.ts'
import { schemaFaults } from '../../support/osv-schema.ts'
import { sendRaw } from '../../support/server.ts'

const MODIFIED = '2024-05-06T07:08:09Z'

type Entry = { ecosystem: string; name: string; events?: Record<string, string>[]; versions?: string[]; type?: string }

/** A record in the OSV schema. */
const record = (id: string, entries: readonly Entry[], more: object = {}) => ({
  id,
  modified: MODIFIED,
  affected: entries.map(({ ecosystem, name, events, versions, type = 'ECOSYSTEM' }) => ({
    package: { ecosystem, name },
    ...(events ? { ranges: [{ type, events }] } : {}),
    ...(versions ? { versions } : {}),
  })),
  ...more,
})

const before = (fixed: string) => [{ introduced: '0' }, { fixed }]

const RECORDS = [
  record('GHSA-1', [{ ecosystem: 'npm', name: 'left', events: before('1.0.0') }], { summary: 'Größe' }),
  record('GHSA-2', [
    { ecosystem: 'npm', name: 'left', events: [{ introduced: '0.5.0' }, { last_affected: '2.0.0' }] },
    { ecosystem: 'PyPI', name: 'Left', events: before('3.0') },
  ]),
  record('GHSA-3', [{ ecosystem: 'npm', name: 'left', events: before('1.0.0') }], { withdrawn: MODIFIED }),
  record('PYSEC-1', [{ ecosystem: 'PyPI', name: 'a_b', versions: ['1.0', 'odd one'] }]),
  record('MAL-1', [{ ecosystem: 'npm', name: 'evil', events: [{ introduced: '0' }], versions: ['6.6.6'] }]),
  record('DEBIAN-1', [{ ecosystem: 'Debian:12', name: 'curl', events: before('8'), versions: ['7.1-1'] }]),
  record('A-1', [{ ecosystem: 'Android', name: 'kernel', versions: ['13'] }]),
  { ...record('GO-1', [{ ecosystem: 'Go', name: 'stdlib' }]), modified: '0001-01-01T00:00:00Z' },
  record('GHSA-git', [{ ecosystem: 'npm', name: 'right', type: 'GIT', events: before('a'.repeat(40)) }]),
  record('GHSA-action', [{ ecosystem: 'GitHub Actions', name: 'Acme/tool', events: before('3.0.0') }]),
  record('GHSA-event', [{ ecosystem: 'npm', name: 'odd', events: before('not a version'), versions: ['1.0.0'] }]),
]
const PACKAGES = {
  ...packagesOf(RECORDS),
  aliasesOf: (id: string) => (id === 'CVE-1' || id === 'GHSA-1' ? ['CVE-1', 'GHSA-1', 'GHSA-2', 'GO-unknown'] : null),
}

type Json = Record<string, unknown>
interface OsvServer extends CompatServer {
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>
  /** The ids that a query finds, over all pages. */
  ids(query: object): Promise<string[]>
}

async function withServer(use: (server: OsvServer) => Promise<void>, options: CompatServerOptions = {}): Promise<void> {
  const given = { packages: PACKAGES, auth: 'none' as const, interfaces: { compat: ['osv'] }, ...options }
  await withCompat(given, (server) => {
    const post = (path: string, body: unknown, init: RequestInit = {}) =>
      fetch(server.url + path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', ...init.headers },
      })
    const ids = async (query: object): Promise<string[]> => {
      const { vulns = [], next_page_token } = (await (await post('/v1/query', query)).json()) as {
        vulns?: { id: string }[]
        next_page_token?: string
      }
      const rest = next_page_token === undefined ? [] : await ids({ ...query, page_token: next_page_token })
      return [...vulns.map(({ id }) => id), ...rest]
    }
    return use({ ...server, post, ids })
  })
}

/** Returns the body, which is a google.rpc.Status. */
async function status(response: Response, code: number): Promise<Json> {
  const body = (await response.json()) as Json
  assert.is(response.status, code, JSON.stringify(body))
  assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(Object.keys(body), ['code', 'message'])
  return body
}

const npm = (name: string, version?: string) => ({
  package: { ecosystem: 'npm', name },
  ...(version ? { version } : {}),
})

test('a query answers the records that affect the version, byte for byte', async () => {
  await withServer(async ({ post }) => {
    const answer = await post('/v1/query', npm('left', '0.9.0'))
    assert.is(answer.status, 200)
    assert.is(answer.headers.get('content-encoding'), 'gzip')
    assert.is(answer.headers.get('warning'), null)
    assert.is(await answer.text(), `{"vulns":[${JSON.stringify(RECORDS[0])},${JSON.stringify(RECORDS[1])}]}`)
    const plain = await post('/v1/query', npm('left', '1.0.0'), { headers: { 'accept-encoding': 'identity' } })
    assert.is(plain.headers.get('content-encoding'), null)
    assert.is(plain.headers.get('vary'), 'Accept-Encoding')
    assert.is(await plain.text(), `{"vulns":[${JSON.stringify(RECORDS[1])}]}`)
  })
})

test('nothing found is {}', async () => {
  await withServer(async ({ post }) => {
    for (const query of [
      npm('left', '2.0.1'),
      npm('unknown'),
      { package: { purl: 'pkg:unknown/left@0.9.0' } },
      { package: { ecosystem: 'Maven', name: 'left' }, version: '0.9.0' },
    ]) {
      assert.is(await (await post('/v1/query', query)).text(), '{}', JSON.stringify(query))
    }
  })
})

test('the package is found by ecosystem and name, by purl, and by name alone', async () => {
  await withServer(async ({ ids }) => {
    const both = ['GHSA-1', 'GHSA-2']
    assert.equal(await ids(npm('left', '0.9.0')), both)
    assert.equal(await ids(npm('LEFT', '0.9.0')), both, 'names are folded')
    assert.equal(await ids({ package: { purl: 'pkg:npm/left@0.9.0' } }), both)
    assert.equal(await ids({ package: { purl: 'pkg:npm/left' }, version: '0.9.0' }), both)
    assert.equal(await ids({ package: { purl: 'pkg:pypi/left@2.9' } }), ['GHSA-2'])
    assert.equal(await ids({ package: { name: 'left' }, version: '2.5.0' }), ['GHSA-2'], 'PyPI alone')
    assert.equal(await ids({ package: { name: 'left' }, version: '0.9.0' }), both, 'each once')
    assert.equal(await ids({ package: { name: 'left' } }), both)
    assert.equal(await ids({ package: { ecosystem: 'PyPI', name: 'A.B' }, version: '1.0.0' }), ['PYSEC-1'])
    const action = { ecosystem: 'GitHub Actions', name: 'acme/Tool/init' }
    assert.equal(await ids({ package: action, version: 'v2.9.0' }), ['GHSA-action'], 'of its repository')
    assert.equal(await ids({ package: { purl: 'pkg:github/acme/tool@v2.9.0#init' } }), ['GHSA-action'])
  })
})

test('without a version, every record of the package is answered, except withdrawn ones', async () => {
  await withServer(async ({ ids }) => {
    assert.equal(await ids(npm('left')), ['GHSA-1', 'GHSA-2'])
    assert.equal(await ids({ ...npm('left'), version: '' }), ['GHSA-1', 'GHSA-2'])
    assert.equal(await ids(npm('right')), ['GHSA-git'])
    assert.equal(await ids({ package: { ecosystem: 'Debian', name: 'curl' } }), ['DEBIAN-1'])
    assert.equal(await ids({ package: { ecosystem: 'Debian:11', name: 'curl' } }), [])
  })
})

test('malware with a range of everything matches every version, as in OSV', async () => {
  await withServer(async ({ ids }) => {
    assert.equal(await ids(npm('evil', '1.0.0')), ['MAL-1'])
  })
})

test('an undecided advisory is listed only if it enumerates the version, and else counted', async () => {
  await withServer(async ({ post, ids }) => {
    const debian = (version: string, ecosystem = 'Debian') => ({ package: { ecosystem, name: 'curl' }, version })
    const android = (version: string) => ({ package: { ecosystem: 'Android', name: 'kernel' }, version })
    for (const query of [
      debian('7.1-1'),
      debian('7.0', 'Debian:12'),
      android('13'),
      { package: { ecosystem: 'PyPI', name: 'a-b' }, version: 'odd one' },
      npm('odd', '1.0.0'),
    ]) {
      const answer = await post('/v1/query', query)
      assert.is(answer.headers.get('warning'), null, JSON.stringify(query))
      assert.is(((await answer.json()) as { vulns: object[] }).vulns.length, 1, JSON.stringify(query))
    }
    assert.equal(await ids(debian('9', 'Debian:12')), [])
    const unknown = await post('/v1/query', debian('7.0', 'Debian:99'))
    assert.match(unknown.headers.get('warning')!, /packages of ecosystems or releases without data: 1"$/)
    const undecided = [debian('7.0'), android('12'), npm('left', 'latest'), npm('right', '1.0.0'), npm('odd', '1.1.0')]
    for (const query of undecided) {
      const answer = await post('/v1/query', query)
      assert.match(answer.headers.get('warning')!, /^299 - "undecided advisories that are not listed: [12]"$/)
      assert.is(await answer.text(), '{}', JSON.stringify(query))
    }
    const batch = await post('/v1/querybatch', {
      queries: [...undecided, { package: { purl: 'pkg:unknown/x@1' } }, { commit: 'abcd' }, { commit: 'ef' }],
    })
    const counts = ['queries by commit, which are not supported: 2', 'purls of an unknown type: 1']
    assert.is(
      batch.headers.get('warning'),
      `299 - "${[...counts, 'undecided advisories that are not listed: 6'].join('; ')}"`,
    )
  })
})

test('a batch answers id and modified of each query in its order', async () => {
  await withServer(async ({ post }) => {
    const queries = [npm('left', '0.9.0'), npm('unknown', '1'), { commit: 'ab12' }, npm('left', '1.5.0'), npm('evil')]
    const answer = await post('/v1/querybatch', { queries })
    assert.is(answer.status, 200)
    const modified = '2024-05-06T07:08:09.000Z'
    assert.equal(await answer.json(), {
      results: [
        {
          vulns: [
            { id: 'GHSA-1', modified },
            { id: 'GHSA-2', modified },
          ],
        },
        {},
        {},
        { vulns: [{ id: 'GHSA-2', modified }] },
        { vulns: [{ id: 'MAL-1', modified }] },
      ],
    })
    for (const empty of [{}, { queries: [] }]) {
      assert.equal(await (await post('/v1/querybatch', empty)).json(), { results: [] })
    }
  })
})

test('a record is found by its id, withdrawn ones too', async () => {
  await withServer(async ({ url }) => {
    for (const one of RECORDS) {
      const answer = await fetch(`${url}/v1/vulns/${one.id}`)
      assert.is(answer.status, 200)
      assert.is(await answer.text(), JSON.stringify(one))
    }
    const head = await fetch(`${url}/v1/vulns/GHSA-3`, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    assert.is(head.headers.get('content-length'), String(JSON.stringify(RECORDS[2]).length))
    assert.is(await head.text(), '')
    const gzip = await sendRaw(
      Number(new URL(url).port),
      'GET /v1/vulns/GHSA-1 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n',
    )
    const bytes = Buffer.from(gzip.slice(gzip.indexOf('\r\n\r\n') + 4), 'latin1')
    assert.is(gunzipSync(bytes).toString(), JSON.stringify(RECORDS[0]))
  })
})

test('an unknown id is a 404 that names the aliases that are records', async () => {
  await withServer(async ({ url }) => {
    const get = (id: string) => fetch(`${url}/v1/vulns/${id}`)
    for (const id of ['GHSA-9', 'ghsa-1', '%zz', '%E2%98%83', 'GO-unknown']) {
      assert.equal(await status(await get(id), 404), { code: 5, message: 'Vulnerability not found' })
    }
    assert.equal(await status(await get('CVE-1'), 404), {
      code: 5,
      message: 'Vulnerability not found, but the following aliases were: GHSA-1 GHSA-2',
    })
    assert.equal(await status(await get('x'.repeat(101)), 400), { code: 3, message: 'ID is too long' })
    assert.is((await status(await get('x'.repeat(100)), 404)).code, 5)
  })
})

/** Queries that osv.dev rejects, with its messages. */
const INVALID: [query: unknown, message: string][] = [
  [{}, 'invalid query'],
  [{ version: '1.0.0' }, 'invalid query'],
  [{ package: {} }, 'invalid query'],
  [{ package: { ecosystem: 'npm' }, version: '1' }, 'invalid query'],
  [{ commit: '' }, 'invalid query'],
  [{ commit: 'xyz' }, 'invalid hash'],
  [{ commit: 'abc' }, 'invalid hash'],
  [{ commit: 'ab', version: '1' }, "'commit' cannot be combined with 'version'"],
  [{ package: { ecosystem: 'Npm', name: 'left' } }, 'invalid ecosystem'],
  [{ package: { ecosystem: ':12', name: 'left' } }, 'invalid ecosystem'],
  [{ package: { purl: 'pkg:npm/left', name: 'left' } }, 'name specified in a PURL query'],
  [{ package: { purl: 'pkg:npm/left', ecosystem: 'npm' } }, 'ecosystem specified in a PURL query'],
  [{ package: { purl: 'pkg:npm/left@1' }, version: '1' }, 'version specified in params and PURL query'],
  [{ ...npm('left'), page_token: 'x' }, 'invalid cursor'],
  [{ ...npm('left'), page_token: 'QUZURVI6' }, 'invalid cursor'],
]

test('invalid queries are a 400 with code 3, in a batch with the index of the first', async () => {
  await withServer(async ({ post }) => {
    for (const [query, message] of INVALID) {
      assert.equal(await status(await post('/v1/query', query), 400), { code: 3, message }, JSON.stringify(query))
      const queries = [npm('left', '0.9.0'), query, {}]
      assert.equal(await status(await post('/v1/querybatch', { queries }), 400), {
        code: 3,
        message: `error in query at index 1: ${message}`,
      })
    }
    const malformed: [unknown, RegExp][] = [
      [{ package: { purl: 'npm/left' } }, /^the purl is invalid: /],
      [{ ...npm('left'), version: 7 }, /^the value of 'version' must be a string/],
      [npm('x'.repeat(1001)), /^the value of 'name' must be a string of up to 1000/],
      [{ package: 'left' }, /^the value of 'package' must be an object/],
      [[], /^a query must be an object/],
      ['null', /^a query must be an object/],
      ['{"package"', /^the body is not valid JSON/],
      ['', /^the body is not valid JSON/],
    ]
    for (const [body, message] of malformed) {
      assert.match(String((await status(await post('/v1/query', body), 400)).message), message)
    }
    assert.match(String((await status(await post('/v1/querybatch', { queries: {} }), 400)).message), /must be a list/)
  })
})

test('absent values can be null or empty, and unknown keys are ignored', async () => {
  await withServer(async ({ ids }) => {
    const query = { commit: null, version: '0.9.0', page_token: '', package: { ...npm('left').package, purl: '' } }
    assert.equal(await ids(query), ['GHSA-1', 'GHSA-2'])
    assert.equal(await ids({ ...query, page_token: null, other: true }), ['GHSA-1', 'GHSA-2'])
  })
})

test('queries by commit are a 501 with code 12', async () => {
  await withServer(async ({ post, log }) => {
    for (const query of [{ commit: 'a'.repeat(40) }, { package: { ecosystem: 'GIT', name: 'x' }, version: 'v1' }]) {
      assert.is((await status(await post('/v1/query', query), 501)).code, 12)
    }
    assert.equal(
      log.filter(({ level }) => level === 'error'),
      [],
    )
  })
})

test('more than 1,000 queries are a 400; a body beyond the bounds is a 413', async () => {
  await withServer(async ({ post }) => {
    const queries = (count: number) => ({ queries: Array.from({ length: count }, () => npm('left', '9')) })
    const { results } = (await (await post('/v1/querybatch', queries(1000))).json()) as { results: object[] }
    assert.is(results.length, 1000)
    assert.equal(await status(await post('/v1/querybatch', queries(1001)), 400), {
      code: 3,
      message: 'too many queries',
    })
    assert.is((await status(await post('/v1/querybatch', `{"queries":[${'0,'.repeat(20_000)}0]}`), 413)).code, 8)
    assert.is((await status(await post('/v1/query', `{"a":[[${'['.repeat(99)}`), 413)).code, 8)
  })
})

test('bodies need no type', async () => {
  await withServer(async ({ port }) => {
    const body = JSON.stringify(npm('left', '0.9.0'))
    const bare = ['POST /v1/query HTTP/1.1', 'Host: x', 'Connection: close', `Content-Length: ${body.length}`, '', body]
    assert.match(await sendRaw(port, bare.join('\r\n')), /^HTTP\/1\.1 200 OK[\s\S]*"vulns":\[/)
  })
})

const numbered = (count: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) =>
    record(
      `GHSA-${String(i).padStart(5, '0')}`,
      [{ ecosystem: 'npm', name: 'many', events: before('1.0.0') }],
      more(i),
    ),
  )

interface Page {
  vulns?: { id: string }[]
  next_page_token?: string
}

const FIRST_PAGE = Buffer.from('FIRST_PAGE_TOKEN').toString('base64')

test('a query has pages of 3,000 records, a batch of 1,000 advisories', async () => {
  const records = numbered(3001)
  const all = records.map(({ id }) => id)
  await withServer(
    async ({ post, ids }) => {
      const first = (await (await post('/v1/query', npm('many', '0.1.0'))).json()) as Page
      assert.is(first.vulns!.length, 3000)
      assert.equal(await ids(npm('many', '0.1.0')), all)
      assert.equal(await ids({ ...npm('many'), page_token: FIRST_PAGE }), all)
      const found: string[] = []
      const tokens: (string | undefined)[] = []
      let query: object = npm('many')
      do {
        const answer = await post('/v1/querybatch', { queries: [npm('unknown'), query] })
        const [none, page] = ((await answer.json()) as { results: Page[] }).results
        assert.equal(none, {})
        found.push(...page!.vulns!.map(({ id }) => id))
        tokens.push(page!.next_page_token)
        query = { ...npm('many'), page_token: page!.next_page_token }
      } while (tokens.at(-1) !== undefined)
      assert.is(tokens.length, 4)
      assert.equal(found, all)
    },
    { packages: packagesOf(records) },
  )
})

test('a page ends after 10 MB, in a batch for all queries together', async () => {
  const details = 'x'.repeat(1_000_000)
  await withServer(
    async ({ post, ids }) => {
      const { vulns } = (await (await post('/v1/query', npm('many', '0.1.0'))).json()) as Page
      assert.is(vulns!.length, 10)
      assert.is((await ids(npm('many', '0.1.0'))).length, 25)
    },
    { packages: packagesOf(numbered(25, () => ({ details }))) },
  )
  await withServer(
    async ({ post }) => {
      const queries = Array.from({ length: 300 }, () => npm('many'))
      queries.push(npm('unknown'))
      const text = await (await post('/v1/querybatch', { queries })).text()
      assert.ok(text.length > 9e6 && text.length < 12e6, String(text.length))
      const { results } = JSON.parse(text) as { results: Page[] }
      assert.is(results.length, 301)
      assert.is(results[0]!.vulns!.length, 1000)
      const rest = results.filter(({ vulns }) => vulns === undefined)
      assert.ok(rest.length > 100)
      assert.equal(
        rest.filter(({ next_page_token }) => next_page_token !== FIRST_PAGE),
        [],
      )
    },
    { packages: packagesOf(numbered(1000)) },
  )
})

test('a batch ends after 200,000 comparisons: later queries have the token of their first page alone', async () => {
  await withServer(
    async ({ post }) => {
      const queries = Array.from({ length: 300 }, () => npm('many', '9.0.0'))
      const { results } = (await (await post('/v1/querybatch', { queries })).json()) as { results: Page[] }
      assert.equal(
        results,
        Array.from(queries, (_, i) => (i < 200 ? {} : { next_page_token: FIRST_PAGE })),
      )
    },
    { packages: packagesOf(numbered(1000)) },
  )
})

test('answers hold no key and no time that the schema lacks; a valid record stays as published', async () => {
  const affected = [
    {
      package: { ecosystem: 'npm', name: 'left', note: 1 },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0', note: 1 }], note: 1, database_specific: { note: 1 } }],
      versions: ['1.0.0'],
      ecosystem_specific: { imports: [{ note: 1 }] },
      database_specific: { note: 1 },
      note: 1,
    },
  ]
  const extended = {
    id: 'GHSA-1',
    modified: '2024-05-06 07:08:09+02:00',
    published: 'yesterday',
    note: { id: 1 },
    affected,
    references: [{ type: 'WEB', url: 'https://example.com', note: 1 }],
    credits: [{ name: 'x', note: 1 }],
    severity: [{ type: 'CVSS_V3', score: 'x', note: 1 }],
    database_specific: { note: 1 },
  }
  const timeless = { id: 'GHSA-2', affected: [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }] }
  const records = [extended, timeless, { ...timeless, id: 'GHSA-3', modified: '1-01-01T00:00:00Z' }]
  await withServer(
    async ({ post, url }) => {
      const { vulns } = (await (await post('/v1/query', npm('left', '1.0.0'))).json()) as { vulns: Json[] }
      assert.equal(
        vulns.map((one) => schemaFaults(one)),
        [[], [], []],
      )
      const [first, second, third] = vulns
      assert.is(first!.modified, '2024-05-06T05:08:09.000Z')
      assert.equal(first!.database_specific, { note: 1 })
      assert.is(second!.modified, '0001-01-01T00:00:00Z')
      assert.is(third!.modified, '0001-01-01T00:00:00Z')
      assert.equal(await (await fetch(`${url}/v1/vulns/GHSA-1`)).json(), first)
      const batch = (await (await post('/v1/querybatch', { queries: [npm('left', '1.0.0')] })).json()) as {
        results: Page[]
      }
      assert.equal(
        batch.results[0]!.vulns!.map((one) => schemaFaults(one)),
        [[], [], []],
      )
    },
    { packages: packagesOf(records) },
  )
})

test('with the interface of npm, paths of OSV come first', async () => {
  await withServer(
    async ({ post, url }) => {
      assert.is((await post('/v1/query', npm('left'))).status, 200)
      assert.is((await fetch(`${url}/v1/query`)).status, 405)
      assert.match(await (await fetch(`${url}/left`)).text(), /--npm-upstream/)
    },
    { interfaces: { compat: ['npm', 'osv'] } },
  )
})

test.run()
