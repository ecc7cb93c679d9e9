/** The operator's own feeds: the items of each line, errors for invalid lines, and that FORMAT.md is correct. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatIngestReport } from '../../../../builder/ingest/format-report.ts'
import { ingest } from '../../../../builder/ingest/ingest.ts'
import { chooseFiles } from '../../../../corpus/feeds/files/choice.ts'
import { FIRST_PARTY, type FirstPartyName, findFirstParty } from '../../../../corpus/feeds/first-party/files.ts'
import { quietEffects, temporaryFolder } from '../../../support/dist.ts'
import { baselineZip, putFeeds } from '../../../support/feeds.ts'
import { affected } from '../../model/fixture.ts'
import { claimAt, expectKnown, itemsOf, notes, skips } from '../exploits/exploit-items.ts'
import { errorOf } from '../reading.ts'

const folder = temporaryFolder('first-party')

const ID = '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90'
const VECTOR = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

/** A line of each feed with all required fields. */
const LINES = {
  reports: {
    id: ID,
    cve_id: 'CVE-2024-0001',
    report_type: 'overview',
    model: 'm-1',
    created_at: '2024-10-24T08:00:00Z',
    status: 'final',
    report_text: '# Overview\n\nText.\n',
  },
  'report-types': { prompt_name: 'overview', enabled: true },
  analyses: { cve_id: 'CVE-2024-0001', generated_at: '2024-10-24T08:00:00Z' },
  'service-scores': {
    cve_id: 'CVE-2024-0001',
    cvss_version: '3.1',
    vector_string: VECTOR,
    scored_at: '2024-10-24T08:00:00Z',
  },
  detections: { cve_id: 'CVE-2024-0001', layer: 'siem', source: 'sigma', name: 'rule 1', confidence: 'high' },
  exploited: { cve_id: 'CVE-2024-0001', catalog: 'acme', date_added: '2024-10-24' },
} satisfies Record<FirstPartyName, object>

const read = (feed: FirstPartyName, ...lines: (string | object)[]) => {
  const content = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  return itemsOf(feed, folder.path, `${feed}.ndjson`, content)
}
const claimOf = async (feed: FirstPartyName, over: object = {}) =>
  JSON.parse(claimAt(await read(feed, { ...LINES[feed], ...over })).body)
/** Returns the error of an otherwise valid line, without its position. */
const wrong = async (feed: FirstPartyName, over: object) => {
  const [item] = await read(feed, { ...LINES[feed], ...over })
  return item?.kind === 'skip' ? item.detail.replace(/^.*\.ndjson:1: /, '') : 'nothing'
}

const firstParty = suite('first-party')

firstParty('a report becomes a claim, its id and CVE id in one case, its time in UTC, its text as it is', async () => {
  const item = claimAt(
    await read('reports', {
      ...LINES.reports,
      id: ID.toUpperCase(),
      cve_id: 'cve-2024-0001',
      created_at: '2024-10-24T10:00:00.5+02:00',
      status: 'Draft',
    }),
  )
  const createdAt = '2024-10-24T08:00:00.500Z'
  assert.equal(JSON.parse(item.body), {
    id: ID,
    reportType: 'overview',
    model: 'm-1',
    createdAt,
    final: false,
    text: '# Overview\n\nText.\n',
  })
  assert.equal([item.key, item.cveIds, item.statedAt], [ID, ['CVE-2024-0001'], createdAt])
})

firstParty('a report type is about no CVE; its schema is kept as it is, nulls and blanks included', async () => {
  const outputSchema = { type: 'object', properties: { a: { default: null, const: ' ' } } }
  const item = claimAt(await read('report-types', { ...LINES['report-types'], output_schema: outputSchema }))
  assert.equal(JSON.parse(item.body), { promptName: 'overview', enabled: true, outputSchema })
  assert.equal([item.key, item.cveIds, item.statedAt], ['overview', [], null])
  assert.equal((await claimOf('report-types', { output_schema: null })).outputSchema, null)
})

firstParty('an analysis becomes what the API answers; what it leaves out is null or empty', async () => {
  assert.equal(await claimOf('analyses', { summary: ' ', impact: null }), {
    analysis: {
      summary: null,
      root_cause: null,
      impact: null,
      attack_vector: null,
      remediation: null,
      weaknesses: [],
      model: null,
      generated_at: '2024-10-24T08:00:00.000Z',
    },
    affected: [],
  })
  const { analysis } = await claimOf('analyses', { summary: ' s ', weaknesses: ['CWE-79', 'cwe-20', 79, '22'] })
  assert.equal([analysis.summary, analysis.weaknesses], ['s', ['cwe-79', 'cwe-20', 'cwe-22']])
})

