/** Parses a record of the CVE list (CVE JSON 5.x): its metadata and the claims of its containers. */
import type { CveClaim, CveListRecord, RecordNote, Rejection } from '../../model/claim.ts'
import { type CveId, isRecordId, parseCveId } from '../../model/ids/cve-id.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { noteTypes } from '../expected-types.ts'
import { shown } from '../json.ts'
import { addNote, firstEnglish, NO_DATE, readDate } from '../statements.ts'
import { readContainer } from './container.ts'
import { RECORD_TYPES } from './types.ts'

const STATES = ['PUBLISHED', 'RESERVED', 'REJECTED'] as const satisfies readonly CveListRecord['state'][]

/** The CVE Program's container, with its own copies of references. */
const PROGRAM_CONTAINER = 'CVE'

/**
 * Parses a record. Texts are trimmed, empty texts become null, times are in UTC. Harmless oddities are noted.
 * @throws FeedError with the reason, when the record is unusable
 */
export function parseCveRecord(json: unknown): CveListRecord {
  if (!isObject(json)) throw new FeedError('record_not_object', `the record is not a JSON object: ${shown(json)}`)
  const metadata = isObject(json.cveMetadata) ? json.cveMetadata : null
  if (metadata?.cveId === undefined) throw new FeedError('record_id_missing', 'the record has no cveMetadata.cveId')
  const cveId = typeof metadata.cveId === 'string' ? parseCveId(metadata.cveId) : null
  // `CVE-2024-01234` would be a second record with the same number as CVE-2024-1234.
  if (!cveId || !isRecordId(cveId)) {
    throw new FeedError('record_id_invalid', `cveMetadata.cveId is not a CVE id: ${shown(metadata.cveId)}`)
  }
  const state = STATES.find((known) => known === metadata.state)
  if (!state) {
    throw new FeedError(
      'record_state_unknown',
      `${cveId}: cveMetadata.state is ${shown(metadata.state)}, not one of ${STATES.join(', ')}`,
    )
  }
  const notes: RecordNote[] = []
  const dates = {
    published: readDate(metadata.datePublished, 'datePublished', notes),
    updated: readDate(metadata.dateUpdated, 'dateUpdated', notes),
    rejected: readDate(metadata.dateRejected, 'dateRejected', notes),
    reserved: readDate(metadata.dateReserved, 'dateReserved', notes),
  }
  if (state !== 'REJECTED') noteTypes(json, RECORD_TYPES, notes)
  const assigner = text(metadata.assignerShortName)
  const fallbackDate = dates.updated ?? dates.published ?? dates.reserved
  return {
    cveId,
    state,
    datePublished: dates.published,
    dateUpdated: dates.updated,
    dateRejected: dates.rejected,
    assigner,
    claims: state === 'REJECTED' ? [] : readClaims(json, { cveId, state, assigner, fallbackDate, notes }),
    notes,
    ...(state === 'REJECTED' && { rejection: readRejection(json) }),
  }
}

/** A rejection names one CVE that replaces it, or a few. */
const MAX_REPLACEMENTS = 10

function readRejection({ containers }: JsonObject): Omit<Rejection, 'date'> {
  const cna = isObject(containers) && isObject(containers.cna) ? containers.cna : {}
  const ids = texts(cna.replacedBy).map(parseCveId)
  return {
    reason: firstEnglish(cna.rejectedReasons),
    replacedBy: [...new Set(ids.filter((id) => id !== null))].slice(0, MAX_REPLACEMENTS),
  }
}

interface RecordContext {
  cveId: CveId
  state: CveListRecord['state']
  assigner: string | null
  fallbackDate: string | null
  notes: RecordNote[]
}

/** Returns the CNA's claim, then those of the ADPs in order. */
function readClaims(json: JsonObject, { cveId, state, assigner, fallbackDate, notes }: RecordContext): CveClaim[] {
  const containers = isObject(json.containers) ? json.containers : null
  const cna = isObject(containers?.cna) ? containers.cna : null
  if (!containers || !cna) {
    if (state === 'RESERVED') return []
    const missing = containers ? 'containers.cna' : 'containers'
    throw new FeedError('record_container_missing', `${cveId} is published but has no ${missing}`)
  }
  if (fallbackDate === null) addNote(notes, { code: 'date-missing', detail: 'no date in cveMetadata' })
  const context = {
    fallbackName: assigner ?? 'cna',
    fallbackDate: fallbackDate ?? NO_DATE,
    notes,
  }
  const cnaClaim = readContainer(cna, { ...context, source: 'cna' })
  const claims = [cnaClaim]
  for (const container of objects(containers.adp)) {
    const claim = readContainer(container, { ...context, source: 'adp', fallbackName: 'adp' })
    if (claim.sourceName === PROGRAM_CONTAINER) {
      // Its references are copies of the CNA's (rule 30).
      cnaClaim.references = [...cnaClaim.references, ...claim.references]
      claim.references = []
      if (!saysMore(claim)) continue
    }
    claims.push(claim)
  }
  return claims
}

/** Whether the CVE Program's container contains more than references. So far it never does. */
function saysMore(claim: CveClaim): boolean {
  return (
    claim.affected.length > 0 ||
    claim.metrics.length > 0 ||
    claim.weaknesses.length > 0 ||
    claim.description !== null ||
    claim.ssvc !== null ||
    claim.kevDateAdded !== null
  )
}
