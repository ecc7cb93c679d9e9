/** One CVE: its detail, and its parts by themselves. Unfiltered they are spliced from the segments of its member. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { type PartName, SUMMARY_FIELDS } from '../../corpus/model/record.ts'
import { CVE_PARTS } from '../../corpus/snapshot/cve-member.ts'
import { findRow } from '../../corpus/snapshot/derive/index-table.ts'
import { epssAt, epssCurrent, epssMember } from '../../corpus/snapshot/epss.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import type { Piece } from '../../corpus/snapshot/splice.ts'
import { type Answer, jsonAnswer } from '../answer.ts'
import { notFound } from '../errors.ts'
import { cveId } from '../params/ids.ts'
import { withDefault } from '../params/kind.ts'
import { csvOf, oneOf, openText } from '../params/kinds.ts'
import {
  addPart,
  coreSegment,
  coreValue,
  partCount,
  partSegment,
  partValue,
  spliced,
  splicedAnswer,
} from '../plan/cve-answer.ts'
import { defineRoute } from '../route.ts'
import type { OpenSnapshot, ReadMember } from '../shelf/open-snapshot.ts'
import { cveAffected, cveCvss, cveDetail, cveEpss, cveReferences } from './answers.ts'
import type { Context } from './context.ts'

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

const path = { cveId: cveId() }

interface Found {
  snapshot: OpenSnapshot
  row: number
  member: ReadMember
}

/**
 * The member of a CVE in the current snapshot.
 * @throws ApiError `not_found`; of a rejected record it says so, and when (decisions 10). `tier_restricted`
 */
function find({ shelf, access, subject }: Context, id: CveId): Found {
  const snapshot = shelf.current
  const row = findRow(snapshot.index, id)
  if (row >= 0) {
    access.judge(subject, snapshot, row, id)
    return { snapshot, row, member: memberOf(snapshot, row, id) }
  }
  const rejectedAt = snapshot.rejected.get(id)
  if (rejectedAt === undefined) throw notFound(`no record exists for ${id}`)
  throw notFound(`the record of ${id} was rejected${rejectedAt ? ` on ${rejectedAt}` : ''}`)
}

/** The member at a row, which must be that of `id`: an index may lie, an answer must not. */
function memberOf(snapshot: OpenSnapshot, row: number, id: CveId): ReadMember {
  const member = snapshot.member(row)
  if (member.key !== id) throw new SnapshotError('malformed', `the index leads to ${member.key} for ${id}`)
  return member
}

const detailQuery = {
  include: withDefault(csvOf(SECTION_NAMES, { emptyAllowed: true }), ['cvss', 'epss']),
  fields: csvOf(SUMMARY_FIELDS),
}

export const getCve = defineRoute<Context, typeof path, typeof detailQuery>({
  name: 'getCve',
  path: '/cves/:cveId',
  summary: 'The record of a CVE, with the sections asked for',
  description:
    '`fields` chooses among the core fields, `include` adds sections beside them: neither has a say in the other. A section without anything in it is empty, never missing.',
  params: { path, query: detailQuery },
  answer: cveDetail,
  handle(context, { cveId: id, include, fields }) {
    const found = find(context, id)
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
function chosenFields({ snapshot, row, member }: Found, fields: readonly string[]): string {
  const summary = JSON.parse(
    `${JSON.stringify(coreValue(member)).slice(0, -1)}${epssMember(epssAt(snapshot.epss, row))}}`,
  )
  const chosen = Object.entries(summary).filter(([name]) => name === 'cve_id' || fields.includes(name))
  return JSON.stringify(Object.fromEntries(chosen)).slice(0, -1)
}

export const getCvss = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getCvss',
  path: '/cves/:cveId/cvss',
  summary: 'Every CVSS metric that a source states for a CVE',
  params: { path, query: {} },
  answer: cveCvss,
  handle(context, { cveId: id }) {
    const { snapshot, member } = find(context, id)
    const head = `{"cve_id":"${id}",`
    const segment = partSegment(member, 'cvss')
    // The object lies open at its beginning: `cve_id` goes before its first key.
    const pieces = segment ? [head, spliced(member, segment)] : [head + CVE_PARTS.cvss.empty.slice(1)]
    return splicedAnswer(snapshot, 'shard', pieces)
  },
})

export const getEpss = defineRoute<Context, typeof path, Record<never, never>>({
  name: 'getEpss',
  path: '/cves/:cveId/epss',
  summary: 'The EPSS score of a CVE',
  params: { path, query: {} },
  answer: cveEpss,
  handle(context, { cveId: id }) {
    const { snapshot, row } = find(context, id)
    const current = epssCurrent(epssAt(snapshot.epss, row))
    return splicedAnswer(snapshot, 'shard', [`{"cve_id":"${id}","current":${current}}`])
  },
})

/** A list of items of one part: as it lies there, or those that pass `test`. */
function itemsAnswer(
  found: Found,
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

const referencesQuery = { tag: openText(), source: oneOf(['cna', 'adp', 'nvd', 'advisory', 'osv']) }

export const getReferences = defineRoute<Context, typeof path, typeof referencesQuery>({
  name: 'getReferences',
  path: '/cves/:cveId/references',
  summary: 'The references of a CVE, one item per URL',
  params: { path, query: referencesQuery },
  answer: cveReferences,
  handle(context, { cveId: id, tag, source }) {
    const test = ({ tags, sources }: { tags: string[]; sources: string[] }) =>
      (tag === undefined || tags.includes(tag)) && (source === undefined || sources.includes(source))
    const filtered = tag !== undefined || source !== undefined
    return itemsAnswer(find(context, id), id, 'references', 'references', filtered ? test : null)
  },
})

const affectedQuery = {
  source: oneOf(['cna', 'adp', 'advisory', 'osv', 'nvd', 'svc_analysis']),
  ecosystem: openText(),
}

export const getAffected = defineRoute<Context, typeof path, typeof affectedQuery>({
  name: 'getAffected',
  path: '/cves/:cveId/affected',
  summary: 'What each source says is affected, claim by claim',
  params: { path, query: affectedQuery },
  answer: cveAffected,
  handle(context, { cveId: id, source, ecosystem }) {
    const test = (entry: { source: string; ecosystem: string | null }) =>
      (source === undefined || entry.source === source) && (ecosystem === undefined || entry.ecosystem === ecosystem)
    const filtered = source !== undefined || ecosystem !== undefined
    return itemsAnswer(find(context, id), id, 'affected', 'entries', filtered ? test : null)
  },
})
