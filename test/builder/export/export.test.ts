/** `vulnshelf export`: the rows are those of the API, in each format; other programs read the Parquet file. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { COLUMNS } from '../../../builder/export/columns.ts'
import { exportCves } from '../../../builder/export/export.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { readExposure } from '../../../corpus/model/scores/exposure.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { readCurrent } from '../../../corpus/snapshot/index.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { sampleNights, sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('export')
const path = (name: string) => join(folder.path, name)
/** The odd and hostile records have every kind of value. */
const { dist } = await sharedSample('usual')

type Row = Record<string, string | number | boolean | string[] | null>

const write = (from: string, name: string, at?: string) =>
  exportCves({ dist: from, file: path(name), at }, quietEffects(), noProgress)

const ndjsonRows = (name: string): Row[] =>
  readFileSync(path(name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const database = await (await DuckDBInstance.create()).connect()
await database.run("SET TimeZone = 'UTC'")
/** The files of `FROM 'name'` are in the folder of the test. */
const sql = async (query: string) => {
  const located = query.replace(/'([\w.]+\.parquet)'/g, (_, name: string) => `'${path(name)}'`)
  return (await database.runAndReadAll(located)).getRowObjectsJson()
}

/** A section of builder/README.md. */
const section = readFileSync(join(import.meta.dirname, '../../../builder/README.md'), 'utf8')
  .split(/^## /m)
  .find((one) => one.startsWith('export\n'))!

test('the folder of the file is created', async () => {
  const { cves } = await write(dist, 'new/folder/cves.ndjson')
  assert.is(ndjsonRows('new/folder/cves.ndjson').length, cves)
})

test('each row has the facts of the record that the API answers, in id order', async () => {
  const report = await write(dist, 'cves.ndjson')
  const rows = ndjsonRows('cves.ndjson')
  const reader = await openReader(dist)
  try {
    assert.is(rows.length, reader.snapshot.counts.cves)
    assert.equal(
      { ...report, file: '', bytes: 0 },
      {
        file: '',
        format: 'ndjson',
        snapshot: { id: reader.snapshot.id, createdAt: reader.snapshot.created_at },
        cves: rows.length,
        columns: COLUMNS.length,
        bytes: 0,
      },
    )
    const number = (row: Row) =>
      Number(String(row.cve_id).split('-')[2]) + Number(String(row.cve_id).slice(4, 8)) * 1e15
    assert.equal(
      rows.map((row) => row.cve_id),
      rows.toSorted((a, b) => number(a) - number(b)).map((row) => row.cve_id),
    )
    for (const row of rows) {
      const stated = (await reader.get(String(row.cve_id), { include: ['cvss', 'kev'] }))!
      const primary = stated.cvss.metrics.find(({ is_primary }) => is_primary)
      const cisa = stated.kev_detail.catalogs.find(({ catalog }) => catalog === 'cisa')
      const { epss, kev, ssvc } = stated
      const { cwe_ids, vendors, products, tags, attack_vector, privileges_required, user_interaction, ...facts } = row
      assert.equal(
        { attack_vector, privileges_required, user_interaction },
        readExposure(primary?.vector_string ?? ''),
        stated.cve_id,
      )
      assert.equal(facts, {
        cve_id: stated.cve_id,
        state: stated.state,
        title: stated.title,
        description: stated.description,
        date_published: stated.date_published,
        date_updated: stated.date_updated,
        assigner: stated.assigner,
        severity: stated.severity,
        cvss_score: stated.cvss_score,
        cvss_score_source: stated.cvss_score_source,
        cvss_version: primary?.cvss_version ?? null,
        cvss_vector: primary?.vector_string ?? null,
        epss_score: epss.score,
        epss_percentile: epss.percentile,
        epss_date: epss.date,
        kev: kev.listed,
        kev_date_added: kev.date_added,
        kev_due_date: cisa?.due_date ?? null,
        kev_ransomware: cisa?.ransomware ?? null,
        kev_catalogs: stated.kev_detail.catalogs.map(({ catalog }) => catalog),
        ssvc_exploitation: ssvc.exploitation,
        ssvc_automatable: ssvc.automatable,
        ssvc_technical_impact: ssvc.technical_impact,
        ssvc_decision: ssvc.decision,
        has_exploit: stated.has_exploit,
        has_patch: stated.has_patch,
        has_workaround: stated.has_workaround,
        has_detection: stated.has_detection,
        detection_layers: stated.detection_layers,
        primary_cwe_id: stated.primary_cwe_id,
      })
    }
  } finally {
    await reader.close()
  }
})

test('vendors, products, weaknesses and tags select the CVEs that the filters of the API select', async () => {
  await write(dist, 'cves.ndjson')
  const rows = ndjsonRows('cves.ndjson')
  const reader = await openReader(dist)
  const idsOf = async (path: string) => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { status, body } = await reader.request(`${path}&limit=100${cursor}`)
      assert.is(status, 200, `${path}: ${body}`)
      const { data, pagination } = JSON.parse(body)
      ids.push(...data.map(({ cve_id }: { cve_id: string }) => cve_id))
      if (pagination.next_cursor === null) return ids.sort()
      cursor = `&cursor=${pagination.next_cursor}`
    }
  }
  try {
    for (const [name, pathOf] of [
      ['vendors', (key: string) => `/cves?vendor=${encodeURIComponent(key)}`],
      ['cwe_ids', (key: string) => `/cwes/${key}/cves?scope=any`],
      ['tags', (key: string) => `/cves?tag=${key}`],
    ] as const) {
      const keys = [...new Set(rows.flatMap((row) => row[name] as string[]))].slice(0, 12)
      assert.ok(keys.length > 0, name)
      for (const key of keys) {
        // Entries that the catalog does not have are 404.
        if (name === 'cwe_ids' && (await reader.request(`/cwes/${key}`)).status === 404) continue
        const having = rows.filter((row) => (row[name] as string[]).includes(key)).map((row) => String(row.cve_id))
        assert.equal(await idsOf(pathOf(key)), having.sort(), `${name} ${key}`)
      }
    }
  } finally {
    await reader.close()
  }
})

test('CSV has the same values: lists joined by semicolons, formulas with an apostrophe', async () => {
  await write(dist, 'cves.csv')
  await write(dist, 'cves.ndjson')
  const rows = parse(readFileSync(path('cves.csv')), { columns: true }) as Record<string, string>[]
  const expected = ndjsonRows('cves.ndjson').map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const text = Array.isArray(value) ? value.join(';') : String(value ?? '')
        return [name, typeof value !== 'number' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text]
      }),
    ),
  )
  assert.equal(rows, expected)
  assert.ok(
    rows.some((row) => Object.values(row).some((text) => /^'[=+@-]/.test(text))),
    'a text of the sample looks like a formula',
  )
})