firstParty('what an analysis says is affected becomes entries of svc_analysis', async () => {
  const stated = [
    {
      vendor: 'N/A',
      product: 'Widget',
      default_status: 'unaffected',
      affected_ranges: [{ introduced: '1.0', fixed: '1.2', version_type: 'semver' }, { last_affected: '0.9' }],
      cpes: [],
      advisory_severity: null,
    },
  ]
  assert.equal((await claimOf('analyses', { affected: stated })).affected, [
    affected({
      source: 'svc_analysis',
      product: 'Widget',
      default_status: 'unaffected',
      affected_ranges: [
        { introduced: '1.0', fixed: '1.2', version_type: 'semver' },
        { introduced: '0', fixed: null, version_type: null, last_affected: '0.9' },
      ],
      updated_at: '2024-10-24T08:00:00.000Z',
    }),
  ])
  const both = { affected_ranges: [{ fixed: '2', last_affected: '1' }, { version_type: 'semver' }] }
  assert.is(
    await wrong('analyses', { affected: [both] }),
    'affected.0.affected_ranges.0 must have fixed or last_affected, not both; ' +
      'affected.0.affected_ranges.1 has no bound; add introduced, fixed or last_affected',
  )
})

firstParty(
  'a service score is a claim of svc; score and severity follow from the vector where they are not given',
  async () => {
    const { source, updatedAt, metrics } = await claimOf('service-scores')
    assert.equal([source, updatedAt], ['svc', '2024-10-24T08:00:00.000Z'])
    assert.equal(metrics, [
      {
        version: '3.1',
        baseScore: 9.8,
        baseSeverity: 'CRITICAL',
        vector: VECTOR,
        statedAt: '2024-10-24T08:00:00.000Z',
        scoredBy: null,
      },
    ])
  },
)

firstParty('a score that is not its vector’s is kept, and a severity that is not its band is noted', async () => {
  const items = await read('service-scores', { ...LINES['service-scores'], base_score: 7.5, base_severity: 'low' })
  const [metric] = JSON.parse(claimAt(items).body).metrics
  assert.equal([metric.baseScore, metric.baseSeverity], [7.5, 'LOW'])
  assert.equal(notes(items), ['severity-differs-from-score: CVSS 3.1 7.5 is HIGH, stated LOW'])
})

