/** `/cves/{cveId}`: a record with the selected sections, spliced from the segments of its member. */
import {
  addSections,
  DEFAULT_SECTIONS,
  epssAt,
  epssMember,
  recordPieces,
  SECTION_NAMES,
} from '../../corpus/snapshot/index.ts'
import { defineRoute } from '../http/route.ts'
import { withDefault } from '../params/parameter.ts'
import { csvOf } from '../params/parameter-types.ts'
import { coreValue, splicedAnswer } from '../plan/cve-answer.ts'
import { cveSummary } from './answers/cve-summary.ts'
import { cveDetail } from './answers.ts'
import type { Context } from './context.ts'
import { cvePath, type FoundCve, findCve } from './found-cve.ts'

const detailQuery = {
  include: withDefault(csvOf(SECTION_NAMES, { emptyAllowed: true }), [...DEFAULT_SECTIONS]),
  fields: csvOf(cveSummary.keyof().options),
}

export const getCve = defineRoute<Context, typeof cvePath, typeof detailQuery>({
  name: 'getCve',
  path: '/cves/:cveId',
  summary: 'Get a CVE',
  description:
    'Returns the summary record of a CVE, with one section for each name in `include`. `fields` selects fields of the summary record and does not affect the sections. A section without content is empty, never absent. A rejected CVE gives 404 with the date of rejection.',
  example: '/cves/CVE-2025-22302?include=cvss',
  params: { path: cvePath, query: detailQuery },
  answer: cveDetail,
  handle(context, { cveId: id, include, fields }) {
    const found = findCve(context, id)
    const { snapshot, row, member } = found
    const epss = epssAt(snapshot.epss, row)
    const pieces = fields
      ? addSections([], chosenFields(found, fields), member, epss, include)
      : recordPieces(member, epss, include)
    return splicedAnswer(snapshot, 'shard', pieces)
  },
})

/** Returns the selected core fields as the beginning of a JSON object; `cve_id` is always included. */
function chosenFields({ snapshot, row, member }: FoundCve, fields: readonly string[]): string {
  const summary = JSON.parse(
    `${JSON.stringify(coreValue(member)).slice(0, -1)}${epssMember(epssAt(snapshot.epss, row))}}`,
  )
  const chosen = Object.entries(summary).filter(([name]) => name === 'cve_id' || fields.includes(name))
  return JSON.stringify(Object.fromEntries(chosen)).slice(0, -1)
}
