/**
 * Nights with one bad item in a feed: the item is skipped by name, the corpus keeps its previous version, and
 * everything else is read. Unusual but valid content stops nothing. A build follows, to check that the result can be
 * served.
 */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { build } from '../../../builder/snapshot/build.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { FeedName } from '../../../corpus/feeds/table.ts'
import { quietEffects } from '../../support/dist.ts'
import { zipOf } from '../../support/feeds.ts'
import {
  COUNT,
  FORMS,
  id,
  items,
  NAMES,
  type Night,
  openNight,
  removeNights,
  reportOf,
  skipsOf,
  TODAY,
  YESTERDAY,
} from './good-night.ts'

const test = suite('faulty items')

const ROWS: FeedName[] = ['epss', 'exploitdb']
const JSON_FEEDS = NAMES.filter((name) => name !== 'cwe' && !ROWS.includes(name))
/** Feeds with one file per item. */
const TREES: FeedName[] = ['poc', 'ghsa', 'osv', 'cvelist']
const OWN: FeedName[] = ['report-types', 'reports', 'analyses', 'service-scores', 'detections', 'exploited']
/** Feeds of lines that reject unknown fields. */
const isOwn = (name: FeedName) => OWN.includes(name)

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
/** Returns an item's text with one more member at the start. */
function withMember(item: string, json: string): string {
  const at = item.indexOf('{', item.startsWith('"') ? item.indexOf(':') : 0) + 1
  return `${item.slice(0, at)}${json},${item.slice(at)}`
}

/** Returns the text without a member of its object. */
function withoutMember(item: string, name: string): string {
  const at = item.startsWith('"') ? item.indexOf(':') + 1 : 0
  const { [name]: _gone, ...rest } = JSON.parse(item.slice(at)) as Record<string, unknown>
  return item.slice(0, at) + JSON.stringify(rest)
}

/** Writes today's file with a damaged first item, and ingests it; on threads if `jobs` is set. */
async function nightWith(name: FeedName, first: string, jobs = 0): Promise<{ night: Night; skips: string[] }> {
  const night = await openNight()
  night.put({ [FORMS[name].path(TODAY)]: FORMS[name].file([first, ...items(name).slice(1)], TODAY) })
  const report = await night.run({ jobs })
  const { read, kept, held, removed } = reportOf(report, name)
  const skips = skipsOf(report, name)
  assert.is(read, COUNT)
  assert.is(kept, COUNT - skips.length)
  assert.equal([held, removed], [skips.length, 0], `what the corpus had stays: ${skips}`)
  return { night, skips }
}

const buildOf = ({ corpus, feeds }: Night) =>
  build({ corpus, dist: join(feeds, '../dist'), jobs: 0 }, quietEffects(), noProgress)

/** A field that each adapter reads, to contain an unexpected value. */
const READ_FIELDS: Partial<Record<FeedName, string>> = {
  kev: 'notes',
  vulncheck: 'product',
  euvd: 'product',
  exploited: 'ransomware',
  cna: 'scope',
  metasploit: 'rank',
  nuclei: 'Info',
  'report-types': 'output_schema',
  reports: 'report_text',
  analyses: 'summary',
  'service-scores': 'base_score',
  detections: 'confidence',
  ghsa: 'severity',
  osv: 'affected',
  nvd: 'format',
  cvelist: 'containers',
  capec: 'x_capec_status',
}

for (const depth of [101, 10_000, 100_000]) {
  for (const name of JSON_FEEDS) {
    for (const [where, field] of [
      ['where nobody reads', 'unread'],
      ['in a field that is read', READ_FIELDS[name]],
    ]) {
      if (field === undefined || (depth === 101 && field !== 'unread')) continue
      test(`${name}: an item nested ${depth} deep ${where} is left out`, async () => {
        const first = FORMS[name].item(1)
        const spoiled = first.startsWith('[')
          ? `[${nested(depth)},${first.slice(1)}`
          : withMember(withoutMember(first, field), `"${field}":${nested(depth)}`)
        const { skips } = await nightWith(name, spoiled)
        assert.equal(skips, [`${FORMS[name].key(1)} json_too_deep`])
      })
    }
  }
}

test('items nested too deep are left out by worker threads as well', async () => {
  const count = 30_000
  const texts = Array.from({ length: count }, (_, i) => FORMS.cvelist.item(i + 1))
  texts[0] = withMember(texts[0]!, `"unread":${nested(100_000)}`)
  const night = await openNight()
  // Uncompressed, because threads start only for a large file.
  const files = texts.map((text, i) => [`cves/CVE-2024-${1001 + i}.json`, text + ' '.repeat(2000)])
  night.put({ [FORMS.cvelist.path(TODAY)]: zipOf(Object.fromEntries(files), 0) })
  const report = await night.run({ jobs: 2 })
  assert.equal(skipsOf(report, 'cvelist'), [`${id(1)} json_too_deep`])
  assert.is(report.records.total, count)
})

