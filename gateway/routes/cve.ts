/** `/cves/{cveId}`: a record with the sections asked for, spliced from the segments of its member. */
import { SUMMARY_FIELDS } from '../../corpus/model/record.ts'
import { epssAt, epssCurrent, epssMember } from '../../corpus/snapshot/epss.ts'
import type { Piece } from '../../corpus/snapshot/splice.ts'
import { withDefault } from '../params/kind.ts'
import { csvOf } from '../params/kinds.ts'
import { addPart, coreValue, splicedAnswer } from '../plan/cve-answer.ts'
import { coreSegment, spliced } from '../plan/row-pieces.ts'
import { defineRoute } from '../route.ts'
import { cveDetail } from './answers.ts'
import type { Context } from './context.ts'
import { cvePath, type FoundCve, findCve } from './found-cve.ts'

/** The sections of `include`, in the order in which they are answered, and what each is called in the answer. */
const SECTIONS = {
  cvss: 'cvss',
  epss: 'epss_detail',
  affected: 'affected',
  references: 'references',
  exploits: 'exploits',
  evidence: 'evidence',
  timeline: 'timeline',
  analysis: 'analysis',
} as const
type Section = keyof typeof SECTIONS
const SECTION_NAMES = Object.keys(SECTIONS) as Section[]

const detailQuery = {
  include: withDefault(csvOf(SECTION_NAMES, { emptyAllowed: true }), ['cvss', 'epss']),
  fields: csvOf(SUMMARY_FIELDS),
}

export const getCve = defineRoute<Context, typeof cvePath, typeof detailQuery>({
  name: 'getCve',
  path: '/cves/:cveId',
  summary: 'The record of a CVE, with the sections asked for',
  description:
    '`fields` chooses among the core fields, `include` adds sections beside them: neither has a say in the other. A section without anything in it is empty, never missing.',
  params: { path: cvePath, query: detailQuery },
  answer: cveDetail,
  handle(context, { cveId: id, include, fields }) {
    const found = findCve(context, id)
    const { snapshot, row, member } = found
    const pieces: Piece[] = []
    let literal: string
    if (fields) {
      literal = chosenFields(found, fields)
    } else {
      pieces.push(spliced(member, coreSegment(member)))
      literal = epssMember(epssAt(snapshot.epss, row))
    }
    for (const section of include) {
      literal += `,"${SECTIONS[section]}":`
      if (section === 'epss') {
        literal += `{"current":${epssCurrent(epssAt(snapshot.epss, row))}}`
        continue
      }
      literal = addPart(pieces, literal, member, section)
    }
    pieces.push(`${literal}}`)
    return splicedAnswer(snapshot, 'shard', pieces)
  },
})

/** The chosen fields of the core as the beginning of a JSON object; `cve_id` is always there. */
function chosenFields({ snapshot, row, member }: FoundCve, fields: readonly string[]): string {
  const summary = JSON.parse(
    `${JSON.stringify(coreValue(member)).slice(0, -1)}${epssMember(epssAt(snapshot.epss, row))}}`,
  )
  const chosen = Object.entries(summary).filter(([name]) => name === 'cve_id' || fields.includes(name))
  return JSON.stringify(Object.fromEntries(chosen)).slice(0, -1)
}
