/** Which files of a folder belong to a feed, how they are dated, and which of them an ingest reads. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseFiles } from '../../../corpus/feeds/files/choice.ts'
import type { FeedName } from '../../../corpus/feeds/table.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { epssCsv, kevJson, putFeeds } from '../../support/feeds.ts'
import { feedOf } from './exploits/exploit-items.ts'
import { errorOf } from './reading.ts'

const folder = temporaryFolder('found')
let folders = 0
const put = (files: Record<string, string | Uint8Array>) => putFeeds(join(folder.path, String(folders++)), files)

const exploits = (...dates: string[]) =>
  ['id,description,date_published,author,type,platform,date_updated,verified,codes']
    .concat(dates.map((date, i) => `${i},"on 2030-01-01",2024-05-01,me,remote,linux,${date},1,`))
    .join('\n')
const EXPLOITS = exploits('2024-06-03', '2024-99-99')
const MODULES = JSON.stringify({
  a: { mod_time: '2024-06-01 10:00:00 +0200' },
  b: { mod_time: '2023-01-01 00:00:00 +0000' },
  c: { mod_time: 'soon' },
})
const nvdPage = (timestamp: string) =>
  JSON.stringify({ format: 'NVD_CVE', version: '2.0', timestamp, vulnerabilities: [] })

interface Case {
  feed: FeedName
  dates: string
  files: Record<string, string | Uint8Array>
  /** Part, date and version of each file that is found, as far as they are stated. */
  found: Record<string, readonly (string | null)[]>
  chosen?: string[]
}

const CASES: Case[] = [
  {
    feed: 'kev',
    dates: 'by what it states, else by its folder; schema and CSV are none',
    files: {
      'known_exploited_vulnerabilities.json': kevJson([], '2024-06-01T10:00:00.1234Z'),
      'known_exploited_vulnerabilities.csv': 'cveID',
      'known_exploited_vulnerabilities_schema.json': '{}',
      '2024-01-31/known_exploited_vulnerabilities.json': '{"vulnerabilities":[]}',
      '2024-01-30/known_exploited_vulnerabilities.json': 'cut of',
    },
    found: {
      '2024-01-30/known_exploited_vulnerabilities.json': ['2024-01-30'],
      '2024-01-31/known_exploited_vulnerabilities.json': ['2024-01-31'],
      'known_exploited_vulnerabilities.json': ['2024-06-01T10:00:00.123Z', '2024.06.01'],
    },
  },
  {
    feed: 'epss',
    dates: 'by its first line, in any zone, else by its name',
    files: {
      'epss_scores-2024-06-09.csv.gz': epssCsv([], '2024-06-02'),
      'epss_scores-2021-04-14.csv.gz': gzipSync('cve,epss,percentile\n'),
      'epss_scores-2024-06-03.csv': '#model_version:v9,score_date:2024-06-03T23:00:00-0200\ncve,epss,percentile\n',
      'epss_scores-2024-06-04.csv.gz': 'rotten',
    },
    found: {
      'epss_scores-2021-04-14.csv.gz': ['2021-04-14'],
      'epss_scores-2024-06-03.csv': ['2024-06-04T01:00:00.000Z', 'v9'],
      'epss_scores-2024-06-04.csv.gz': ['2024-06-04'],
      'epss_scores-2024-06-09.csv.gz': ['2024-06-02T00:00:00.000Z', 'v2024.01.01'],
    },
  },
  {
    feed: 'cna',
    dates: 'by its folder',
    files: { 'CNAsList.json': '[]', '2024-06-01/CNAsList.json': '[]' },
    found: { '2024-06-01/CNAsList.json': ['2024-06-01'], 'CNAsList.json': [] },
  },
  {
    feed: 'exploitdb',
    dates: 'by its name, else by the newest date in its rows',
    files: {
      'files_exploits.csv': EXPLOITS,
      '2024-01-02/files_exploits.csv.gz': gzipSync(EXPLOITS),
      'files_shellcodes.csv': EXPLOITS,
    },
    found: { '2024-01-02/files_exploits.csv.gz': ['2024-01-02'], 'files_exploits.csv': ['2024-06-03'] },
  },
  {
    feed: 'metasploit',
    dates: 'by its name, else by its newest module',
    files: { 'modules_metadata_base.json': MODULES, 'modules_metadata_base-2024-05-05.json': MODULES },
    found: {
      'modules_metadata_base-2024-05-05.json': ['2024-05-05'],
      'modules_metadata_base.json': ['2024-06-01T08:00:00.000Z'],
    },
  },
  {
    feed: 'nuclei',
    dates: 'by its name alone',
    files: { 'cves.json': '{}', 'cves-2024-05-05.json.gz': '' },
    found: { 'cves-2024-05-05.json.gz': ['2024-05-05'], 'cves.json': [] },
  },
  {
    feed: 'osv',
    dates: 'by its name; the newest file of the whole and of each ecosystem counts',
    files: {
      'all.zip': '',
      'Go/all.zip': '',
      'Go/all-2024-05-01.zip': '',
      'Debian:12/2024-06-01_all.zip': '',
      'npm/all/MAL-1.json': '',
      'npm/others.zip': '',
    },
    found: {
      'Debian:12/2024-06-01_all.zip': ['Debian:12', '2024-06-01'],
      'Go/all-2024-05-01.zip': ['Go', '2024-05-01'],
      'Go/all.zip': ['Go'],
      'all.zip': [],
      'npm/all': ['npm', 'folder'],
    },
    chosen: ['all.zip', 'Debian:12/2024-06-01_all.zip', 'Go/all-2024-05-01.zip', 'npm/all'],
  },
  {
    feed: 'nvd',
    dates: 'by what it states; every file is a part, and of pages under one name the newest counts',
    files: {
      'nvdcve-2.0-2023.json.gz': gzipSync(nvdPage('2024-05-03T00:00:00.5')),
      'nvdcve-2.0-modified.json': nvdPage('2024-05-04T00:00:00'),
      'page-1-2024-04-01.json': '{"vulnerabilities":[{"timestamp":"2020-01-01"}]}',
      'page-1-2024-05-01.json': 'damaged',
      'page-2.json.gz': 'no gzip',
      'nvdcpematch-2.0.json': '{}',
      'notes.txt': '',
    },
    found: {
      'nvdcve-2.0-2023.json.gz': ['nvdcve-2.0-2023', '2024-05-03T00:00:00.500Z'],
      'nvdcve-2.0-modified.json': ['nvdcve-2.0-modified', '2024-05-04T00:00:00.000Z'],
      'page-1-2024-04-01.json': ['page-1', '2024-04-01'],
      'page-1-2024-05-01.json': ['page-1', '2024-05-01'],
      'page-2.json.gz': ['page-2'],
    },
    chosen: ['nvdcve-2.0-2023.json.gz', 'nvdcve-2.0-modified.json', 'page-1-2024-05-01.json', 'page-2.json.gz'],
  },
  {
    feed: 'ghsa',
    dates: 'by its name; a checkout has other files in it',
    files: {
      'advisory-database.zip': '',
      'advisory-database-2024-05-01.zip': '',
      'other.zip': '',
      '2024-05-02/advisories/unreviewed/2024/05/GHSA-aaaa-bbbb-2222/GHSA-aaaa-bbbb-2222.json': '{}',
      '2024-05-02/advisories/README.json': '{}',
    },
    found: {
      '2024-05-02/advisories': ['2024-05-02', 'folder'],
      'advisory-database-2024-05-01.zip': ['2024-05-01'],
      'advisory-database.zip': [],
    },
  },
  {
    feed: 'poc',
    dates: 'by its name, a checkout as well',
    files: {
      'PoC-in-GitHub/2024/CVE-2024-0001.json': '[]',
      'PoC-in-GitHub/README.md': '',
      '2024-10-10_PoC-in-GitHub.zip': '',
    },
    found: { '2024-10-10_PoC-in-GitHub.zip': ['2024-10-10'], 'PoC-in-GitHub': ['folder'] },
  },
]

