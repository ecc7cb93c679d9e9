/** Documents about a CVE: its linked advisory, and reports. */
import type { CveId } from '../model/ids/cve-id.ts'
import {
  CVE_PARTS,
  decodeCatalog,
  fileOf,
  type Manifest,
  partSegment,
  plainBytes,
  type ReadMember,
} from '../snapshot/index.ts'
import type { CveLookup } from './cve-lookup.ts'
import type { CveAdvisory, CveReport, ReportTypes } from './list-types.ts'
import { type Objects, remembered } from './objects.ts'
import { assertKnown } from './query.ts'
import { parsedJson } from './rows.ts'

export interface ReportOptions {
  /** Only the reports of this type: a `prompt_name`. */
  prompt?: string | undefined
  /** True: the whole texts instead of excerpts. */
  full?: boolean | undefined
}

export interface Documents {
  advisoryOf(id: CveId): Promise<CveAdvisory | null>
  reports(id: CveId, options?: ReportOptions): Promise<CveReport[] | null>
  reportTypes(options?: { include_schema?: boolean | undefined }): Promise<ReportTypes>
}

export function openDocuments(manifest: Manifest, objects: Objects, memberOf: CveLookup['member']): Documents {
  const types = new Map<string, Promise<Required<ReportTypes['report_types'][number]>[]>>()
  return {
    async advisoryOf(id) {
      const found = await memberOf(id)
      const advisory = found && partOf(found.member, 'advisory')
      if (!advisory) return null
      const { score = null, percentile = null } = found.epss ?? {}
      return { ...(advisory as CveAdvisory), epss: { percentage: score, percentile } }
    },

    async reports(id, options = {}) {
      assertKnown(['prompt', 'full'], options)
      const { prompt, full = false } = options
      if (prompt !== undefined && (typeof prompt !== 'string' || prompt === '')) {
        throw new TypeError(`option 'prompt' must be a string that is not empty, not ${JSON.stringify(prompt)}`)
      }
      if (typeof full !== 'boolean') {
        throw new TypeError(`option 'full' must be true or false, not ${JSON.stringify(full)}`)
      }
      const found = await memberOf(id)
      if (!found) return null
      const reports = partOf(found.member, full ? 'report_texts' : 'reports') as CveReport[]
      return prompt === undefined ? reports : reports.filter(({ report_type }) => report_type === prompt)
    },

    async reportTypes(options = {}) {
      assertKnown(['include_schema'], options)
      const { include_schema: withSchema = false } = options
      if (typeof withSchema !== 'boolean') {
        throw new TypeError(`option 'include_schema' must be true or false, not ${JSON.stringify(withSchema)}`)
      }
      const read = async () =>
        decodeCatalog('report-types', await objects.whole(fileOf(manifest, 'catalog', 'report-types'))).map(
          ({ text }) => parsedJson(text) as Required<ReportTypes['report_types'][number]>,
        )
      const report_types = (await remembered(types, '', read)).map(({ prompt_name, enabled, output_schema }) =>
        withSchema ? { prompt_name, enabled, output_schema } : { prompt_name, enabled },
      )
      return { count: report_types.length, report_types }
    },
  }
}

function partOf(member: ReadMember, part: 'advisory' | 'reports' | 'report_texts'): unknown {
  const segment = partSegment(member, part)
  const { before, after, empty } = CVE_PARTS[part]
  return parsedJson(segment ? before + plainBytes(member.bytes, segment).toString() + after : empty)
}
