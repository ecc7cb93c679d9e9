/** Invalid options are a TypeError that names the option, and an invalid cursor is described. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readList, readWalk } from '../../../corpus/reader/query.ts'
import { CursorError, openReader } from '../../../corpus/reader/reader.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('reader-query')
const { dist } = await sharedSample('usual')
const reader = await openReader(dist)

/** Returns the error for invalid options. */
function refused(options: object): Error {
  try {
    readList(options)
  } catch (error) {
    return error as Error
  }
  throw new Error(`${JSON.stringify(options)} was accepted`)
}

const REFUSED: [options: object, message: RegExp][] = [
  [{ severty: 'high' }, /unknown option 'severty'; known options are q, severity, kev/],
  [{ q: '' }, /'q' must be a text of 1 to 200 characters/],
  [{ q: 'x'.repeat(201) }, /'q' must be/],
  [{ severity: 'hgih' }, /'severity' must be one or more of critical, high/],
  [{ severity: [] }, /'severity'/],
  [{ severity: ['high', 'worst'] }, /'severity'/],
  [{ kev: 'true' }, /'kev' must be true or false, not "true"/],
  [{ assigner: '' }, /'assigner' must be a string/],
  [{ cwe: 'CWE-abc' }, /'cwe' must be of the form 79/],
  [{ cwe: 7.5 }, /'cwe'/],
  [{ scope: 'any' }, /'scope' requires option 'cwe'/],
  [{ cwe: 79, scope: 'all' }, /'scope' must be one of primary, any/],
  [{ vendor: '' }, /'vendor' must be the name or key of a vendor, at most 2048 characters/],
  [{ vendor: 'x'.repeat(2049) }, /'vendor'/],
  [{ product: 'windows' }, /'product' must be of the form <vendor>\/<product>/],
  [{ product: '/windows' }, /'product'/],
  [{ package: 'lodash' }, /'package' must be of the form <ecosystem>\/<name>, such as npm\/lodash/],
  [{ package: 'Debian:12/openssl' }, /the ecosystem without a release/],
  [{ package: 7 }, /'package'/],
  [{ epss_min: 1.1 }, /'epss_min' must be a number from 0 to 1, not 1.1/],
  [{ epss_min: Number.NaN }, /'epss_min'/],
  [{ published_since: '2024-02-30' }, /'published_since' must be a date/],
  [{ published_until: new Date(Number.NaN) }, /'published_until'/],
  [{ updated_since: 1_700_000_000_000 }, /'updated_since'/],
  [{ ids: ['CVE-2024-1'] }, /'ids' must be one or more CVE ids/],
  [{ ids: [] }, /'ids'/],
  [{ sort: '-severity' }, /'sort' must be one of published, -published/],
  [{ limit: 0 }, /'limit' must be a whole number from 1 to 100/],
  [{ limit: 10.5 }, /'limit'/],
  [{ limit: 101 }, /'limit'/],
  [{ cursor: '' }, /'cursor'/],
]

for (const [options, message] of REFUSED) {
  test(`refused: ${JSON.stringify(options)}`, () => {
    const error = refused(options)
    assert.instance(error, TypeError)
    assert.match(error.message, message)
  })
}

test('options are read as parameters of the API are', () => {
  const { filters, sort } = readWalk({
    ids: ['cve-2024-2000', 'CVE-2024-1000', 'CVE-2024-2000'],
    severity: ['low', 'critical', 'low'],
    cwe: 'CWE-79',
    assigner: 'GitHub_M',
    published_since: new Date('2024-05-01T10:00:00Z'),
    published_until: '2024-05-02',
    sort: 'cvss',
  })
  assert.equal(sort, { key: 'cvss', descending: false })
  assert.equal(JSON.parse(JSON.stringify(filters)), {
    severity: ['critical', 'low'],
    assigner: 'github_m',
    cwe: { number: 79, scope: 'primary' },
    published_since: Date.parse('2024-05-01T10:00:00Z'),
    published_until: Date.parse('2024-05-02T23:59:59.999Z'),
    ids: ['CVE-2024-1000', 'CVE-2024-2000'],
  })
})