test('DuckDB reads the same values from the Parquet file', async () => {
  await write(dist, 'cves.parquet')
  await write(dist, 'cves.ndjson')
  const expected = ndjsonRows('cves.ndjson')
  const times = COLUMNS.filter(({ type }) => type === 'timestamp').map(({ name }) => `epoch_ms(${name}) AS ${name}`)
  const rows = await sql(`SELECT * REPLACE (${times.join(', ')}) FROM 'cves.parquet'`)
  for (const [i, row] of rows.entries()) {
    const given = expected[i]!
    for (const { name, type } of COLUMNS) {
      const value = given[name]!
      const time = type === 'timestamp' && value !== null ? String(Date.parse(String(value))) : value
      assert.equal(row[name], time, `${given.cve_id} ${name}`)
    }
  }
  assert.is(rows.length, expected.length)
})

test('builder/README.md shows the columns as DuckDB reads them', async () => {
  await write(dist, 'cves.parquet')
  const types = await sql("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM 'cves.parquet')")
  const required = await sql("SELECT name FROM parquet_schema('cves.parquet') WHERE repetition_type = 'REQUIRED'")
  const isRequired = new Set(required.map(({ name }) => name))
  const shown = Array.from(
    section.matchAll(/^\| `(\w+)` \| ([A-Z [\]]+)(, never null)? \| \S/gm),
    ([, name, type, never]) => ({
      name,
      type,
      never: never !== undefined,
    }),
  )
  assert.equal(
    shown,
    types.map(({ column_name, column_type }) => ({
      name: column_name,
      type: column_type,
      never: isRequired.has(column_name as string),
    })),
  )
})

interface Answer {
  data: (Row & { epss: { score: number } })[]
  pagination: { total: number }
}

