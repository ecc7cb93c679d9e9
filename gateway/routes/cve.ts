/**
 * `/cves/{cveId}`: a record with the selected sections, spliced from the segments of its member. Also what the routes
 * below it share: they find the CVE of the path, check the caller's access, and answer one part.
 */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { PartName } from '../../corpus/model/record.ts'
import { rejectionText } from '../../corpus/model/rejection.ts'
import {
  addPart,
  addSections,
  DEFAULT_SECTIONS,
  epssAt,
  epssMember,
  findRow,
  type Piece,
  type ReadMember,
  recordPieces,
  SECTION_NAMES,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { notFound } from '../http/errors.ts'
import { defineRoute } from '../http/route.ts'
import { cveId } from '../params/ids.ts'
import { withDefault } from '../params/parameter.ts'
import { csvOf } from '../params/parameter-types.ts'
import { coreValue, partCount, partValue, splicedAnswer } from '../plan/cve-answer.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { cveSummary } from './answers/cve-summary.ts'
import { cveDetail } from './answers.ts'
import type { Context } from './context.ts'

export const cvePath = { cveId: cveId() }

export interface FoundCve {
  snapshot: OpenSnapshot
  row: number
  member: ReadMember
}

/** @throws ApiError `not_found`, for a rejected record with its date and reason (rule 10); `tier_restricted` */
export function findCve({ registry, access, subject }: Context, id: CveId): FoundCve {
  const snapshot = registry.current
  const row = findRow(snapshot.index, id)
  if (row >= 0) {
    access.judge(subject, snapshot, row, id)
    return { snapshot, row, member: memberOf(snapshot, row, id) }
  }
  const rejection = snapshot.rejected.get(id)
  if (rejection === undefined) throw notFound(`no record exists for ${id}`)
  throw notFound(`the record of ${id} ${rejectionText(rejection)}`, rejection)
}

/** The id is checked, because an index may be wrong. */
function memberOf(snapshot: OpenSnapshot, row: number, id: CveId): ReadMember {
  const member = snapshot.member(row)
  if (member.key !== id) throw new SnapshotError('malformed', `the position of ${id} in the index has ${member.key}`)
  return member
}

/** Without `test`, items are answered as stored. */
export function itemsAnswer(
  found: FoundCve,
  id: CveId,
  part: PartName,
  key: string,
  test: ((item: never) => boolean) | null,
): Answer {
  const { snapshot, member } = found
  if (test && part !== 'core') {
    const items = (partValue(member, part) as never[]).filter(test)
    return jsonAnswer({ cve_id: id, count: items.length, [key]: items }, 'shard', snapshot.id)
  }
  const head = `{"cve_id":"${id}","count":${partCount(member, part)},"${key}":`
  const pieces: Piece[] = []
  pieces.push(`${addPart(pieces, head, member, part)}}`)
  return splicedAnswer(snapshot, 'shard', pieces)
}

const detailQuery = {
  include: withDefault(csvOf(SECTION_NAMES, { emptyAllowed: true }), [...DEFAULT_SECTIONS]),
  fields: csvOf(cveSummary.keyof().options),
}

export const getCve = defineRoute<Context, typeof cvePath, typeof detailQuery>({
  name: 'getCve',
  path: '/cves/:cveId',
  summary: 'Get a CVE',
  description:
    'Returns the summary record of a CVE, and a section for each name in `include`. The section for `epss` is `epss_detail`. `fields` selects fields of the summary record and does not affect the sections. A requested section is always present; without content it is empty or null. A rejected CVE gives 404 with `reason` and `replaced_by`. The message states both, and the date of rejection if it is known.',
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
