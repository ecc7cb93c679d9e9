/** A CVE and an advisory with markup in every text, for the pages of the explorer. */
import { join } from 'node:path'
import { type CveId, cveBlock } from '../../corpus/model/ids/cve-id.ts'
import { addToZip } from './feeds.ts'

/** In every text that it can have, this record has markup that must be shown as text, and links that must not be links. */
export const HOSTILE = 'CVE-2026-90011' satisfies CveId
export const HOSTILE_ADVISORY = 'GHSA-xx11-xx22-xx33'
export const TARGET_IN_CODE = '<a name="code"></a>'
const MARKUP =
  '<script>document.title = "run"</script><b>bold</b><img src="https://elsewhere.example/i.png" onerror="document.title = \'run\'">'
export const HOSTILE_TITLE = `Title ${MARKUP}`

/** Adds them to the CVE list and the advisories of a night. */
export function addHostileRecords(feeds: string, night: string): void {
  const dates = { datePublished: '2026-05-12T09:00:00.000Z', dateUpdated: '2026-05-12T09:00:00.000Z' }
  const cna = {
    providerMetadata: {
      orgId: '00000000-0000-4000-8000-000000000009',
      shortName: 'mirador',
      dateUpdated: dates.dateUpdated,
    },
    title: HOSTILE_TITLE,
    descriptions: [{ lang: 'en', value: `Description ${MARKUP}` }],
    affected: [
      { vendor: `Vendor ${MARKUP}`, product: `Product ${MARKUP}`, versions: [{ version: '1', status: 'affected' }] },
    ],
    references: [
      { url: 'javascript:document.title="run"', name: 'script' },
      { url: 'https://elsewhere.example/advisory?a=1&b="2"', name: `Name ${MARKUP}` },
    ],
  }
  addToZip(join(feeds, 'cvelistv5', `${night}_all_CVEs.zip`), {
    [`cves/${cveBlock(HOSTILE)}/${HOSTILE}.json`]: {
      dataType: 'CVE_RECORD',
      dataVersion: '5.1',
      cveMetadata: { cveId: HOSTILE, state: 'PUBLISHED', assignerShortName: 'mirador', ...dates },
      containers: { cna },
    },
  })
  const times = { modified: '2026-05-13T09:00:00Z', published: '2026-05-12T09:00:00Z' }
  const path = `advisories/github-reviewed/2026/05/${HOSTILE_ADVISORY}/${HOSTILE_ADVISORY}.json`
  addToZip(join(feeds, 'ghsa', night, 'advisory-database.zip'), {
    [path]: {
      schema_version: '1.4.0',
      id: HOSTILE_ADVISORY,
      ...times,
      aliases: [HOSTILE],
      summary: `Summary ${MARKUP}`,
      details: [
        '## Impact',
        MARKUP,
        '![image](https://elsewhere.example/i.png)',
        '[script](javascript:document.title="run") [page](https://elsewhere.example/page)',
        '<a href="javascript:document.title=\'run\'" onclick="document.title=\'run\'">markup</a>',
        '<iframe src="https://elsewhere.example/"></iframe><style>body{display:none}</style>',
        '<form action="https://elsewhere.example/"><input name="token"></form>',
        '# <a name="target"></a>Heading with a target',
        `\`${TARGET_IN_CODE}\``,
        `| Package | ${'Affected versions | '.repeat(5)}\n|${'---|'.repeat(6)}\n| hostile-package | ${'1.0.0 | '.repeat(5)}`,
        `    ${'code '.repeat(60)}`,
        'Other code',
        `    ${'code '.repeat(60)}code`,
      ].join('\n\n'),
      severity: [],
      affected: [
        {
          package: { ecosystem: 'npm', name: 'hostile-package' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0.1' }] }],
        },
      ],
      references: [{ type: 'WEB', url: 'https://elsewhere.example/advisory' }],
      database_specific: { cwe_ids: ['CWE-79'], severity: 'HIGH', github_reviewed: true, nvd_published_at: null },
    },
  })
}