/** Asks the API what each SQL question of builder/README.md asks, and compares the rows. */
const ANSWERS: ((rows: Row[], ask: (target: string) => Promise<Answer>) => Promise<void>)[] = [
  async (rows, ask) => {
    const { data } = await ask('/cves?severity=critical&kev=true&sort=-epss&limit=10')
    assert.equal(
      rows.map(({ epss_score }) => epss_score),
      data.map(({ epss }) => epss.score),
    )
    const ids = await ask('/cves?severity=critical&kev=true&limit=100')
    const known = ids.data.map(({ cve_id }) => cve_id)
    for (const { cve_id } of rows) assert.ok(known.includes(cve_id))
  },
  async (rows, ask) => {
    for (const { vendor, cves } of rows) {
      const { pagination } = await ask(`/cves?vendor=${encodeURIComponent(String(vendor))}&kev=true&count=true`)
      assert.is(Number(cves), pagination.total, String(vendor))
    }
  },
  async (rows, ask) => {
    for (const { cwe_id, cves } of rows) {
      const { pagination } = await ask(`/cwes/${cwe_id}/cves?scope=any&count=true`)
      assert.is(Number(cves), pagination.total, String(cwe_id))
    }
  },
  async (rows, ask) => {
    const { data } = await ask('/kev?catalog=cisa&ransomware=known&sort=due_date&limit=100')
    const due = data.filter(({ due_date }) => due_date !== null && String(due_date) >= '2022-01-01')
    const byDate = (a: Row, b: Row) => (`${a.kev_due_date} ${a.cve_id}` < `${b.kev_due_date} ${b.cve_id}` ? -1 : 1)
    const expected = due.map((one) => ({ cve_id: one.cve_id, kev_due_date: one.due_date }) as Row).sort(byDate)
    assert.equal(rows.toSorted(byDate), expected)
  },
  async (rows, ask) => {
    const filters = 'attack_vector=network&privileges_required=none&user_interaction=none&ssvc_automatable=yes'
    const { data } = await ask(`/cves?${filters}&has_patch=false&epss_min=0.01&limit=100`)
    assert.equal(rows.map(({ cve_id }) => cve_id).sort(), data.map(({ cve_id }) => cve_id).sort())
  },
]

test('the SQL questions of builder/README.md have the answers of the API', async () => {
  await write(dist, 'cves.parquet')
  const questions = Array.from(section.matchAll(/```sql\n([\s\S]*?)```/g), ([, query]) => query!)
  assert.is(questions.length, ANSWERS.length)
  const reader = await openReader(dist)
  try {
    for (const [i, query] of questions.entries()) {
      const rows = (await sql(query)) as Row[]
      assert.ok(rows.length > 0 && rows.length < 100, `${rows.length} rows: ${query}`)
      await ANSWERS[i]!(rows, async (target) => {
        const { status, body } = await reader.request(target)
        assert.is(status, 200, body)
        return JSON.parse(body)
      })
    }
  } finally {
    await reader.close()
  }
})

test('the same snapshot gives the same bytes, with its id in the file', async () => {
  await write(dist, 'a.parquet')
  await write(dist, 'b.parquet')
  assert.ok(readFileSync(path('a.parquet')).equals(readFileSync(path('b.parquet'))))
  const [stated] = await sql(
    "SELECT decode(value) AS id FROM parquet_kv_metadata('a.parquet') WHERE decode(key) = 'vulnshelf.snapshot'",
  )
  assert.is(stated!.id, readCurrent(dist).manifest.snapshot)
})

test('--at exports an earlier snapshot', async () => {
  const { first, fourth } = await sampleNights()
  await write(first, 'first.ndjson')
  await write(fourth, 'then.ndjson', readCurrent(first).manifest.snapshot)
  await write(fourth, 'now.ndjson')
  assert.equal(ndjsonRows('then.ndjson'), ndjsonRows('first.ndjson'))
  assert.not.equal(ndjsonRows('now.ndjson'), ndjsonRows('first.ndjson'))
})

test('a format that the name does not state is an error, and leaves no file', async () => {
  const failed = async (work: Promise<unknown>): Promise<Error & { code?: string }> =>
    work.then(
      () => assert.unreachable('no error'),
      (error) => error,
    )
  const failure = await failed(write(dist, 'cves.xlsx'))
  assert.match(failure.message, "cves.xlsx' does not end in .parquet, .ndjson, .csv; state --format")
  mkdirSync(path('folder.csv'))
  assert.match((await failed(write(dist, 'folder.csv'))).message, 'folder.csv is a folder; name a file')
  const missing = await failed(write(path('none'), 'lost.csv'))
  assert.is(missing.code, 'missing')
  assert.equal(
    readdirSync(folder.path).filter((name) => /lost|xlsx|tmp/.test(name)),
    [],
  )
})

test.after(() => folder.remove())
test.run()
