/**
 * The rows of `/affected` for a CPE name: reads the records of the CVEs that name the product, and evaluates what their
 * sources state. A product can have 10,000 CVEs, so the work is split into slices between other requests.
 */
import { type Cpe, cpeText } from '../../model/affected/cpe.ts'
import type { Budget } from '../../model/budget.ts'
import type { ProductEntry } from '../../model/cpe/entry.ts'
import {
  MAX_CPE_COMPARISONS,
  MAX_STATEMENTS,
  matchCpe,
  productEntries,
  productOfCpe,
  statementCount,
  TOO_LARGE,
} from '../../model/cpe/match.ts'
import { formatCpe } from '../../model/cpe/name.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { type AffectedRow, type CveFacts, compareRows } from '../../model/packages/affected-row.ts'
import type { AffectedEntry, CveCore } from '../../model/record.ts'
import { type GenerationalCache, generationalCache } from '../../runtime/generational-cache.ts'
import type { Steps } from '../../runtime/steps.ts'
import { partSegment, perSnapshot, plainBytes, type ReadMember, type SnapshotData } from '../../snapshot/index.ts'
import { ANSWER_BYTES } from '../bounds.ts'
import { coreValue } from './cve-parts.ts'
import { type SharedRows, sharedRows } from './shared-rows.ts'

/** A CVE that names the product. */
interface Candidate {
  id: CveId
  title: string | null
  published: string | null
  updated: string | null
  /** Null if the record states too much. */
  entries: ProductEntry[] | null
}

interface Known {
  rows: SharedRows
  candidates: GenerationalCache<string, { list: readonly Candidate[]; bytes: number }>
}

const ROW_BYTES = 500

const remembered = perSnapshot<Known, SnapshotData>(() => ({
  rows: sharedRows(
    generationalCache(ANSWER_BYTES.affectedProducts, (rows, key) => (rows.length + 1) * ROW_BYTES + key.length * 2),
  ),
  candidates: generationalCache(ANSWER_BYTES.productEntries, ({ bytes }) => bytes),
}))

/** Returns all rows, in their order. `id` is that of the product's row in the list; it keys the caches. */
export const rowsAffectingProduct = (snapshot: SnapshotData, id: string, cpe: Cpe): Steps<readonly AffectedRow[]> =>
  remembered(snapshot).rows.of(formatCpe(cpe), () => matchedRows(snapshot, id, cpe))

/** Yields between records, and first of all: a request that has to wait has read nothing, and finds what others read. */
function* matchedRows(snapshot: SnapshotData, id: string, cpe: Cpe): Steps<AffectedRow[]> {
  yield
  const candidates = yield* candidatesOf(snapshot, id, cpe)
  const facts = yield* snapshot.cves.facts(() => candidates.map(({ id }) => id))
  const aliasesOf = yield* snapshot.packages.aliases(() => candidates.map(({ id }) => [id]))
  const sources = { facts, aliasesOf }
  const rows: AffectedRow[] = []
  const budget: Budget = { left: MAX_CPE_COMPARISONS }
  for (const candidate of candidates) {
    const row = yield* rowOf(candidate, cpe, sources, budget)
    if (row) rows.push(row)
    yield
  }
  return rows.sort(compareRows)
}

/** Memory of parsed JSON per byte of its text. */
const PARSED_BYTES = 4
const CANDIDATE_BYTES = 300

function* candidatesOf(snapshot: SnapshotData, id: string, cpe: Cpe): Steps<readonly Candidate[]> {
  const { candidates } = remembered(snapshot)
  const known = candidates.get(id)
  if (known) return known.list
  const list: Candidate[] = []
  let bytes = 0
  const tables = yield* snapshot.cves.tables({ product: id })
  for (const found of snapshot.cves.members(tables.columns.product!.of(id), tables)) {
    const candidate = readCandidate(yield* found, cpe)
    list.push(candidate)
    bytes += CANDIDATE_BYTES + JSON.stringify(candidate.entries).length * PARSED_BYTES
    yield
  }
  candidates.set(id, { list, bytes })
  return list
}

/** Maximum length of the affected entries of a record as JSON, because they are parsed at once: four times the largest. */
export const MAX_AFFECTED_BYTES = 16 * 1024 * 1024

/** Returns the entries that name the product. Null if the record states too much. */
function entriesIn(member: ReadMember, cpe: Cpe): ProductEntry[] | null {
  const segment = partSegment(member, 'affected')
  if (!segment) return []
  if (segment.plainLength > MAX_AFFECTED_BYTES) return null
  const affected = JSON.parse(plainBytes(member.bytes, segment).toString()) as AffectedEntry[]
  return statementCount(affected) > MAX_STATEMENTS ? null : productEntries(affected, productOfCpe(cpe)!)
}

function readCandidate({ id, member }: { id: CveId; member: ReadMember }, cpe: Cpe): Candidate {
  const core = coreValue(member) as unknown as CveCore
  return {
    id,
    title: core.title,
    published: core.date_published,
    updated: core.date_updated,
    entries: entriesIn(member, cpe),
  }
}

interface RowSources {
  facts(id: CveId): CveFacts | null
  aliasesOf(id: string): readonly string[] | null
}

function* rowOf(
  { id, title, published, updated, entries }: Candidate,
  cpe: Cpe,
  { facts, aliasesOf }: RowSources,
  budget: Budget,
): Steps<AffectedRow | null> {
  const found = entries === null ? TOO_LARGE : yield* matchCpe(entries, cpe, budget)
  if (!found) return null
  const { verdict, is_too_large, matched, fixed_versions } = found
  return {
    advisory_id: id,
    aliases: (aliasesOf(id) ?? []).filter((one) => one !== id),
    cve_ids: [id],
    summary: title,
    ...facts(id)!,
    stated_severity: null,
    urgency: null,
    verdict,
    undecided_reason: is_too_large ? 'too_large' : reasonOf(verdict, cpe),
    matched_by: matched && { kind: 'cpe', ...matched },
    fixed_versions,
    published_at: published,
    modified_at: updated,
  }
}

const reasonOf = (verdict: AffectedRow['verdict'], { version }: Cpe): AffectedRow['undecided_reason'] =>
  verdict === 'affected' ? null : cpeText(version) === null ? 'no_version' : 'version'