test('vendors, products and packages are read as keys', () => {
  const { filters } = readWalk({ vendor: 'Acme Corp', product: 'A%2FB/TCP/IP Stack', package: 'pypi/Zope.Interface' })
  assert.equal(JSON.parse(JSON.stringify(filters)), {
    vendor: 'acme_corp',
    product: 'a%2Fb/tcp/ip_stack',
    package: 'PyPI/zope-interface',
  })
})

test('an ecosystem that neither the schema nor the snapshot has is refused as it is asked for', async () => {
  for (const work of [reader.list({ package: 'nmp/lodash' }), reader.walk({ package: 'nmp/lodash' }).next()]) {
    const error = await failed(work)
    assert.instance(error, TypeError)
    assert.match(error!.message, /'package' has an unknown ecosystem 'nmp'; known ones are AlmaLinux, .*npm/)
  }
  assert.equal((await reader.list({ package: 'Alpaquita/x' })).data, [])
})

test('names are read in any case, as those of the API', async () => {
  const upper = { severity: ['CRITICAL', 'Low'], cwe: 79, scope: 'ANY', sort: '-CVSS' } as object
  assert.equal(readWalk(upper), readWalk({ severity: ['critical', 'low'], cwe: 79, scope: 'any', sort: '-cvss' }))
  const { data, pagination } = await reader.list({ kev: false, sort: '-CVSS' as '-cvss', limit: 5 })
  assert.equal(await reader.list({ kev: false, sort: '-cvss', limit: 5 }), { data, pagination })
  const id = data[0]!.cve_id
  assert.equal(
    await reader.get(id, { include: ['Affected' as 'affected'] }),
    await reader.get(id, { include: ['affected'] }),
  )
})

test('the limit is 25, or the number of ids, or what is said', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `CVE-2024-${1000 + i}`)
  assert.is(readList({}).limit, 25)
  assert.is(readList({ ids: ids(40) }).limit, 40)
  assert.is(readList({ ids: ids(150) }).limit, 100)
  assert.is(readList({ ids: ids(40), limit: 7 }).limit, 7)
})

test('what is undefined is not given', () => {
  assert.equal(readList({ kev: undefined, sort: undefined, limit: undefined, cursor: undefined }), readList({}))
})

test('a walk and a record say at once, or as they are asked, what cannot be meant', async () => {
  assert.throws(
    () => reader.walk({ kev: 'yes' as unknown as boolean }),
    (error: Error) => error instanceof TypeError && /'kev'/.test(error.message),
  )
  for (const id of ['CVE-24-1', '', 'CWE-79']) assert.instance(await failed(reader.get(id)), TypeError)
  const include = ['cvs' as 'cvss']
  assert.match(
    (await failed(reader.get('CVE-2024-3400', { include })))!.message,
    /'include' has an unknown section 'cvs'; known sections are cvss/,
  )
})

test('a cursor of another sort, of other filters, or of nobody says so', async () => {
  const { pagination } = await reader.list({ kev: false, limit: 5 })
  const cursor = pagination.next_cursor!
  const cases: [options: object, message: RegExp][] = [
    [{ kev: false, sort: 'cvss', cursor }, /sort/],
    [{ kev: true, cursor }, /filters/],
    [{ cursor }, /filters/],
    [{ kev: false, cursor: cursor.slice(0, -1) }, /this cursor is invalid/],
    [{ kev: false, cursor: 'abc' }, /this cursor is invalid/],
  ]
  for (const [options, message] of cases) {
    const error = await failed(reader.list(options))
    assert.instance(error, CursorError)
    assert.match(error!.message, message)
  }
  assert.is((await reader.list({ kev: false, limit: 3, cursor })).data.length, 3)
})

test.after(async () => {
  await reader.close()
  folder.remove()
})

test.run()
