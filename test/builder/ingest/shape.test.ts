/**
 * A publisher that renames a field or changes a type: the ingest stops with the feed's name and the way out, instead of
 * emptying the field in every record.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FeedName } from '../../../corpus/feeds/table.ts'
import { cveRecord } from '../../support/feeds.ts'
import { FORMS, id, items, openNight, removeNights, reportOf, TODAY } from './good-night.ts'

const test = suite('shape')
const NEXT = '2024-06-03'

const CVSS = { vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', baseScore: 9.8, baseSeverity: 'CRITICAL' }
const SSVC = {
  type: 'ssvc',
  content: { options: [{ Exploitation: 'poc' }, { Automatable: 'yes' }, { 'Technical Impact': 'total' }] },
}

/** A record with all that a CVE record states. */
function fullRecord(n: number): string {
  const record = cveRecord({ id: id(n) }) as { containers: { cna: object; adp?: object[] } }
  const problemTypes = [{ descriptions: [{ lang: 'en', description: 'CWE-79 Scripting', cweId: 'CWE-79' }] }]
  Object.assign(record.containers.cna, { metrics: [{ cvssV3_1: CVSS }], problemTypes })
  record.containers.adp = [{ providerMetadata: { shortName: 'CISA-ADP' }, metrics: [{ other: SSVC }] }]
  return JSON.stringify(record)
}

