/** Records of kinds that the sample has not: what filters, orders and text search must get right as well. */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CveId, cveBlock } from '../../corpus/model/ids/cve-id.ts'
import { addToZip } from './feeds.ts'

interface OddRecord {
  id: CveId
  title?: string
  published: string
  assigner: string
  /** A vector of CVSS 3.1 and its score. */
  score?: [vector: string, score: number]
}

/** Two of one moment, whose numbers sort otherwise as text than as numbers; the first and last moment of a day. */
const SAME = '2026-05-10T12:00:00.000Z'
const HARMLESS: [string, number] = ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0]

const ODD: readonly OddRecord[] = [
  { id: 'CVE-2026-90002', title: '100%_done: "quoted" \\ back', published: SAME, assigner: 'ÅngMark', score: HARMLESS },
  { id: 'CVE-2026-900021', title: 'ΟΔΟΣ in Straße, 100x_done', published: SAME, assigner: 'ÅngMark', score: HARMLESS },
  { id: 'CVE-2026-90003', published: SAME, assigner: 'ÅngMark Nord' },
  { id: 'CVE-2026-90004', title: 'First of a day 😀', published: '2026-05-11T00:00:00.000Z', assigner: 'mirador' },
  { id: 'CVE-2026-90005', title: 'Last of a day', published: '2026-05-11T23:59:59.999Z', assigner: 'MIRADOR' },
]

/** Reserved, without a date; and one that was rejected. */
export const RESERVED = 'CVE-2026-90001' satisfies CveId
export const REJECTED = 'CVE-2026-90009' satisfies CveId
/** Nobody has ever heard of it. */
export const UNKNOWN = 'CVE-2026-99999999' satisfies CveId

const provider = (shortName: string, dateUpdated: string) => ({
  orgId: '00000000-0000-4000-8000-000000000009',
  shortName,
  dateUpdated,
})

function published({ id, title, published: date, assigner, score }: OddRecord): object {
  const cvssV3_1 = score && { version: '3.1', vectorString: score[0], baseScore: score[1], baseSeverity: 'NONE' }
  const cna = {
    providerMetadata: provider(assigner, date),
    ...(title === undefined ? {} : { title }),
    descriptions: [{ lang: 'en', value: 'Something odd. It has no name.' }],
    affected: [{ vendor: 'Odd', product: 'Thing', versions: [{ version: '1.0', status: 'affected' }] }],
    references: [{ url: `https://odd.example/${id}` }],
    ...(cvssV3_1 ? { metrics: [{ cvssV3_1 }] } : {}),
  }
  const cveMetadata = {
    cveId: id,
    state: 'PUBLISHED',
    assignerShortName: assigner,
    datePublished: date,
    dateUpdated: date,
  }
  return { dataType: 'CVE_RECORD', dataVersion: '5.1', cveMetadata, containers: { cna } }
}

const reserved = {
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: { cveId: RESERVED, state: 'RESERVED', assignerShortName: 'ÅngMark' },
}
const dateRejected = '2026-05-12T08:00:00.000Z'
const rejected = {
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: { cveId: REJECTED, state: 'REJECTED', assignerShortName: 'mirador', dateRejected },
  containers: {
    cna: {
      providerMetadata: provider('mirador', dateRejected),
      rejectedReasons: [{ lang: 'en', value: 'Given out twice.' }],
    },
  },
}

/**
 * Adds them to the CVE list of a night; EPSS has no score of them. Adds the newest report of its type, with a character
 * beyond the basic plane.
 */
export function addOddRecords(feeds: string, night: string): void {
  const records: [CveId, object][] = ODD.map((odd) => [odd.id, published(odd)])
  records.push([RESERVED, reserved], [REJECTED, rejected])
  const files = records.map(([id, record]) => [`cves/${cveBlock(id)}/${id}.json`, record])
  addToZip(join(feeds, 'cvelistv5', `${night}_all_CVEs.zip`), Object.fromEntries(files))

  const reports = join(feeds, 'first-party', night, 'reports.ndjson')
  const report = JSON.parse(readFileSync(reports, 'utf8').trim().split('\n').at(-1)!)
  const own = { id: '00000000-0000-4000-8000-000000000001', created_at: `${night}T12:00:00Z`, status: 'final' }
  appendFileSync(reports, `${JSON.stringify({ ...report, ...own, report_text: `😀 ${report.report_text}` })}\n`)
}

/** Publishes the reserved record in the CVE list of a night. */
export function disclose(feeds: string, night: string): void {
  const record = published({ id: RESERVED, published: '2026-05-12T12:00:00.000Z', assigner: 'ÅngMark' })
  addToZip(join(feeds, 'cvelistv5', `${night}_all_CVEs.zip`), {
    [`cves/${cveBlock(RESERVED)}/${RESERVED}.json`]: record,
  })
}
