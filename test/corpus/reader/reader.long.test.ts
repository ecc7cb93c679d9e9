/** A reader returns the same as a gateway of the same snapshot, byte for byte, including cursors. */
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveListOptions, CvePage, CveSummary, CveWalkOptions, Section } from '../../../corpus/reader/reader.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { askDirectly } from '../../support/ask.ts'
import { combinationsOf, type Value } from '../../support/combinations.ts'
import { corpusFacts } from '../../support/corpus-facts.ts'
import { cvesCase } from '../../support/cve-cases.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { epssChanges } from '../../support/list-rows.ts'
import { byFrequency } from '../../support/plain.ts'
import { failed } from '../../support/refusal.ts'
import { ownSample, sharedSample } from '../../support/samples.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const folder = temporaryFolder('reader')
const sample = await sharedSample('usual')
const asked = askDirectly(sample.dist)
const reader = await openReader(sample.dist)
const rows = await asked.all<CveSummary>('/cves')
const ids = rows.map(({ cve_id }) => cve_id)

const SORTS = STORED_SORTS.flatMap((key) => [key, `-${key}`] as const)
const { answered, compare, compareWalks } = gatewayAnswers(asked)

/** Returns all rows of a walk, as texts. */
async function walked(options: CveWalkOptions): Promise<string[]> {
  const texts: string[] = []
  for await (const row of reader.walk(options)) texts.push(JSON.stringify(row))
  return texts
}

/** Returns all rows of a list of the gateway, as texts. */
async function listed(path: string, query: string): Promise<string[]> {
  const texts: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = JSON.parse(await answered(path, `${query}&limit=100${cursor && `&cursor=${cursor}`}`)) as {
      data: object[]
      pagination: { next_cursor: string | null }
    }
    texts.push(...page.data.map((row) => JSON.stringify(row)))
    cursor = page.pagination.next_cursor
  }
  return texts
}

test('the record of every CVE is the answer of the gateway, with the default sections, with all and with none', async () => {
  assert.ok(ids.length > 350)
  for (const id of ids) {
    const of = async (include?: readonly Section[]) => JSON.stringify(await reader.get(id, { include }))
    assert.is(await of(), await answered(`/cves/${id}`))
    assert.is(await of([]), await answered(`/cves/${id}`, 'include='))
    assert.is(await of(SECTION_NAMES), await answered(`/cves/${id}`, `include=${SECTION_NAMES.join(',')}`))
  }
})

test('each section by itself, and in any order and repetition', async () => {
  for (const section of SECTION_NAMES) {
    for (const id of ids.slice(0, 40)) {
      const record = JSON.stringify(await reader.get(id, { include: [section] }))
      assert.is(record, await answered(`/cves/${id}`, `include=${section}`))
    }
  }
  const mixed = await reader.get(ids[0]!, { include: ['timeline', 'cvss', 'timeline'] })
  assert.is(JSON.stringify(mixed), await answered(`/cves/${ids[0]}`, 'include=cvss,timeline'))
})

test('an id is taken in any case; one without a record, or with a rejected one, gives null', async () => {
  const corpus = openCorpus(sample.corpus)
  const { cveId } = corpus.rejected()[0]!
  corpus.close()
  assert.is((await reader.get(ids[0]!.toLowerCase()))?.cve_id, ids[0])
  for (const id of ['CVE-1999-9999', `CVE-2024-${'9'.repeat(19)}`, 'CVE-2024-00001', cveId]) {
    assert.is(await reader.get(id), null, id)
  }
})

test('what is read is told as /snapshot tells it', async () => {
  assert.equal(reader.snapshot, await compare(reader, '/snapshot'))
  assert.equal(await reader.stats(), await compare(reader, '/stats'))
})

for (const limit of [1, 7, 25, 60, 100]) {
  test(`every page of ${limit} in every sort is the answer of the gateway, with its cursor`, async () => {
    for (const sort of SORTS) {
      let cursor: string | undefined
      // Bounded, because pages of one row are many.
      for (let pages = 0; pages < 120; pages++) {
        const query = `sort=${sort}&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`
        const page = (await compare<CvePage>(reader, `/cves?${query}`))!
        assert.equal(await reader.list({ sort, limit, cursor }), page)
        if (page.pagination.next_cursor === null) break
        cursor = page.pagination.next_cursor
      }
    }
  })
}

