/** `vulnshelf query`: the rows of the API, from a folder and from a gateway, in each format. */
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gatewayRequests, openApi } from '../../../builder/query/api.ts'
import { type Output, query, queryFromCommand } from '../../../builder/query/command.ts'
import type { Format } from '../../../builder/query/output.ts'
import type { CveSummary } from '../../../corpus/explorer/app/data/answers.ts'
import { linesOf } from '../../../corpus/explorer/app/parts/export.ts'
import { readCurrent } from '../../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { sharedService } from '../../contract/support/service.ts'
import { sampleNights } from '../../support/samples.ts'

const service = await sharedService()
const { dist } = service.made

interface Asked {
  format?: Format
  limit?: number
  fields?: string
  sort?: string
  at?: string
  token?: string
  isTerminal?: boolean
}

/** Returns what the command writes, and how much of it at once. */
async function ask(address: string, target: string, { format = 'ndjson', isTerminal = false, ...asked }: Asked = {}) {
  const parts: string[] = []
  const notes: string[] = []
  const out: Output = {
    isTerminal,
    write: async (text) => void parts.push(text),
    note: (text) => void notes.push(text),
  }
  await queryFromCommand(address, target, { limit: Number.POSITIVE_INFINITY, format, ...asked }, out)
  return { text: parts.join(''), parts, notes }
}

const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function failure(work: Promise<unknown>): Promise<Error & { code?: string }> {
  return work.then(
    () => assert.unreachable('no error'),
    (error) => error,
  )
}

/** The lists that take no value in their path. */
const LISTS = ['/cves', '/cwes', '/capecs', '/vendors', '/cnas', '/exploits', '/kev', '/packages']

test('each list is walked to its end, a page at a time', async () => {
  for (const list of LISTS) {
    const { text, parts } = await ask(dist, list)
    const rows = await service.all(list)
    assert.equal(rowsOf(text), rows, list)
    assert.ok(rows.length > 0 && parts.length === Math.ceil(rows.length / 100), `${list}: ${parts.length} pages`)
  }
})

test('a target without a path is filters of /cves', async () => {
  for (const [target, path] of [
    ['severity=critical&kev=true', '/cves?severity=critical&kev=true'],
    ['?severity=high', '/cves?severity=high'],
    ['/api/v1/kev', '/kev'],
  ] as const) {
    const expected: unknown[] = []
    const [bare, filters = ''] = path.split('?')
    for (let cursor = ''; ; ) {
      const page = await service.json<{ data: unknown[]; pagination: { next_cursor: string | null } }>(
        `${bare}?limit=100&${filters}${cursor}`.replace(/&$/, ''),
      )
      expected.push(...page.data)
      if (page.pagination.next_cursor === null) break
      cursor = `&cursor=${page.pagination.next_cursor}`
    }
    assert.ok(expected.length > 0)
    assert.equal(rowsOf((await ask(dist, target)).text), expected, target)
  }
})

test('--sort, --limit and --fields are those of the API', async () => {
  const asked = { sort: '-epss', limit: 130, fields: 'epss,title' }
  const { text, parts } = await ask(dist, '/cves', asked)
  const first = await service.json<{ data: object[] }>('/cves?sort=-epss&fields=epss,title&limit=100')
  const rows = rowsOf(text)
  assert.is(rows.length, 130)
  assert.is(parts.length, 2)
  assert.equal(rows.slice(0, 100), first.data)
  const csv = (await ask(dist, '/cves', { ...asked, format: 'csv', limit: 1 })).text
  assert.is(csv.split('\r\n')[0], 'cve_id,epss_score,epss_percentile,epss_date,title')
})

const records = (csv: string) => parse(csv, { columns: true }) as Record<string, string>[]

