/** Converts an NVD record to its claim on a CVE. */
import type { CveClaim, RecordNote, ReferenceClaim } from '../../model/claim.ts'
import { weaknessId } from '../../model/ids/weakness.ts'
import { type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { type ExpectedFields, type ExpectedType, noteTypes } from '../expected-types.ts'
import { boundedWeaknesses } from '../feed.ts'
import { addNote, firstEnglish, NO_DATE, readDate, readUrl } from '../statements.ts'
import { readConfigurations } from './configurations.ts'
import { readNvdMetrics } from './metrics.ts'

const METRICS: ExpectedType = [
  {
    source: 'text',
    baseSeverity: 'text',
    cvssData: { vectorString: 'text', baseScore: 'number', baseSeverity: 'text' },
  },
]

const TYPES: ExpectedFields = {
  published: 'text',
  lastModified: 'text',
  vulnStatus: 'text',
  descriptions: [{ lang: 'text', value: 'text' }],
  metrics: { cvssMetricV40: METRICS, cvssMetricV31: METRICS, cvssMetricV30: METRICS, cvssMetricV2: METRICS },
  weaknesses: [{ type: 'text', description: [{ value: 'text' }] }],
  configurations: [
    {
      operator: 'text',
      negate: 'boolean',
      nodes: [
        {
          operator: 'text',
          negate: 'boolean',
          cpeMatch: [
            {
              vulnerable: 'boolean',
              criteria: 'text',
              versionStartExcluding: 'text',
              versionStartIncluding: 'text',
              versionEndExcluding: 'text',
              versionEndIncluding: 'text',
            },
          ],
        },
      ],
    },
  ],
  references: [{ url: 'text', tags: 'texts' }],
}

export interface NvdRecord {
  claim: CveClaim | null
  lastModified: string | null
  notes: RecordNote[]
}

/**
 * Returns NVD's own statements. Ignores its copies from other sources: `affected` and SSVC, which the CVE list has, and
 * the KEV dates (`cisaExploitAdd`).
 */
export function readNvdRecord(cve: JsonObject): NvdRecord {
  const notes: RecordNote[] = []
  const lastModified = readDate(cve.lastModified, 'lastModified', notes)
  if (text(cve.vulnStatus)?.toLowerCase() === 'rejected') return { claim: null, lastModified, notes }
  noteTypes(cve, TYPES, notes)
  const dated = lastModified ?? readDate(cve.published, 'published', notes)
  if (dated === null) addNote(notes, { code: 'date-missing', detail: 'neither lastModified nor published' })
  const updatedAt = dated ?? NO_DATE
  const claim: CveClaim = {
    source: 'nvd',
    sourceName: 'nvd',
    updatedAt,
    title: null,
    description: firstEnglish(cve.descriptions),
    metrics: readNvdMetrics(cve.metrics, notes),
    weaknesses: readWeaknesses(cve.weaknesses),
    affected: readConfigurations(cve.configurations, updatedAt, notes),
    references: readReferences(cve.references, notes),
    nvdStatus: text(cve.vulnStatus),
    ssvc: null,
    kevDateAdded: null,
  }
  return { claim, lastModified, notes }
}

/**
 * Returns weaknesses, those of type Primary first (rule 21). `NVD-CWE-noinfo` and `NVD-CWE-Other` are no weaknesses.
 */
function readWeaknesses(weaknesses: unknown): string[] {
  const stated = objects(weaknesses)
  const isPrimary = ({ type }: JsonObject) => text(type)?.toLowerCase() === 'primary'
  const ids = new Set<string>()
  for (const { description } of [...stated.filter(isPrimary), ...stated.filter((one) => !isPrimary(one))]) {
    for (const { value } of objects(description)) {
      const id = typeof value === 'string' ? weaknessId(value) : null
      if (id !== null) ids.add(id)
    }
  }
  return boundedWeaknesses(ids)
}

/** Merges duplicate URLs: NVD lists the CVE Program's copies again under that source. */
function readReferences(references: unknown, notes: RecordNote[]): ReferenceClaim[] {
  const tagsOf = new Map<string, Set<string>>()
  for (const { url: stated, tags } of objects(references)) {
    const url = readUrl(stated, notes)
    if (url === null) continue
    const all = tagsOf.get(url) ?? new Set()
    tagsOf.set(url, all)
    for (const tag of texts(tags)) all.add(tag)
  }
  return Array.from(tagsOf, ([url, tags]) => ({ url, name: null, tags: [...tags] }))
}
