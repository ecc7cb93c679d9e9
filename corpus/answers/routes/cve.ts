/**
 * `/cves/{cveId}`: a record with the selected sections, spliced from the segments of its member. Also what the routes
 * below it share: they find the CVE of the path, check the caller's access, and answer one part.
 */
import type { CveId } from '../../model/ids/cve-id.ts'
import type { Epss, PartName } from '../../model/record.ts'
import { rejectionText } from '../../model/rejection.ts'
import type { Steps } from '../../runtime/steps.ts'
import {
  addPart,
  addSections,
  DEFAULT_SECTIONS,
  epssMember,
  type FoundCve,
  type Piece,
  type ReadMember,
  recordPieces,
  SECTION_NAMES,
  type SnapshotData,
} from '../../snapshot/index.ts'
import { type Answer, jsonAnswer, splicedAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { CVE_FIELDS } from '../parameters/fields.ts'
import { cveId } from '../parameters/ids.ts'
import { withDefault } from '../parameters/parameter.ts'
import { csvOf } from '../parameters/parameter-types.ts'
import { coreValue, partCount, partValue } from '../plan/cve-parts.ts'
import { defineRoute } from '../route.ts'
import { cveDetail } from '../schemas.ts'

export const cvePath = { cveId: cveId() }

export interface ReadableCve extends FoundCve {
  snapshot: SnapshotData
}

/** @throws ApiError `not_found`, for a rejected record with its date and reason (rule 10); `tier_restricted` */
export function* findCve({ snapshots, access, subject }: Context, id: CveId): Steps<ReadableCve> {
  const snapshot = snapshots.current
  const found = yield* snapshot.cves.find(id)
  if (found) {
    access.judge(subject, snapshot, found.row, id)
    return { snapshot, row: found.row, member: found.member, epss: found.epss }
  }
  const rejection = yield* snapshot.cves.rejection(id)
  if (rejection === undefined) throw notFound(`no record exists for ${id}`)
  throw notFound(`the record of ${id} ${rejectionText(rejection)}`, rejection)
}

/** Without `test`, items are answered as stored. */
export function itemsAnswer(
  { snapshot, member }: ReadableCve,
  id: CveId,
  part: PartName,
  key: string,
  test: ((item: never) => boolean) | null,
): Answer {
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
  fields: csvOf(CVE_FIELDS),
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
  *handle(context, { cveId: id, include, fields }) {
    const { snapshot, member, epss } = yield* findCve(context, id)
    const pieces = fields
      ? addSections([], chosenFields(member, epss, fields), member, epss, include)
      : recordPieces(member, epss, include)
    return splicedAnswer(snapshot, 'shard', pieces)
  },
})

/** Returns the selected core fields as the beginning of a JSON object; `cve_id` is always included. */
function chosenFields(member: ReadMember, epss: Epss | null, fields: readonly string[]): string {
  const summary = JSON.parse(`${JSON.stringify(coreValue(member)).slice(0, -1)}${epssMember(epss)}}`)
  const chosen = Object.entries(summary).filter(([name]) => name === 'cve_id' || fields.includes(name))
  return JSON.stringify(Object.fromEntries(chosen)).slice(0, -1)
}