test('CSV of CVEs has the cells of that of the explorer', async () => {
  const { text } = await ask(dist, '/cves', { format: 'csv' })
  const rows = await service.all<CveSummary>('/cves')
  assert.equal(records(text), records(linesOf(rows, 'csv').join('')))
  assert.ok(/(?:^|,)"?'[=+@-]/m.test(text), 'a text of the sample looks like a formula')
})

test('CSV of a list without rows has its columns', async () => {
  const { text } = await ask(dist, 'cvss_min=9&severity=low', { format: 'csv' })
  const rows = await service.all<CveSummary>('/cves')
  assert.equal(text.trimEnd().split(',').sort(), linesOf(rows, 'csv')[0]!.trimEnd().split(',').sort())
  assert.is((await ask(dist, 'cvss_min=9&severity=low')).text, '')
})

test('CSV of other lists has a column for each member of objects, and JSON for objects in lists', async () => {
  const { text } = await ask(dist, '/kev', { format: 'csv' })
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  const stated = await service.all<{ cve_id: string; cve: CveSummary | null }>('/kev')
  assert.equal(
    rows.map((row) => [row.cve_id, row.cve_epss_score]),
    stated.map(({ cve_id, cve }) => [cve_id, String(cve?.epss.score ?? '')]),
  )
})

test('an answer that is no list is one row', async () => {
  const id = rowsOf((await ask(dist, '/cves', { limit: 1 })).text)[0].cve_id
  const record = await service.json(`/cves/${id}`)
  assert.equal(rowsOf((await ask(dist, `/cves/${id}`)).text), [record])
  const table = (await ask(dist, `/cves/${id}`, { format: 'table' })).text
  assert.match(table, new RegExp(`^cve_id +${id}\n`))
  assert.not.match(table, 'guidance_entries', 'sections that were not asked for')
  assert.equal(rowsOf((await ask(dist, '/stats')).text), [await service.json('/stats')])
})

test('a table has some fields of CVEs, cut to one line each', async () => {
  const { text } = await ask(dist, '/cves', { format: 'table' })
  const [head, ...lines] = text.trimEnd().split('\n')
  assert.match(head!, /^cve_id +severity +cvss_score +epss_score +.* +title$/)
  assert.is(lines.length, (await service.all('/cves')).length)
  for (const line of lines) assert.match(line, /^CVE-/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must be absent.
  assert.not.match(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
})

test('control characters reach no terminal, and are unchanged in a CSV file', async () => {
  const row = { cve_id: 'CVE-2024-0001', title: 'a\u001b[31m\u009bb' }
  const api = {
    request: async (target: string) => ({
      status: 200,
      body:
        target === '/openapi.json' ? JSON.stringify({ paths: {}, components: { schemas: {} } }) : JSON.stringify(row),
    }),
    close: async () => {},
  }
  const written = async (format: Format, isTerminal: boolean) => {
    const parts: string[] = []
    const out: Output = { isTerminal, write: async (text) => void parts.push(text), note: assert.unreachable }
    await query(api, '/made-up', { format, limit: 1 }, out)
    return parts.join('')
  }
  assert.is(await written('csv', false), `cve_id,title\r\nCVE-2024-0001,${row.title}\r\n`)
  assert.is(await written('csv', true), 'cve_id,title\r\nCVE-2024-0001,a\\u001b[31m\\u009bb\r\n')
  assert.equal(JSON.parse(await written('ndjson', true)), row)
  for (const format of ['ndjson', 'table'] as const) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must be absent.
    assert.not.match(await written(format, true), /[\x1b\x9b]/)
  }
})

test('unknown filters, fields and paths get the message of the API', async () => {
  for (const target of ['/cves?severty=high', '/cves?fields=nope', '/kev?sort=nope', '/cves/CVE-1', '/nope']) {
    const [path, filters = ''] = target.split('?')
    const { status, body } = await service.ask(`${path}?${filters}`)
    const { code, message } = await failure(ask(dist, target))
    assert.is(message, (body as { message: string }).message)
    assert.is(code, status === 400 ? 'usage' : 'refused', target)
  }
  for (const name of ['limit', 'cursor']) {
    const { code, message } = await failure(ask(dist, `kev=true&${name}=5`))
    assert.is(code, 'usage')
    assert.match(message, `the parameter '${name}' is set for each page`)
  }
})

test('characters that a URL cannot have are encoded', async () => {
  const { text } = await ask(dist, 'q=Ünknown vendor€')
  assert.is(text, '')
})

test('a # is a character of its value, and no filter after it is lost', async () => {
  const { code, message } = await failure(ask(dist, 'q=c#&severty=high'))
  assert.is(code, 'usage')
  assert.match(message, 'severty')
})

test('an answer about a package that the snapshot cannot judge has a note', async () => {
  const unknown = await ask(dist, '/affected?purl=pkg:swid/unknown@1')
  assert.is(unknown.text, '')
  assert.is(unknown.notes.length, 1)
  assert.match(unknown.notes[0]!, 'query.indexed is false')
  assert.equal((await ask(dist, '/affected?purl=pkg:npm/no-such-package@1')).notes, [])
})

test('--limit is refused for an answer without pages', async () => {
  for (const target of ['/stats', '/search?q=open']) {
    const { code, message } = await failure(ask(dist, target, { limit: 1 }))
    assert.equal([code, message], ['usage', `the answer to ${target.split('?')[0]} has no pages; leave out --limit`])
  }
})

test('answers that no gateway gives end with an error', async () => {
  const paths = { '/cves': { get: { parameters: [{ name: 'cursor' }], responses: {} } } }
  const document = JSON.stringify({ paths, components: { schemas: {} } })
  const page = (next_cursor: string) => JSON.stringify({ data: [], pagination: { next_cursor } })
  const hostile: [document: string, status: number, rows: string, message: string][] = [
    ['{}', 200, '', 'without the description of the API'],
    [document, 200, '{}', 'without rows'],
    [document, 200, '{"data":[],"pagination":null}', 'without rows'],
    [document, 200, page('a'), 'with the same cursor again'],
    [document, 400, '{}', '/cves has status 400'],
  ]
  for (const [described, status, rows, expected] of hostile) {
    const request = async (target: string) =>
      target === '/openapi.json' ? { status: 200, body: described } : { status, body: rows }
    const out: Output = { isTerminal: false, write: async () => {}, note: assert.unreachable }
    const asked = { format: 'ndjson', limit: Number.POSITIVE_INFINITY } as const
    const { message } = await failure(query({ request, close: async () => {} }, '/cves', asked, out))
    assert.match(message, expected)
  }
})

test('--at pins each answer to an earlier snapshot', async () => {
  const { first, fourth } = await sampleNights()
  const at = readCurrent(first).manifest.snapshot
  const [then, now] = [await ask(first, '/cves'), await ask(fourth, '/cves')]
  assert.is.not(then.text, now.text)
  assert.is((await ask(fourth, '/cves', { at })).text, then.text)
  assert.is((await ask(fourth, '/stats', { at: at.slice(0, 12) })).text, (await ask(first, '/stats')).text)
})

test('a gateway with a token answers the same, also with --at', async () => {
  const { token, url } = service
  const { id } = await service.json<{ id: string }>('/snapshot')
  for (const address of [url, `${url}/`, `${url}/api/v1`]) {
    const asked = { token, limit: 120 }
    assert.is((await ask(address, 'kev=false', asked)).text, (await ask(dist, 'kev=false', { limit: 120 })).text)
  }
  for (const format of ['csv', 'table'] as const) {
    assert.is((await ask(url, '/kev', { token, format, at: id })).text, (await ask(dist, '/kev', { format })).text)
  }
  const { code, message } = await failure(ask(url, '/cves', { token: 'x' }))
  assert.equal([code, message], ['refused', 'the token is malformed'])
  assert.is((await failure(ask(dist, '/cves', { token }))).code, 'usage')
})

test('a gateway whose quota is used up is waited for', async () => {
  const waits: number[] = []
  const answers = [
    { status: 429, headers: { 'retry-after': '7' }, text: '{}' },
    { status: 200, headers: {}, text: '{"data":[]}' },
  ]
  const asked: Record<string, string>[] = []
  const effects = {
    now: () => new Date(0),
    log() {},
    random: () => 0,
    sleep: async (ms: number) => void waits.push(ms),
    async request(_url: URL, headers: Record<string, string>) {
      asked.push(headers)
      const { status, headers: received, text } = answers.shift()!
      const body = (async function* () {
        yield Buffer.from(text)
      })()
      return { status, headers: received, body, discard: async () => {} }
    },
  } as unknown as NetworkEffects
  const request = gatewayRequests('http://gateway.test', { token: 'T' }, effects)
  assert.equal(await request('/cves'), { status: 200, body: '{"data":[]}' })
  assert.equal(waits, [7000])
  assert.is(asked[1]!.authorization, 'Bearer T')
})

test('a gateway has no pointer to verify with --keys', async () => {
  const error = await failure(openApi('http://127.0.0.1:1', { token: 'x', keys: 'keys.json' }))
  assert.match(error.message, '--keys needs a repository')
})

test.after(() => service.remove())
test.run()
