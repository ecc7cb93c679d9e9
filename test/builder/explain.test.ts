/** `vulnshelf explain`: the deciding claim of each value is the served value, for every record; and the command. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ExplainReport, openExplainer } from '../../builder/explain.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { done, failed, vulnshelf } from '../cli/command.ts'
import { cveList, cveMetric, ghsaZip, nvdPage, nvdRecord, osvEntry, VECTORS } from '../contract/support/upstream.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { explainAll } from '../support/explained.ts'
import { epssCsv, kevJson, putFeeds } from '../support/feeds.ts'
import { sharedSample } from '../support/samples.ts'

const folder = temporaryFolder('explain')
const critical = { version: '3.1', baseScore: 9.8, baseSeverity: 'CRITICAL' }
const feeds = putFeeds(join(folder.path, 'feeds'), {
  ...cveList([
    {
      id: 'CVE-2024-0001',
      cna: { title: 'A flaw', metrics: [cveMetric('3.0'), cveMetric('3.1')] },
    },
    {
      id: 'CVE-2024-0002',
      metadata: { state: 'REJECTED', dateRejected: '2024-05-09T00:00:00.000Z' },
      cna: { rejectedReasons: [{ lang: 'en', value: 'A duplicate.' }], replacedBy: ['CVE-2024-0001'] },
    },
    { id: 'CVE-2024-0003', metadata: { state: 'ODD' } },
  ]),
  ...ghsaZip([
    osvEntry('GHSA-aaaa-bbbb-cccc', ['CVE-2024-0001'], {
      withdrawn: '2024-05-20T00:00:00Z',
      severity: [{ type: 'CVSS_V3', score: VECTORS['3.1'].vector }],
    }),
  ]),
  'nvd/page.json': nvdPage([
    nvdRecord('CVE-2024-0001', {
      metrics: {
        cvssMetricV31: [
          {
            source: 'nvd@nist.gov',
            type: 'Primary',
            cvssData: { ...critical, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          },
        ],
      },
    }),
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001', 'CVE-2020-0001']),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv([['CVE-2024-0001', 0.5, 0.75]], '2024-06-01'),
})
const corpus = join(folder.path, 'small.db')
await ingest({ feeds, corpus }, quietEffects())

const values = ({ values }: ExplainReport, field: string) => values.find(({ fields }) => fields.includes(field))!

test('the claims come in the order of precedence, the first that counts decides, the others say why not', () => {
  const explainer = openExplainer(corpus)
  const report = explainer.explain('cve-2024-0001')
  explainer.close()
  assert.equal([report.cveId, report.version], ['CVE-2024-0001', 1])
  assert.equal(
    report.origins.map(({ feed, item, edition }) => [feed, item, edition.files]),
    [
      ['cvelist', 'CVE-2024-0001', ['cvelistv5/2024-06-01_all_CVEs.zip']],
      ['ghsa', 'GHSA-aaaa-bbbb-cccc', ['ghsa/advisory-database.zip']],
      ['kev', 'CVE-2024-0001', ['kev/known_exploited_vulnerabilities.json']],
      ['nvd', 'CVE-2024-0001', ['nvd/page.json']],
    ],
  )
  const { value, rule, considered } = values(report, 'cvss_score')
  assert.equal([value, rule], [['high', VECTORS['3.1'].score, 'cna'], 18])
  assert.equal(
    considered.map(({ by, states, outcome, why }) => [by, states.split(' ').slice(1, 3).join(' '), outcome, why]),
    [
      ['cna acme', '3.1 7.5', 'decides', null],
      ['cna acme', '3.0 5.3', 'passed', 'CVSS 3.1 ranks above 3.0'],
      ['nvd', '3.1 9.8', 'passed', 'cna ranks above nvd'],
      ['advisory GHSA-aaaa-bbbb-cccc', '3.1 7.5', 'passed', 'withdrawn'],
    ],
  )
  assert.equal(values(report, 'epss').value, { score: 0.5, percentile: 0.75, date: '2024-06-01' })
})

test('the command prints it in words, or as JSON', async () => {
  const words = done(await vulnshelf(['explain', corpus, 'CVE-2024-0001']))
  assert.match(words, /^CVE-2024-0001, version 1 of its record, corpus date 2024-05-\d\dT\S+\n/)
  assert.ok(words.includes('\ntitle: A flaw\n  rule 19: '))
  assert.ok(words.includes('\n  - nvd: CVSS 3.1 9.8 CRITICAL '))
  const report = JSON.parse(done(await vulnshelf(['explain', corpus, 'CVE-2024-0001', '--json']))) as ExplainReport
  assert.equal(values(report, 'title').value, 'A flaw')
})

test('control characters in texts of a source are not printed', async () => {
  const other = join(folder.path, 'control')
  const title = 'A \u001b[2Jflaw\u0007 in \u202etxt'
  const description = 'x\u009b2J'
  const providerMetadata = { shortName: 'acme\nfixed: yes\u009b2J' }
  const cna = {
    title,
    descriptions: [{ lang: 'en', value: description }],
    metrics: [cveMetric('3.1')],
    providerMetadata,
  }
  const list = cveList([{ id: 'CVE-2024-0001', cna }])
  await ingest({ feeds: putFeeds(other, list), corpus: `${other}.db` }, quietEffects())
  const words = done(await vulnshelf(['explain', `${other}.db`, 'CVE-2024-0001']))
  assert.ok(words.includes('\ntitle: A \\u001b[2Jflaw\\u0007 in \\u202etxt\n'), words.slice(0, 600))
  assert.ok(words.includes('\n  = cna acme fixed: yes\\u009b2J: CVSS 3.1'), words.slice(0, 600))
  const dist = `${other}-dist`
  done(await vulnshelf(['build', '--corpus', `${other}.db`, '--out', dist]))
  for (const command of [
    ['explain', `${other}.db`, 'CVE-2024-0001', '--json'],
    ['show', dist, 'CVE-2024-0001'],
  ]) {
    const json = done(await vulnshelf(command))
    assert.not.match(json.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_C}]/u, command[0])
    assert.ok(JSON.stringify(JSON.parse(json)).includes(description))
  }
})

test('rule 10: a rejected CVE is explained by its rejection: date, reason and what replaces it', async () => {
  const words = done(await vulnshelf(['explain', corpus, 'CVE-2024-0002']))
  assert.match(words, /^CVE-2024-0002, rejected, corpus date .*\n\nclaims\n {2}cvelist CVE-2024-0002 /)
  const stated = 'REJECTED, 2024-05-09T00:00:00.000Z, A duplicate., replaced by CVE-2024-0001'
  assert.ok(words.includes(`\nstate: REJECTED\n  rule 10: `) && words.includes(`\n  = cvelist: ${stated}`), words)
})

test('for an id without a record, the report states why and which feeds have it', async () => {
  assert.is(
    failed(await vulnshelf(['explain', corpus, 'CVE-2020-0001'])),
    'CVE-2020-0001 has no record: the CVE list does not have it; only these feeds have it: kev',
  )
  assert.match(failed(await vulnshelf(['explain', corpus, 'CVE-2019-0001'])), /no feed has it$/)
  assert.match(
    failed(await vulnshelf(['explain', corpus, 'CVE-2024-0003'])),
    /: ingest skipped its record in the CVE list, .*ODD.*; no feed has it$/,
  )
  assert.match(failed(await vulnshelf(['explain', corpus, 'CVE-24-1']), 2), /^'CVE-24-1' is not a CVE id/)
  assert.match(
    failed(await vulnshelf(['explain', join(folder.path, 'none.db'), 'CVE-2024-0001'])),
    /none\.db does not exist/,
  )
})

test('a corpus that other rules merged is not explained by these', async () => {
  const other = join(folder.path, 'other.db')
  await ingest({ feeds, corpus: other }, quietEffects())
  const database = new Database(other)
  const older = database
    .prepare(`UPDATE meta SET value = replace(value, '"rules":', '"rules":1') WHERE name = 'merge_rules'`)
    .run()
  assert.is(older.changes, 1)
  database.close()
  assert.throws(
    () => openExplainer(other),
    (error: { code?: string }) => error.code === 'other-rules',
  )
})

test('of every record of the sample, what decides is what is served', async () => {
  const sample = await sharedSample('usual')
  assert.ok(explainAll(sample.corpus) > 350)
})

test.after(() => folder.remove())
test.run()