test('without options a page is that of /cves without parameters', async () => {
  assert.equal(await reader.list(), await compare(reader, '/cves'))
})

test('walks in every sort are all rows of the gateway', async () => {
  for (const sort of SORTS) {
    const all = await walked({ sort })
    assert.is(all.length, rows.length)
    assert.equal(all, await listed('/cves', `sort=${sort}`))
  }
})

/** The values of each filter of `/cves` that a reader has, as a query string and as options. */
const cves = cvesCase(rows, await epssChanges(asked), corpusFacts(sample.corpus))
const { q: _, ...filters } = cves.filters
const list = { ...cves, filters }

const decoded = (text: string) => new URLSearchParams(`value=${text}`).get('value')!
const OPTIONS: Record<string, (text: string) => unknown> = {
  severity: (text) => text.split(','),
  epss_min: Number,
  ids: (text) => text.split(','),
  ...Object.fromEntries(['kev', 'has_exploit', 'has_patch', 'has_detection'].map((name) => [name, booleanOf])),
}
function booleanOf(text: string): boolean {
  return text === 'true'
}

type Chosen = readonly (readonly [name: string, value: Value<never>])[]
const optionsOf = (chosen: Chosen): CveListOptions =>
  Object.fromEntries(chosen.map(([name, { text }]) => [name, (OPTIONS[name] ?? ((one: string) => one))(decoded(text))]))
const queryOf = (chosen: Chosen) => chosen.map(([name, { text }]) => `${name}=${text}`).join('&')

test('every filter alone and all pairs of filters give the pages of the gateway', async () => {
  const combinations = combinationsOf(list)
  assert.ok(combinations.length > 1000, `${combinations.length}`)
  const met = new Set<string>()
  let cursors = 0
  for (const { values, order } of combinations) {
    const sort = order.sort as (typeof SORTS)[number]
    const page = (await compare<CvePage>(reader, `/cves?${queryOf(values)}&sort=${sort}&limit=30`))!
    assert.equal(await reader.list({ ...optionsOf(values), sort, limit: 30 }), page)
    if (page.data.length > 0) for (const [name] of values) met.add(name)
    if (page.pagination.next_cursor !== null) cursors++
  }
  assert.equal([...met].sort(), Object.keys(filters).sort(), 'every filter lets something through')
  assert.ok(cursors > 100, `${cursors} of them go on`)
})

/** Random filters with random values. */
const anyFilters = fc
  .record(Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, fc.constantFrom(...values)])), {
    requiredKeys: [],
  })
  .map((chosen) => Object.entries(chosen) as unknown as Chosen)
/** The same cases on every machine, unless the environment sets others. */
const SEEDED = { seed: Number(process.env.FC_SEED ?? 20_240_601), numRuns: 150 }

test('walks with any filters are all rows of the gateway', async () => {
  const sorts = fc.constantFrom(...SORTS)
  await fc.assert(
    fc.asyncProperty(anyFilters, sorts, async (chosen, sort) => {
      assert.equal(
        await walked({ ...optionsOf(chosen), sort }),
        await listed('/cves', `${queryOf(chosen)}&sort=${sort}`),
      )
    }),
    SEEDED,
  )
})

test('cursors cross over: a walk that reader and gateway take turns with has every row once', async () => {
  // Few filters, so that there are enough pages to alternate.
  const few = anyFilters.map((chosen) => chosen.slice(0, 1))
  const turns = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 100 })), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(few, fc.constantFrom(...SORTS), turns, async (chosen, sort, turns) => {
      const texts: string[] = []
      let cursor: string | undefined
      for (let page = 0; page === 0 || cursor !== undefined; page++) {
        const [here, limit] = turns[page % turns.length]!
        const query = `${queryOf(chosen)}&sort=${sort}&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`
        const { data, pagination } = here
          ? await reader.list({ ...optionsOf(chosen), sort, limit, cursor })
          : (JSON.parse(await answered('/cves', query)) as Awaited<ReturnType<typeof reader.list>>)
        texts.push(...data.map((row) => JSON.stringify(row)))
        cursor = pagination.next_cursor ?? undefined
      }
      assert.equal(texts, await walked({ ...optionsOf(chosen), sort }))
    }),
    { ...SEEDED, numRuns: 60 },
  )
})