const BAD_BYTES = Buffer.from([0x22, 0x61, 0xff, 0x22])
/** Returns a file's bytes with `"BAD"` replaced by invalid UTF-8. */
const withBadBytes = (name: FeedName) => {
  const first = withMember(FORMS[name].item(1), '"unread":"BAD"')
  const at = Buffer.from(first).indexOf('"BAD"')
  const bytes = Buffer.from(first)
  return Buffer.concat([bytes.subarray(0, at), BAD_BYTES, bytes.subarray(at + 5)])
}

for (const name of ['ghsa', 'osv', 'cvelist'] as const) {
  test(`${name}: an item that is not UTF-8 is left out, not mended`, async () => {
    const night = await openNight()
    const rest = items(name).slice(1)
    const paths = FORMS[name].file(['', ...rest], TODAY)
    const files = unzipSync(Buffer.from(paths))
    const [first] = Object.keys(files)
    night.put({ [FORMS[name].path(TODAY)]: zipOf({ ...files, [first!]: withBadBytes(name) }) })
    assert.equal(skipsOf(await night.run(), name), [`${FORMS[name].key(1)} json_invalid`])
  })
}

for (const name of ['kev', 'cna', 'metasploit', 'exploitdb', 'cwe', 'capec'] as const) {
  test(`${name}: a file that is not UTF-8 is refused, not mended`, async () => {
    const night = await openNight()
    const bytes = Buffer.from(FORMS[name].file(items(name), TODAY))
    bytes[bytes.lastIndexOf('a')] = 0xff
    night.put({ [FORMS[name].path(TODAY)]: bytes })
    const error = await night.refusal()
    assert.is(error.code, 'feed-unusable')
    assert.match(error.message, /UTF-8/)
  })
}

/** Unusual content of texts and numbers that must not change the key. */
const ODDITIES: [what: string, json: string][] = [
  ['NUL characters', '"\\u0000"'],
  ['half a surrogate pair', '"\\ud800"'],
  ['a number that no double holds', '1e999'],
  ['a member called __proto__', '{"__proto__":{"polluted":true},"constructor":1,"toString":null}'],
]

for (const [what, json] of ODDITIES) {
  test(`${what}, in every feed at once, stops neither ingest nor build`, async () => {
    const night = await openNight()
    for (const name of JSON_FEEDS) {
      const texts = items(name)
      const field = READ_FIELDS[name] ?? 'unread'
      if (!isOwn(name) && name !== 'poc') {
        texts[0] = withMember(texts[0]!, `"unread":${json},"__proto__":${json}`)
        if (name !== 'cvelist') texts[1] = withMember(withoutMember(texts[1]!, field), `"${field}":${json}`)
      }
      if (name === 'poc') texts[0] = texts[0]!.replace(/"stargazers_count":3/, `"stargazers_count":${json}`)
      night.put({ [FORMS[name].path(TODAY)]: FORMS[name].file(texts, TODAY) })
    }
    const report = await night.run()
    assert.is(report.records.total, COUNT)
    for (const name of JSON_FEEDS) assert.equal(skipsOf(report, name), [], name)
    assert.is(({} as { polluted?: boolean }).polluted, undefined)
    await buildOf(night)
  })
}

test('keys with NUL characters and half surrogates are told apart, and can be built', async () => {
  const night = await openNight()
  const modules = ['a\\u0000b', 'a\\u0000c', 'a\\ud800'].map((odd) => `"m_${odd}":{"fullname":"exploit/${odd}"}`)
  night.put({ [FORMS.metasploit.path(TODAY)]: FORMS.metasploit.file([...items('metasploit'), ...modules], TODAY) })
  assert.is(reportOf(await night.run(), 'metasploit').added, 3)
  await buildOf(night)
})

const twice = (name: FeedName) => [...items(name), FORMS[name].item(1)]

for (const name of NAMES.filter((one) => !TREES.includes(one) && !['metasploit', 'capec'].includes(one))) {
  test(`${name}: an item that is there twice counts once, and is named`, async () => {
    const night = await openNight()
    night.put({ [FORMS[name].path(TODAY)]: FORMS[name].file(twice(name), TODAY) })
    const report = await night.run()
    const { read, kept } = reportOf(report, name)
    assert.equal([read, kept], [COUNT + 1, COUNT])
    const reason = name === 'cwe' ? 'item_invalid' : 'duplicate'
    assert.equal(skipsOf(report, name), [`${FORMS[name].key(1)} ${reason}`])
  })
}

for (const name of ['ghsa', 'osv', 'cvelist'] as const) {
  test(`${name}: an item whose id is not its file's is left out, and the corpus keeps what it had`, async () => {
    const { skips } = await nightWith(name, FORMS[name].item(2))
    assert.equal(skips, [`${FORMS[name].key(1)} id_differs_from_name`])
  })
}

