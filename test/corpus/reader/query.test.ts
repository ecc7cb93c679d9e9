/** Invalid options are a TypeError that names the option, and an invalid cursor is described. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { queryOf } from '../../../corpus/reader/options.ts'
import { CursorError, type CveListOptions, openReader } from '../../../corpus/reader/reader.ts'
import { askDirectly } from '../../support/ask.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const { dist } = await sharedSample('usual')
const asked = askDirectly(dist)
const { compare } = gatewayAnswers(asked)
const reader = await openReader(dist)

const REFUSED: [options: object, message: RegExp][] = [
  [{ severty: 'high' }, /^unknown parameter 'severty'; did you mean 'severity'\? Allowed: q, text, severity, kev/],
  [{ q: '' }, /'q' is empty/],
  [{ q: 'x'.repeat(201) }, /'q' must have 1 to 200 characters, not 201/],
  [{ severity: 'hgih' }, /unknown value 'hgih' of parameter 'severity'; did you mean 'high'\?/],
  [{ severity: [] }, /'severity' is empty/],
  [{ severity: ['high', 'worst'] }, /unknown value 'worst' of parameter 'severity'/],
  [{ kev: 'perhaps' }, /'kev'/],
  [{ kev: {} }, /option 'kev' must be a text, a number, true or false, a Date or an array, not \{\}/],
  [{ assigner: '' }, /'assigner' is empty/],
  [{ cwe: 'CWE-abc' }, /'cwe' must be of the form 79/],
  [{ cwe: 7.5 }, /'cwe' must be of the form 79/],
  [{ scope: 'any' }, /unknown parameter 'scope'/],
  [{ cna: 'redhat' }, /unknown parameter 'cna'/],
  [{ vendor: '' }, /'vendor' is empty/],
  [{ vendor: 'x'.repeat(2049) }, /'vendor' must have 1 to 2048 characters/],
  [{ product: 'windows' }, /'product' must be of the form <vendor>\/<product>/],
  [{ product: '/windows' }, /'product' must be of the form/],
  [{ package: 'lodash' }, /'package' must be of the form <ecosystem>\/<name>/],
  [{ package: 'Debian:12/openssl' }, /'Debian:12'/],
  [{ package: 7 }, /'package' must be of the form/],
  [{ epss_min: 1.1 }, /'epss_min' must be a number from 0 to 1, not '1.1'/],
  [{ epss_min: Number.NaN }, /'epss_min' must be a number from 0 to 1/],
  [{ published_since: '2024-02-30' }, /'published_since' must be a date/],
  [{ published_until: new Date(Number.NaN) }, /option 'published_until' is an invalid date/],
  [{ updated_since: 1_700_000_000_000 }, /'updated_since' must be a date/],
  [{ ids: ['CVE-2024-1'] }, /'ids' must be a CVE id such as/],
  [{ ids: [] }, /'ids' is empty/],
  [{ sort: '-severity' }, /unknown value '-severity' of parameter 'sort'/],
  [{ limit: 0 }, /'limit' must be a whole number from 1 to 100/],
  [{ limit: 10.5 }, /'limit' must be a whole number/],
  [{ limit: 101 }, /'limit' must be a whole number/],
  [{ cursor: '' }, /'cursor' is empty/],
]

for (const [options, message] of REFUSED) {
  test(`refused: ${JSON.stringify(options)}`, async () => {
    const error = await failed(reader.list(options))
    assert.instance(error, TypeError)
    assert.match(error!.message, message)
  })
}

test('options are parameters of the API', () => {
  const query = queryOf({
    ids: ['cve-2024-2000', 'CVE-2024-1000'],
    kev: false,
    cwe: 79,
    q: 'a&b=c d+%',
    published_since: new Date('2024-05-01T10:00:00Z'),
    sort: undefined,
  })
  assert.equal(
    [...new URLSearchParams(query)],
    [
      ['ids', 'cve-2024-2000,CVE-2024-1000'],
      ['kev', 'false'],
      ['cwe', '79'],
      ['q', 'a&b=c d+%'],
      ['published_since', '2024-05-01T10:00:00.000Z'],
    ],
  )
})

test('options select what parameters of the API select', async () => {
  const { data } = await reader.list({ limit: 100 })
  const [first, second] = [data[3]!, data[60]!]
  const cases: [options: CveListOptions, query: string][] = [
    [{ ids: [second.cve_id.toLowerCase(), first.cve_id, first.cve_id] }, `ids=${second.cve_id},${first.cve_id}`],
    [{ severity: ['low', 'critical', 'low'], sort: 'cvss' }, 'severity=low,critical&sort=cvss'],
    [{ cwe: 'CWE-79', assigner: 'GitHub_M' }, 'cwe=79&assigner=github_m'],
    [
      { published_since: new Date('2020-05-01T10:00:00Z'), published_until: '2025-05-02' },
      'published_since=2020-05-01T10:00:00Z&published_until=2025-05-02',
    ],
    [{ vendor: 'Acme Corp' }, 'vendor=acme_corp'],
    [{ product: 'A%2FB/TCP/IP Stack' }, 'product=A%252FB%2FTCP%2FIP%20Stack'],
    [{ package: 'pypi/Zope.Interface' }, 'package=PyPI/zope-interface'],
    [{ kev: undefined, sort: undefined, limit: undefined, cursor: undefined }, ''],
  ]
  for (const [options, query] of cases)
    assert.equal(await reader.list(options), await compare(reader, `/cves?${query}`))
})

test('an ecosystem that neither the schema nor the snapshot has is refused as it is asked for', async () => {
  const walk = async () => reader.walk({ package: 'nmp/lodash' })
  for (const work of [reader.list({ package: 'nmp/lodash' }), walk()]) {
    const error = await failed(work)
    assert.instance(error, TypeError)
    assert.match(error!.message, /unknown value 'nmp' of parameter 'package'; did you mean 'npm'\?.*AlmaLinux, .*npm/)
  }
  assert.equal((await reader.list({ package: 'Alpaquita/x' })).data, [])
})

test('names are read in any case, as those of the API', async () => {
  const upper = { severity: ['CRITICAL', 'Low'], cwe: 79, sort: '-CVSS' } as object
  assert.equal(await reader.list(upper), await reader.list({ severity: ['critical', 'low'], cwe: 79, sort: '-cvss' }))
  const { data, pagination } = await reader.list({ kev: false, sort: '-CVSS' as '-cvss', limit: 5 })
  assert.equal(await reader.list({ kev: false, sort: '-cvss', limit: 5 }), { data, pagination })
  const id = data[0]!.cve_id
  assert.equal(
    await reader.get(id, { include: ['Affected' as 'affected'] }),
    await reader.get(id, { include: ['affected'] }),
  )
})

test('the limit is 25, the number of ids, or the option', async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `CVE-2024-${1000 + i}`)
  const limitOf = async (options: CveListOptions) => (await reader.list(options)).pagination.limit
  assert.is(await limitOf({}), 25)
  assert.is(await limitOf({ ids: ids(40) }), 40)
  assert.is(await limitOf({ ids: ids(40), limit: 7 }), 7)
  assert.match((await failed(reader.list({ ids: ids(150) })))!.message, /'ids' takes at most 100 CVE ids, not 150/)
})

test('a walk and a record say at once, or as they are asked, what cannot be meant', async () => {
  assert.throws(
    () => reader.walk({ kev: 'yes' as unknown as boolean }),
    (error: Error) => error instanceof TypeError && /'kev'/.test(error.message),
  )
  for (const options of [{ limit: 5 }, { cursor: 'abc' }, { package: 'nmp/lodash' }, null]) {
    assert.throws(
      () => reader.walk(options as object),
      (error: Error) => error instanceof TypeError,
    )
  }
  for (const id of ['CVE-24-1', '', 'CWE-79']) assert.instance(await failed(reader.get(id)), TypeError)
  const include = ['cvs' as 'cvss']
  assert.match(
    (await failed(reader.get('CVE-2024-3400', { include })))!.message,
    /unknown value 'cvs' of parameter 'include'; did you mean 'cvss'\?/,
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
  await Promise.all([reader.close(), asked.close()])
})

test.run()