for (const { feed, dates, files, found, chosen } of CASES) {
  test(`a file of ${feed} is dated ${dates}`, async () => {
    const all = await feedOf(feed).find(
      put(Object.fromEntries(Object.entries(files).map(([name, content]) => [`${feed}/${name}`, content]))),
    )
    const nameOf = ({ name }: { name: string }) => name.slice(feed.length + 1)
    const stated = all.map((file) => [
      nameOf(file),
      [
        file.part || null,
        file.date,
        file.version === file.date ? null : file.version,
        file.folder ? 'folder' : null,
      ].filter((one) => one !== null),
    ])
    assert.equal(stated, Object.entries(found))
    if (chosen) assert.equal(chooseFiles(all, null).map(nameOf), chosen)
  })
}

test('a file that nothing dates, or that cannot be read and has no date in its name, is an error', async () => {
  const undated = gzipSync('#model_version:v1,score_date:soon\ncve,epss,percentile\nCVE-2024-0001,0.5,0.9\n')
  const cases: [feed: FeedName, files: Record<string, string | Uint8Array>, error: string][] = [
    [
      'epss',
      { 'epss/epss_scores-current.csv.gz': undated },
      'epss/epss_scores-current.csv.gz has no date in its first line (score_date) or in its name',
    ],
    [
      'kev',
      {
        'kev/known_exploited_vulnerabilities.json': '{"vulner',
        'kev/2024-01-31/known_exploited_vulnerabilities.json': '{"vulnerabilities":[]}',
      },
      'kev/known_exploited_vulnerabilities.json is not JSON',
    ],
  ]
  for (const [feed, files, error] of cases) {
    const found = await errorOf(async () => await feedOf(feed).find(put(files)))
    assert.ok(found.startsWith(`file_invalid: ${error}`), found)
  }
})

test.after(folder.remove)
test.run()