for (const name of TREES) {
  test(`${name}: an item with a wrong CRC is left out, and the corpus keeps what it had`, async () => {
    const night = await openNight()
    const zip = Buffer.from(FORMS[name].file(items(name), TODAY))
    // The CRC-32 in the first entry of the directory (APPNOTE 4.3.12).
    zip.writeUInt32LE(1, zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 16)
    night.put({ [FORMS[name].path(TODAY)]: zip })
    const report = await night.run()
    assert.equal(skipsOf(report, name), [`${FORMS[name].key(1)} entry_damaged`])
    assert.is(reportOf(report, name).held, 1)
  })
}

test('the same zip of the CVE list twice, under two names of a day, is read once', async () => {
  const night = await openNight()
  const zip = FORMS.cvelist.file(items('cvelist', 21), TODAY)
  night.put({ [`cvelistv5/${TODAY}_all_CVEs.zip`]: zip, [`cvelistv5/${TODAY}_all_CVEs (1).zip`]: zip })
  const report = await night.run()
  assert.equal([reportOf(report, 'cvelist').read, report.records.added], [21, 1])
})

test('OSV entries in two files count once; the same bytes again are no superseded record', async () => {
  const night = await openNight()
  night.put({ [`osv/Go/${YESTERDAY}-all.zip`]: FORMS.osv.file(items('osv'), YESTERDAY) })
  const report = await night.run()
  const { read, kept, added, removed, skipped } = reportOf(report, 'osv')
  assert.equal([read, kept, added, removed, skipped], [COUNT, COUNT, 0, 0, []])
})

/** KEV after possible changes of its schema. */
const SCHEMAS: [what: string, change: (entry: Record<string, unknown>) => object, isTaken: boolean][] = [
  ['with a field that nobody knows', (entry) => ({ ...entry, dueTime: { at: ['noon'] }, cwes: ['CWE-79'] }), true],
  ['with its ids under another name', ({ cveID, ...entry }) => ({ cve_id: cveID, ...entry }), false],
  ['with its dates under another name', ({ dateAdded, ...entry }) => ({ date_added: dateAdded, ...entry }), false],
  ['with its dates in another form', (entry) => ({ ...entry, dateAdded: '05/20/2024' }), false],
  ['with its dates as numbers', (entry) => ({ ...entry, dateAdded: 1716163200 }), false],
  ['with its entries wrapped', (entry) => ({ cve: entry }), false],
]

for (const [what, change, isTaken] of SCHEMAS) {
  test(`KEV ${what} is ${isTaken ? 'taken' : 'refused, and the message shows the first entry'}`, async () => {
    const night = await openNight()
    const texts = items('kev').map((text) => JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)))
    night.put({ [FORMS.kev.path(TODAY)]: FORMS.kev.file(texts, TODAY) })
    if (isTaken) return assert.equal(skipsOf(await night.run(), 'kev'), [])
    const error = await night.refusal()
    assert.is(error.code, 'feed-empty')
    assert.match(
      error.message,
      /^KEV: no usable record among the 20 read; first skipped record in kev\/.*: .*(?:cveID|dateAdded) is no/,
    )
  })
}

const WHOLE: [what: string, text: (entries: string) => string][] = [
  ['whose list became an object', (entries) => `{"vulnerabilities":{"list":[${entries}]}}`],
  ['that became a list', (entries) => `[${entries}]`],
  ['whose list has another name', (entries) => `{"entries":[${entries}]}`],
]

for (const [what, text] of WHOLE) {
  test(`a KEV catalogue ${what} is refused by its file`, async () => {
    const night = await openNight()
    night.put({ [FORMS.kev.path(TODAY)]: text(items('kev').join()) })
    const error = await night.refusal()
    assert.is(error.code, 'feed-unusable')
    assert.match(error.message, /^KEV: kev\/2024-06-02\/known_.* is not a KEV catalog/)
  })
}

test('scores that are no numbers as EPSS writes them are left out by line', async () => {
  const night = await openNight()
  const rows = ['1e999', '0x1', 'Infinity', ' 1', '-0.1', '1.1', 'NaN', ''].map(
    (text, i) => `${id(i + 21)},${text},0.5`,
  )
  const head = '#model_version:v1,score_date:2024-06-02T00:00:00+0000\ncve,epss,percentile\n'
  night.put({ [FORMS.epss.path(TODAY)]: gzipSync(`${head}${[...items('epss'), ...rows].join('\n')}\n`) })
  assert.equal(
    skipsOf(await night.run(), 'epss'),
    rows.map((_, i) => `${id(i + 21)} item_invalid`),
  )
})

test.after(removeNights)
test.run()