test('the CVEs of weaknesses and CNAs are those of the gateway, with its cursors', async () => {
  const cwe = byFrequency(rows.map((row) => row.primary_cwe_id))[0]!
  const any = await compareWalks(reader, `/cwes/${cwe}/cves?scope=any&sort=cvss&limit=7`)
  assert.ok(any.rows.length > (await walked({ cwe })).length, 'some are mapped otherwise')
  const cna = byFrequency(rows.map((row) => row.assigner))[0]!
  for (const slug of [cna, cna.toUpperCase()].map(encodeURIComponent)) {
    const own = await compareWalks(reader, `/cnas/${slug}/cves?kev=false&limit=7`)
    assert.ok(own.rows.length > 7)
  }
  for (const query of ['', '?severity=high', '?kev=true&sort=-epss', '?cwe=79', '?scope=all', '?cursor=abc']) {
    await compare(reader, `/cwes/${cwe}/cves${query}`)
    await compare(reader, `/cnas/${encodeURIComponent(cna)}/cves${query}`)
  }
  for (const path of ['/cwes/999999/cves', '/cwes/x/cves', '/cnas/nobody/cves']) await compare(reader, path)
})

test('options that there are not, and values of another kind, are named', async () => {
  const refused = async (work: () => Promise<unknown>): Promise<string> => {
    const error = await failed(work())
    if (!(error instanceof TypeError)) throw new Error(`not refused: ${error}`)
    return error.message
  }
  const open = (options: unknown, at: unknown = sample.dist) =>
    refused(() => openReader(at as string, options as object))
  assert.match(
    await open({ trustedKeys: [] }),
    /^unknown option 'trustedKeys'; known options are at, keys, onProgress, onWait, effects$/,
  )
  assert.match(await open({ keys: 'keys.json' }), /^option 'keys' must be public keys that `readKeySetFile` returned$/)
  assert.match(await open(null), /^options must be an object with at, keys, onProgress, onWait, effects, not null$/)
  for (const nowhere of [undefined, '']) {
    assert.match(await refused(() => openReader(nowhere as string)), /^the address of the repository is missing; /)
  }
  assert.match(await open({}, 'ftp://example.com/dist'), /^cannot read a repository at ftp:\/\/; use a folder, /)
  const get = (options: unknown) => refused(() => reader.get(ids[0]!, options as object))
  assert.match(await get({ includes: ['affected'] }), /^unknown parameter 'includes'; did you mean 'include'\?/)
  assert.match(await get({ include: ['cvs'] }), /^unknown value 'cvs' of parameter 'include'; did you mean 'cvss'\?/)
  assert.match(await get({ include: null }), /^option 'include' must be a text, a number, .* not null$/)
  assert.match(await refused(() => reader.list(null as unknown as object)), /^options must be an object, not null$/)
  for (const target of ['cves', '', 7, undefined]) {
    assert.match(await refused(() => reader.request(target as string)), /^a target begins with '\/', such as \/cves/)
  }
})

test('a walk that is given up, and many at once, disturb nobody', async () => {
  for await (const { cve_id } of reader.walk()) {
    assert.is(cve_id, ids[0])
    break
  }
  const walks = await Promise.all(SORTS.map((sort) => walked({ sort })))
  for (const texts of walks) assert.is(new Set(texts).size, rows.length)
})

test('a cursor of a snapshot before goes on by its key, and one of a newer snapshot is refused', async () => {
  const made = await ownSample('small', join(folder.path, 'small'))
  const reader = await openReader(made.dist)
  const [firstPage, { pagination }] = [await reader.list(), await reader.list({ limit: 20 })]
  await ingestAndBuild({ ...made, asOf: made.nights[1]! })
  const newer = await openReader(made.dist)
  assert.is.not(newer.snapshot.id, reader.snapshot.id)
  const gateway = askDirectly(made.dist)
  const query = `limit=20&cursor=${pagination.next_cursor}`
  const resumed = await newer.list({ limit: 20, cursor: pagination.next_cursor! })
  assert.is(JSON.stringify(resumed), (await gateway.ask('/cves', query)).text)
  const refused = await failed(reader.list({ limit: 20, cursor: resumed.pagination.next_cursor! }))
  assert.equal([refused?.name, refused?.code], ['CursorError', 'newer'])
  // An open reader keeps its snapshot.
  assert.equal(await reader.list(), firstPage)
  await reader.close()
  await gateway.close()
  await newer.close()
})

test.after(async () => {
  await reader.close()
  await asked.close()
  folder.remove()
})

test.run()
