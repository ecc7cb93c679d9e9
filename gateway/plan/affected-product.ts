/**
 * The rows of `/affected` for a CPE name: reads the records of the CVEs that name the product, and evaluates what their
 * sources state. A product can have 10,000 CVEs, so the work is split into slices between other requests.
 */
import { type Cpe, cpeText } from '../../corpus/model/affected/cpe.ts'
import type { ProductEntry } from '../../corpus/model/cpe/entry.ts'
import { matchCpe, productEntries, productOfCpe } from '../../corpus/model/cpe/match.ts'
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
import { overloaded } from '../http/errors.ts'
import { SNAPSHOT_BYTES, WAITING_PRODUCTS } from '../process/bounds.ts'
import { factsOf, type Tables } from './affected.ts'

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
  entries: ProductEntry[]
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
  for (const candidate of yield* candidatesOf(snapshot, id, cpe)) {
    const row = rowOf(snapshot, candidate, cpe)
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

function readCandidate(snapshot: ProductSources, row: number, cpe: Cpe): Candidate {
  const member = snapshot.member(row)
  const segment = partSegment(member, 'affected')
  const affected = segment ? (JSON.parse(plainBytes(member.bytes, segment).toString()) as AffectedEntry[]) : []
  // The closing brace of the core belongs to the glue.
  const core = JSON.parse(`${plainBytes(member.bytes, coreSegment(member))}}`) as CveCore
  return {
    row,
    title: core.title,
    published: core.date_published,
    updated: core.date_updated,
    entries: productEntries(affected, productOfCpe(cpe)!),
  }
}

function rowOf(snapshot: ProductSources, { row, title, published, updated, entries }: Candidate, cpe: Cpe) {
  const found = matchCpe(entries, cpe)
  if (!found) return null
  const id = idAt(snapshot.index, row)
  const { verdict, matched, fixed_versions } = found
  const result: AffectedRow = {
    advisory_id: id,
    aliases: (snapshot.packages.aliasesOf(id) ?? []).filter((one) => one !== id),
    cve_ids: [id],
    summary: title,
    ...factsOf(snapshot, id)!,
    stated_severity: null,
    urgency: null,
    verdict,
    undecided_reason: reasonOf(verdict, cpe),
    matched_by: matched && { kind: 'cpe', ...matched },
    fixed_versions,
    published_at: published,
    modified_at: updated,
  }
  return result
}

const reasonOf = (verdict: AffectedRow['verdict'], { version }: Cpe): AffectedRow['undecided_reason'] =>
  verdict === 'affected' ? null : cpeText(version) === null ? 'no_version' : 'version'

/** Time of a slice. Reading and parsing a record takes about 0.1 ms. */
const SLICE_MS = 4
const RETRY_AFTER_SECONDS = 5

const waiting: (() => void)[] = []
let isBusy = false

/** Runs one generator at a time, and lets requests be handled after each slice. */
async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  if (isBusy) {
    if (waiting.length >= WAITING_PRODUCTS)
      throw overloaded('too many requests for products are queued', RETRY_AFTER_SECONDS)
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  isBusy = true
  try {
    for (;;) {
      for (const end = performance.now() + SLICE_MS; performance.now() < end; ) {
        const step = work.next()
        if (step.done) return step.value
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else isBusy = false
  }
}
