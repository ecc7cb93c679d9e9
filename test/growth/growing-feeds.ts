/** Feeds with one record of each kind that grows: what a hostile publisher could write. */
import { type CveId, cveBlock } from '../../corpus/model/ids/cve-id.ts'
import { epssCsv, type FeedFiles, kevJson, zipOf } from '../support/feeds.ts'

/** Has everything `n` times in one record. */
export const LARGE = 'CVE-2026-90001' satisfies CveId
/** Shares its product and its weakness with `n` others. */
export const FIRST_OF_MANY = 'CVE-2026-10000' satisfies CveId
export const CPE = 'cpe:2.3:a:acme:widget:1500:*:*:*:*:*:*:*'

const times = { datePublished: '2026-05-20T09:00:00.000Z', dateUpdated: '2026-05-20T09:00:00.000Z' }
const provider = { orgId: '00000000-0000-4000-8000-000000000001', shortName: 'acme', dateUpdated: times.dateUpdated }
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i)

function recordOf(id: CveId, cna: object): [name: string, content: string] {
  const record = {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: { cveId: id, state: 'PUBLISHED', assignerShortName: 'acme', ...times },
    containers: { cna: { providerMetadata: provider, ...cna } },
  }
  return [`cves/${cveBlock(id)}/${id}.json`, JSON.stringify(record)]
}

function largeRecord(n: number): object {
  const score = { version: '3.1', baseScore: 9.8, baseSeverity: 'CRITICAL' }
  const text = (value: string) => [{ lang: 'en', value }]
  return {
    title: 'A fault '.repeat(20),
    descriptions: text('A fault in Widget. '.repeat(n)),
    affected: [
      {
        vendor: 'Acme',
        product: 'Widget',
        defaultStatus: 'affected',
        versions: [
          ...numbers(n).map((i) => ({
            version: '0',
            lessThan: `${1000 + i}`,
            status: 'affected',
            versionType: 'custom',
          })),
          ...numbers(n).map((i) => ({ version: `x${i}`, status: 'unaffected' })),
        ],
      },
      ...numbers(n).map((i) => ({
        vendor: 'Acme',
        product: `Part ${i}`,
        versions: [{ version: `${i}`, status: 'affected' }],
      })),
      {
        vendor: 'Acme',
        product: 'Gadget',
        cpes: numbers(n).map((i) => `cpe:2.3:a:acme:gadget:${i}:*:*:*:*:*:*:*`),
        versions: [{ version: '1', status: 'affected' }],
      },
    ],
    references: numbers(n).map((i) => ({ url: `https://acme.example/${i}`, tags: ['patch'] })),
    metrics: numbers(n).map(() => ({
      cvssV3_1: { ...score, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
    })),
    problemTypes: [
      {
        descriptions: numbers(Math.min(n, 900)).map((i) => ({
          lang: 'en',
          type: 'CWE',
          cweId: `CWE-${i + 1}`,
          description: `CWE-${i + 1}`,
        })),
      },
    ],
    credits: numbers(n).map((i) => ({ lang: 'en', type: 'finder', value: `Finder ${i}` })),
    workarounds: numbers(n).map((i) => ({ lang: 'en', value: `Turn off part ${i}.` })),
    timeline: numbers(n).map((i) => ({ lang: 'en', time: times.dateUpdated, value: `Step ${i}` })),
  }
}

const plainRecord = (i: number): object => ({
  descriptions: [{ lang: 'en', value: `A fault in Widget ${i}.` }],
  affected: [
    {
      vendor: 'Acme',
      product: 'Widget',
      versions: [{ version: '0', lessThan: `${i}`, status: 'affected', versionType: 'custom' }],
    },
  ],
  problemTypes: [{ descriptions: [{ lang: 'en', type: 'CWE', cweId: 'CWE-79', description: 'CWE-79' }] }],
  references: [{ url: 'https://acme.example/' }],
})

interface OsvAffected {
  events?: object[]
  versions?: string[]
  type?: string
}

function advisoryOf(
  id: string,
  ecosystem: string,
  name: string,
  { events, versions = [], type = 'SEMVER' }: OsvAffected,
  more: object = {},
): [name: string, content: string] {
  const ranges = events === undefined ? [] : [{ type, events }]
  const affected = [{ package: { ecosystem, name }, ranges, versions }]
  return [
    `${id}.json`,
    JSON.stringify({
      schema_version: '1.6.0',
      id,
      modified: '2026-05-30T00:00:00Z',
      published: '2026-05-29T00:00:00Z',
      summary: 's',
      details: 'd',
      affected,
      ...more,
    }),
  ]
}

/** Packages by name: what grows in their advisories. */
export const PACKAGES = ['ring', 'events', 'versions', 'spellings', 'aliases'] as const

function npmAdvisories(n: number): [name: string, content: string][] {
  const fixed = (version: string) => [{ introduced: '0' }, { fixed: version }]
  const id = (kind: string, i: number) => `GHSA-${kind}-${String(i).padStart(6, '0')}-x`
  return [
    ...numbers(n).map((i) =>
      advisoryOf(
        id('ring', i),
        'npm',
        'ring',
        { events: fixed(`${i + 1}.0.0`) },
        { aliases: [id('ring', (i + 1) % n)] },
      ),
    ),
    advisoryOf(id('evts', 0), 'npm', 'events', {
      events: numbers(n).flatMap((i) => [{ introduced: `${i}.0.0` }, { fixed: `${i}.5.0` }]),
    }),
    advisoryOf(id('vers', 0), 'npm', 'versions', { versions: numbers(n).map((i) => `${i}.0.0`) }),
    ...numbers(n).map((i) =>
      advisoryOf(
        id('fold', i),
        'npm',
        [...'spellings'].map((letter, k) => ((i >> k) & 1 ? letter.toUpperCase() : letter)).join(''),
        { events: fixed(`${i + 1}.0.0`) },
      ),
    ),
    advisoryOf(
      id('alis', 0),
      'npm',
      'aliases',
      { events: fixed('1.0.0') },
      { aliases: numbers(n).map((i) => id('othr', i)) },
    ),
  ]
}

const debianAdvisories = (n: number) => [
  advisoryOf('DSA-1-1', 'Debian:12', 'bomb', {
    type: 'ECOSYSTEM',
    events: [{ introduced: '0' }, { fixed: `1-${':'.repeat(900)}-x0` }],
    versions: numbers(n).map((i) => `1-${':'.repeat(900)}-x${i}`),
  }),
]

/** Returns the feeds of one night, with `n` of everything. */
export function growingFeeds(n: number): FeedFiles {
  const many = numbers(n).map((i): CveId => `CVE-2026-${10_000 + i}`)
  const records = [recordOf(LARGE, largeRecord(n)), ...many.map((id, i) => recordOf(id, plainRecord(i)))]
  return {
    'cvelistv5/2026-06-01_all_CVEs.zip': zipOf(Object.fromEntries(records)),
    'kev/known_exploited_vulnerabilities.json': kevJson([LARGE, ...many]),
    'epss/epss_scores-2026-06-01.csv.gz': epssCsv(
      [LARGE, ...many].map((id, i) => [id, i / (2 * n + 2), 0.5]),
      '2026-06-01',
    ),
    'osv/npm/all.zip': zipOf(Object.fromEntries(npmAdvisories(n))),
    'osv/Debian/all.zip': zipOf(Object.fromEntries(debianAdvisories(n))),
  }
}