function fullNvd(n: number): string {
  const { cve } = JSON.parse(FORMS.nvd.item(n))
  const cpeMatch = [{ vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*' }]
  return JSON.stringify({
    cve: {
      ...cve,
      descriptions: [{ lang: 'en', value: 'A flaw.' }],
      metrics: { cvssMetricV31: [{ source: 'nvd@nist.gov', cvssData: CVSS }] },
      weaknesses: [{ type: 'Primary', description: [{ lang: 'en', value: 'CWE-79' }] }],
      configurations: [{ nodes: [{ operator: 'OR', cpeMatch }] }],
      references: [{ url: 'https://a.example' }],
    },
  })
}

const entry = (name: 'ghsa' | 'osv') => (n: number) =>
  JSON.stringify({
    ...JSON.parse(FORMS[name].item(n)),
    details: 'A flaw.',
    severity: [{ type: 'CVSS_V3', score: CVSS.vectorString }],
    affected: [{ package: { ecosystem: 'npm', name: `p${n}` }, versions: ['1.0.0'] }],
    references: [{ type: 'WEB', url: 'https://a.example' }],
    database_specific: { cwe_ids: ['CWE-79'] },
  })

const FULL: Partial<Record<FeedName, (n: number) => string>> = {
  cvelist: fullRecord,
  nvd: fullNvd,
  ghsa: entry('ghsa'),
  osv: entry('osv'),
  nuclei: (n) => JSON.stringify({ ID: id(n), Info: { Name: 'A template' }, file_path: `http/${id(n)}.yaml` }),
  metasploit: (n) => FORMS.metasploit.item(n).replace('}', ',"disclosure_date":"2024-05-20"}'),
}

/** A field, and what the records lose when it has another name. */
const RENAMED: [feed: FeedName, field: string, facet: string][] = [
  ['cvelist', 'options', 'SSVC'],
  ['cvelist', 'cvssV3_1', 'CVSS'],
  ['cvelist', 'metrics', 'SSVC'],
  ['cvelist', 'affected', 'affected'],
  ['cvelist', 'references', 'references'],
  ['cvelist', 'problemTypes', 'CWE'],
  ['cvelist', 'descriptions', 'CWE'],
  ['nvd', 'metrics', 'CVSS'],
  ['nvd', 'cvssData', 'CVSS'],
  ['nvd', 'configurations', 'affected'],
  ['nvd', 'cpeMatch', 'affected'],
  ['nvd', 'weaknesses', 'CWE'],
  ['nvd', 'references', 'references'],
  ['ghsa', 'severity', 'CVSS'],
  ['ghsa', 'affected', 'affected'],
  ['ghsa', 'cwe_ids', 'CWE'],
  ['osv', 'versions', 'affected'],
  ['osv', 'references', 'references'],
  ['osv', 'aliases', 'CVE ids'],
  ['osv', 'package', 'name'],
  ['kev', 'vendorProject', 'name'],
  ['kev', 'knownRansomwareCampaignUse', 'ransomware use'],
  ['cna', 'organizationName', 'name'],
  ['cna', 'securityAdvisories', 'links'],
  ['metasploit', 'references', 'CVE ids'],
  ['metasploit', 'disclosure_date', 'date'],
  ['nuclei', 'file_path', 'links'],
  ['nuclei', 'Info', 'name'],
  ['poc', 'html_url', 'links'],
]

const full = (name: FeedName) => items(name).map((item, i) => FULL[name]?.(i + 1) ?? item)

/** Returns a night whose corpus has full records, and a function that puts other ones. */
async function nightOf(name: FeedName) {
  const night = await openNight()
  const put = (all: readonly string[], day: string) =>
    night.put({ [FORMS[name].path(day)]: FORMS[name].file(all, day) })
  put(full(name), TODAY)
  await night.run()
  return { ...night, put }
}

for (const [name, field, facet] of RENAMED) {
  test(`${name} with ${field} renamed: the records lost ${facet}, so the ingest stops`, async () => {
    const night = await nightOf(name)
    const renamed = full(name).map((item) => item.replaceAll(`"${field}"`, `"${field}V2"`))
    assert.is.not(renamed[0], full(name)[0])
    night.put(renamed, NEXT)
    const { code, message } = await night.refusal()
    assert.is(code, 'feed-lost-values')
    assert.match(
      message,
      /^[^:]+: 20 of the corpus's 20 records with .* \(100\.0 %\) lost it, more than 10 %, such as /,
    )
    assert.ok(message.includes(`records with ${facet} (`), message)
    assert.match(message, /--accept-shrink accepts it$/)
    const report = await night.run({ acceptShrink: true })
    assert.ok(reportOf(report, name).lostFacets.some((one) => one.facet === facet && one.lost === 20))
    night.put(full(name), '2024-06-04')
    assert.equal(reportOf(await night.run(), name).lostFacets, [])
  })
}

test('a new form that reaches only the changed records is found too', async () => {
  const night = await openNight()
  const all = Array.from({ length: 400 }, (_, i) => fullRecord(i + 1))
  const put = (count: number, day: string) => {
    const renamed = all.map((item, i) => (i < count ? item.replace('"options"', '"choices"') : item))
    night.put({ [FORMS.cvelist.path(day)]: FORMS.cvelist.file(renamed, day) })
  }
  put(0, TODAY)
  await night.run()
  put(19, NEXT)
  assert.equal(
    reportOf(await night.run(), 'cvelist').lostFacets,
    [{ facet: 'SSVC', had: 400, rewritten: 19, lost: 19, example: id(1) }],
    'too few to tell',
  )
  put(19 + 20, '2024-06-04')
  const { code, message } = await night.refusal()
  assert.is(code, 'feed-lost-values')
  assert.match(message, /^CVE list: 20 of 20 changed records with SSVC \(100\.0 %\) lost it, such as CVE-2024-1020; /)
})

test('values of another type in all records stop the ingest, in a few they are defects of the report', async () => {
  const night = await nightOf('cvelist')
  const asText = (item: string) => item.replace('"name":"x"', '').replace('"lang":"en"', '"lang":["en"]')
  night.put(
    full('cvelist').map((item, i) => (i < 2 ? asText(item) : item)),
    NEXT,
  )
  const { notes, unreadable } = reportOf(await night.run(), 'cvelist')
  assert.equal(
    notes.map(({ reason, items }) => [reason, items.map(({ key }) => key)]),
    [['type-wrong', [id(1), id(2)]]],
  )
  assert.equal([unreadable.before, unreadable.now, unreadable.read], [0, 2, 2])
  night.put(full('cvelist').map(asText), '2024-06-04')
  const { code, message } = await night.refusal()
  assert.is(code, 'feed-lost-values')
  assert.match(
    message,
    /^CVE list: 20 of 20 records have values that cannot be read, 2 had them before, such as CVE-2024-1003 \(containers\.cna\.descriptions\[0\]\.lang is not a text: \["en"\]\); /,
  )
})

test('rejected records and withdrawn advisories lose nothing', async () => {
  const night = await openNight()
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file(full('cvelist'), TODAY) })
  night.put({ [FORMS.osv.path(TODAY)]: FORMS.osv.file(full('osv'), TODAY) })
  await night.run()
  const rejected = full('cvelist').map((_, i) => JSON.stringify(cveRecord({ id: id(i + 1), state: 'REJECTED' })))
  const withdrawn = full('osv').map((item) => item.replace('"details"', '"withdrawn":"2024-06-01T00:00:00Z","details"'))
  night.put({ [FORMS.cvelist.path(NEXT)]: FORMS.cvelist.file(rejected, NEXT) })
  night.put({ [FORMS.osv.path(NEXT)]: FORMS.osv.file(withdrawn, NEXT) })
  const report = await night.run()
  assert.equal([reportOf(report, 'cvelist').lostFacets, reportOf(report, 'osv').lostFacets], [[], []])
  assert.is(report.records.removed, 20)
})

test.after(removeNights)
test.run()
