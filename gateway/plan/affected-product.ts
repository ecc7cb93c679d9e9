/**
 * The rows of `/affected` for a CPE name: reads the records of the CVEs that name the product, and evaluates what their
 * sources state. A product can have 10,000 CVEs, so the work is split into slices between other requests.
 */
import { type Cpe, cpeText } from '../../corpus/model/affected/cpe.ts'
import type { Budget } from '../../corpus/model/budget.ts'
import type { ProductEntry } from '../../corpus/model/cpe/entry.ts'
import {
  MAX_CPE_COMPARISONS,
  MAX_STATEMENTS,
  matchCpe,
  productEntries,
  productOfCpe,
  statementCount,
  TOO_LARGE,
} from '../../corpus/model/cpe/match.ts'
import { formatCpe } from '../../corpus/model/cpe/name.ts'
import { type AffectedRow, compareRows } from '../../corpus/model/packages/affected-row.ts'
import type { AffectedEntry, CveCore } from '../../corpus/model/record.ts'
import { type GenerationalCache, generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  coreSegment,
  idAt,
  partSegment,
  perSnapshot,
  plainBytes,
  type ReadMember,
} from '../../corpus/snapshot/index.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import { factsOf, type Tables } from './affected.ts'
import { inSlices } from './slices.ts'

/** The parts of an open snapshot that rows are made of. */
export interface ProductSources extends Tables {
  packages: { aliasesOf(id: string): readonly string[] | null }
  member(row: number): ReadMember
  /** Keeps the files open until the returned function is called. */
  hold(): () => void
}

/** A CVE that names the product. */
interface Candidate {
  row: number
  title: string | null
  published: string | null
  updated: string | null
  /** Null if the record states too much. */
  entries: ProductEntry[] | null
}

interface Known {
  rows: GenerationalCache<string, readonly AffectedRow[]>
  candidates: GenerationalCache<string, { list: readonly Candidate[]; bytes: number }>
  /** Requests for the same name wait for one result. */
  pending: Map<string, Promise<readonly AffectedRow[]>>
}

const ROW_BYTES = 500

const remembered = perSnapshot<Known, ProductSources>(() => ({
  rows: generationalCache(
    SNAPSHOT_BYTES.affectedProducts,
    (rows, key) => (rows.length + 1) * ROW_BYTES + key.length * 2,
  ),
  candidates: generationalCache(SNAPSHOT_BYTES.productEntries, ({ bytes }) => bytes),
  pending: new Map(),
}))

/**
 * Returns all rows, in their order. `id` is that of the product's row in the list; it keys the caches.
 * @throws ApiError `overloaded` if too many requests wait
 */
export function rowsAffectingProduct(
  snapshot: ProductSources,
  id: string,
  cpe: Cpe,
): readonly AffectedRow[] | Promise<readonly AffectedRow[]> {
  const { rows, pending } = remembered(snapshot)
  const key = formatCpe(cpe)
  const known = rows.get(key) ?? pending.get(key)
  if (known) return known
  const release = snapshot.hold()
  const work = inSlices(matchedRows(snapshot, id, cpe)).then((found) => {
    rows.set(key, found)
    return found
  })
  const result = work.finally(() => {
    pending.delete(key)
    release()
  })
  pending.set(key, result)
  return result
}

/** Yields between records. */
function* matchedRows(snapshot: ProductSources, id: string, cpe: Cpe): Generator<void, AffectedRow[]> {
  const rows: AffectedRow[] = []
  const budget: Budget = { left: MAX_CPE_COMPARISONS }
  for (const candidate of yield* candidatesOf(snapshot, id, cpe)) {
    const row = yield* rowOf(snapshot, candidate, cpe, budget)
    if (row) rows.push(row)
    yield
  }
  return rows.sort(compareRows)
}

/** Memory of parsed JSON per byte of its text. */
const PARSED_BYTES = 4
const CANDIDATE_BYTES = 300

function* candidatesOf(snapshot: ProductSources, id: string, cpe: Cpe): Generator<void, readonly Candidate[]> {
  const { candidates } = remembered(snapshot)
  const known = candidates.get(id)
  if (known) return known.list
  const list: Candidate[] = []
  let bytes = 0
  const { product } = snapshot.columns
  for (const ordinal of product?.of(id) ?? []) {
    const candidate = readCandidate(snapshot, snapshot.columns.row[ordinal]!, cpe)
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

function readCandidate(snapshot: ProductSources, row: number, cpe: Cpe): Candidate {
  const member = snapshot.member(row)
  // The closing brace of the core belongs to the glue.
  const core = JSON.parse(`${plainBytes(member.bytes, coreSegment(member))}}`) as CveCore
  return {
    row,
    title: core.title,
    published: core.date_published,
    updated: core.date_updated,
    entries: entriesIn(member, cpe),
  }
}

function* rowOf(
  snapshot: ProductSources,
  { row, title, published, updated, entries }: Candidate,
  cpe: Cpe,
  budget: Budget,
): Generator<void, AffectedRow | null> {
  const found = entries === null ? TOO_LARGE : yield* matchCpe(entries, cpe, budget)
  if (!found) return null
  const id = idAt(snapshot.index, row)
  const { verdict, is_too_large, matched, fixed_versions } = found
  return {
    advisory_id: id,
    aliases: (snapshot.packages.aliasesOf(id) ?? []).filter((one) => one !== id),
    cve_ids: [id],
    summary: title,
    ...factsOf(snapshot, id)!,
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