firstParty('a vector must be one, of the version stated', async () => {
  const of = (over: object) => wrong('service-scores', over)
  assert.is(await of({ vector_string: 'CVSS:3.1/AV:N' }), 'vector_string is not a CVSS vector with all base metrics')
  assert.match(await of({ cvss_version: '4.0' }), /^vector_string has another version than cvss_version/)
  assert.is(await of({ cvss_version: 3.1 }), 'cvss_version must be one of "4.0", "3.1", "3.0", "2.0", not 3.1')
  assert.is(await of({ base_score: 9.81 }), 'base_score must be a number from 0 to 10 with one decimal, not 9.81')
  assert.is(await of({ vector_string: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', cvss_version: '2.0' }), 'nothing')
})

firstParty('a detection is about one CVE or several, which are part of its key', async () => {
  const { cve_id: _, ...rest } = LINES.detections
  const url = 'https://rules.example/1'
  const item = claimAt(
    await read('detections', {
      ...rest,
      cve_ids: ['CVE-2024-0002', 'cve-2024-0001', 'CVE-2024-0002'],
      url,
      last_seen: '2024-05-01',
    }),
  )
  assert.equal(JSON.parse(item.body), {
    layer: 'siem',
    source: 'sigma',
    evidenceType: 'detection_rule',
    confidence: 'high',
    url,
    name: 'rule 1',
    firstSeen: null,
    lastSeen: '2024-05-01T00:00:00.000Z',
  })
  assert.equal(
    [item.key, item.cveIds],
    ['siem sigma rule 1 (CVE-2024-0001, CVE-2024-0002)', ['CVE-2024-0001', 'CVE-2024-0002']],
  )
})

firstParty('a detection without CVE, name and URL, or last seen before it was first, is broken', async () => {
  assert.is(await wrong('detections', { cve_id: null }), 'it must have either cve_id or cve_ids')
  assert.is(await wrong('detections', { cve_ids: ['CVE-2024-0002'] }), 'it must have either cve_id or cve_ids')
  assert.match(await wrong('detections', { name: '' }), /^it must have name, url or both/)
  const seen = { first_seen: '2024-05-02', last_seen: '2024-05-01' }
  assert.is(await wrong('detections', seen), 'it has a last_seen before its first_seen')
  const url = 'javascript:alert(1)'
  assert.is(await wrong('detections', { url }), `url must be a URL that begins with http:// or https://, not "${url}"`)
})

firstParty('an entry of an own catalog has its name in lower case, and days', async () => {
  const item = claimAt(
    await read('exploited', {
      ...LINES.exploited,
      catalog: ' Acme-Watch ',
      due_date: '2024-11-01T02:00:00+04:00',
      ransomware: 'Known',
    }),
  )
  const { requiredAction, notes: noted, vendor, product, name, description, ...claim } = JSON.parse(item.body)
  assert.equal([...new Set([requiredAction, noted, vendor, product, name, description])], [null])
  assert.equal(claim, {
    cveId: 'CVE-2024-0001',
    catalog: 'acme-watch',
    dateAdded: '2024-10-24',
    dueDate: '2024-10-31',
    ransomware: 'known',
  })
  assert.equal([item.key, item.statedAt], ['acme-watch CVE-2024-0001', '2024-10-24T00:00:00.000Z'])
})

firstParty('a catalog with the name of another feed, or a day that does not exist, is broken', async () => {
  for (const catalog of ['cisa', 'CISA', 'vulncheck', 'euvd', 'a b', '-x', 'x'.repeat(65)]) {
    assert.match(
      await wrong('exploited', { catalog }),
      /^catalog must be a name of at most 64 letters, digits, _ and -, and none of cisa, vulncheck, euvd, not "/,
      catalog,
    )
  }
  assert.is(
    await wrong('exploited', { date_added: '2024-02-30' }),
    'date_added must be a day such as 2024-10-24, not "2024-02-30"',
  )
  assert.is(await wrong('exploited', { ransomware: 'yes' }), 'ransomware must be one of "known", "unknown", not "yes"')
  assert.match(
    await wrong('exploited', { notes: 'x'.repeat(600_000) }),
    /^its claim has \d+ characters; the limit is 524288$/,
  )
})

firstParty('a broken line is named by file and line, with every field that is wrong and what it takes', async () => {
  const items = await read(
    'reports',
    '',
    { ...LINES.reports, created_at: 'yesterday', modle: 'x', model: undefined },
    '{"id":',
    '[]',
    { ...LINES.reports, id: '7' },
    LINES.reports,
  )
  assert.equal(skips(items).slice(0, 1), [
    `${ID} item_invalid: reports.ndjson:2: model is missing; it must be a string; ` +
      'created_at must be a time (RFC 3339) such as 2024-10-24T08:00:00Z, not "yesterday"; it has unknown fields (modle); ' +
      'known fields are id, cve_id, report_type, model, created_at, status, report_text',
  ])
  assert.match(skips(items)[1]!, /^reports\.ndjson:3 json_invalid: it is not JSON: /)
  assert.equal(skips(items).slice(2), [
    'reports.ndjson:4 item_invalid: it is not a JSON object',
    'reports.ndjson:5 item_invalid: id must be a UUID such as 7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90, not "7"',
  ])
  assert.is(claimAt(items, 4).key, ID)
})

firstParty('a line that is no UTF-8 or longer than 8 MB is skipped, its neighbours are read', async () => {
  const good = JSON.stringify(LINES.reports)
  const long = JSON.stringify({ ...LINES.reports, report_text: 'x'.repeat(8 << 20) })
  const bytes = Buffer.concat([
    Buffer.from(`${long}\n{"id":"`),
    Buffer.from([0xff]),
    Buffer.from(`"}\r\n\ufeff${good}`),
  ])
  const items = await itemsOf('reports', folder.path, 'reports.ndjson.gz', gzipSync(bytes))
  assert.equal(skips(items), [
    'reports.ndjson.gz:1 entry_too_large: longer than 8388608 bytes, which is the limit',
    'reports.ndjson.gz:2 json_invalid: it is not UTF-8',
  ])
  assert.is(claimAt(items, 2).key, ID)
})

firstParty('half a surrogate pair is no text', async () => {
  assert.match(await wrong('reports', { report_text: '\ud800' }), /^report_text must be a string that is not blank/)
})

firstParty('a line that the corpus has is known by its bytes', async () => {
  await read('reports', LINES.reports)
  await expectKnown('reports', folder.path, 'reports.ndjson', ID, JSON.stringify(LINES.reports))
})

firstParty('files without a date are parts of a feed, files with one are editions of a part', () => {
  const feeds = putFeeds(join(folder.path, 'parts'), {
    'first-party/reports.ndjson': '',
    'first-party/reports-2024-10-23.ndjson': '',
    'first-party/reports-2024-10-24.ndjson.gz': '',
    'first-party/2024-10-25/reports.ndjson': '',
    'first-party/reports-team_a.ndjson': '',
    'first-party/eu/reports.ndjson': '',
    'first-party/report-types.ndjson': '',
    'first-party/notes.txt': '',
  })
  const chosen = (asOf: string | null) =>
    chooseFiles(findFirstParty(feeds, 'reports'), asOf).map(({ name, part }) => `${part}: ${name}`)
  const others = ['eu/reports: first-party/eu/reports.ndjson', 'reports-team_a: first-party/reports-team_a.ndjson']
  assert.equal(chosen(null).sort(), [others[0], others[1], 'reports: first-party/2024-10-25/reports.ndjson'])
  assert.ok(chosen('2024-10-24').includes('reports: first-party/reports-2024-10-24.ndjson.gz'))
  assert.ok(chosen('2024-10-01').includes('reports: first-party/reports.ndjson'))
  assert.equal(
    findFirstParty(feeds, 'report-types').map(({ name }) => name),
    ['first-party/report-types.ndjson'],
  )
})

firstParty('a file of lines that belongs to no feed is an error, because it would be overlooked', async () => {
  for (const name of ['report.ndjson', 'reportss.ndjson', 'reports.jsonl', 'scores.ndjson.gz']) {
    const feeds = putFeeds(join(folder.path, `stray-${name}`), { [`first-party/${name}`]: '' })
    assert.match(
      await errorOf(() => findFirstParty(feeds, 'detections')),
      /^file_invalid: first-party\/\S+ belongs to no feed; rename it to <feed>\.ndjson/,
    )
  }
})

firstParty('the examples of FORMAT.md are taken as they stand, and its tables have every field', async () => {
  const format = readFileSync(join(import.meta.dirname, '../../../../corpus/feeds/first-party/FORMAT.md'), 'utf8')
  for (const feed of FIRST_PARTY) {
    const section = format.split(`\n### ${feed}\n`)[1]?.split('\n#')[0]
    assert.ok(section, `FORMAT.md has no section ${feed}`)
    const examples = [...section.matchAll(/^ {4}(\{.*\})$/gm)].map(([, line]) => line!)
    const items = await read(feed, ...examples)
    assert.equal([items.length, skips(items), notes(items)], [1, [], []])
    // The error for an unknown field lists all known fields, including those of an affected entry.
    const unknown = { ...LINES[feed], '?': 1, ...(feed === 'analyses' && { affected: [{ '?': 1 }] }) }
    const names = [
      ...skips(await read(feed, unknown))
        .join()
        .matchAll(/\(\?\); known fields are ([\w, ]+)/g),
    ]
    assert.is(names.length, feed === 'analyses' ? 2 : 1)
    for (const name of names.flatMap(([, list]) => list!.split(', '))) {
      assert.ok(section.includes(`\`${name}\``), `${feed}: FORMAT.md does not name ${name}`)
    }
  }
})

firstParty('an ingest reports a broken line and keeps what it had of that item', async () => {
  const feeds = join(folder.path, 'night')
  const report = (n: number) => ({ ...LINES.reports, id: `${ID.slice(0, -2)}${10 + n}` })
  const lines = Array.from({ length: 20 }, (_, n) => JSON.stringify(report(n)))
  putFeeds(feeds, {
    'cvelistv5/2024-10-24_all_CVEs.zip': baselineZip([{ id: 'CVE-2024-0001' }]),
    'first-party/reports.ndjson': lines.join('\n'),
  })
  const corpus = join(folder.path, 'night.db')
  await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  lines[3] = JSON.stringify({ ...report(3), created_at: 'yesterday' })
  putFeeds(feeds, { 'first-party/reports.ndjson': lines.join('\n') })
  const second = await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  const figures = second.feeds.find(({ name }) => name === 'reports')!
  assert.equal([figures.read, figures.kept, figures.held, figures.removed], [20, 19, 1, 0])
  assert.match(
    formatIngestReport(second),
    /\n +1 skipped reports record \(item_invalid\): 7b6c1f0e-\S+ \(first-party\/reports\.ndjson:4: created_at must be a time/,
  )
})

firstParty.run()
