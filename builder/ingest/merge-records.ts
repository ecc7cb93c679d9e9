/** Merges the changed CVEs of an ingest, in batches, and stores their records. */
import type { Progress } from '../../corpus/command/progress.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { Mission } from '../../corpus/model/merge.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import { datesIn, type Merging, type TouchedCve, withoutFeed } from '../../corpus/store/merging.ts'
import { plainLength } from '../../corpus/store/packed-text.ts'
import { idOfSortKey } from '../../corpus/store/sort-key.ts'
import type { Withheld } from '../../corpus/store/withhold.ts'
import type { MergeResult, MergeSettings, RecordChanges } from './record.ts'
import type { IngestReport } from './report.ts'
import { committedCorpus, type MergeTask, mergeInThisThread, type TouchedRecord } from './tasks.ts'

/** Some 1 MB of claims, and a limit in bytes. */
const BATCH_RECORDS = 128
const BATCH_LENGTH = 8 << 20

export interface MergeContext {
  mission: Mission
  now: () => Date
  log(line: string): void
  progress: Progress
  poolFor(records: number): Pool
  /** The corpus of the last commit; null in the first ingest. */
  committed: string | null
  /** Whether the same adapter version wrote the CVE list's previous claims. Those of an older one can lack fields. */
  isComparable: boolean
}

/** `why`: the bound that the record exceeded. */
export type WithheldClaims = Withheld & { cveId: CveId; why: string }

export async function mergeTouched(
  merging: Merging,
  settings: MergeSettings,
  { log, progress, poolFor, committed, isComparable }: MergeContext,
) {
  const changes: IngestReport['changes'] = {
    added: [],
    changed: [],
    removed: [],
    rejected: [],
    kevAdded: [],
    kevRemoved: [],
    severity: [],
    disagreements: [],
  }
  let merged = 0
  const withheld: WithheldClaims[] = []
  const touched = merging.touched()
  if (touched.length > 0) log('merging')
  const pool = poolFor(touched.length)
  let done = 0
  const tasks = mergeTasks(merging, touched, { settings, committed, isComparable })
  for await (const results of runInOrder<MergeResult[]>(pool, 'merge', tasks)) {
    for (const first of results) {
      const one = touched[done++]!
      const { cveKey } = one
      const cveId = idOfSortKey(cveKey)
      // Feed by feed, until the record fits.
      let result = first
      while (result.kind === 'too-large') {
        const { why } = result
        const claims = merging.withhold(cveKey, committed === null ? null : committedCorpus(committed))
        if (claims === null) break
        withheld.push({ ...claims, cveId, why })
        one.statedAt = withoutFeed(one.statedAt, claims.feed)
        if (claims.feed === 'cvelist') one.listed = 0
        result = mergeInThisThread({ records: [recordTask(merging, one, isComparable)], settings, committed })[0]!
      }
      if (result.kind === 'too-large') {
        log(`${cveId} keeps its record, because no claim changed and the new record is too large: ${result.why}`)
        continue
      }
      const rejectedBefore = merging.isRejected(cveKey)
      const review = result.kind === 'put' || result.kind === 'same' ? result.review : null
      const disagreements = merging.putReview(cveKey, review)
      changes.disagreements.push(...disagreements.map((one) => ({ cveId, ...one })))
      const outcome = putResult(merging, cveKey, result)
      if (outcome !== null) changes[outcome].push(cveId)
      if (result.kind === 'rejected' && !rejectedBefore) changes.rejected.push(cveId)
      if (result.kind === 'put') addNews(changes, cveId, result.news)
      else if (result.kind !== 'same' && result.wasInKev) changes.kevRemoved.push(cveId)
      if (review !== null) merged++
    }
    progress('merged', done, touched.length)
  }
  return { merged, changes, withheld }
}

function addNews(changes: IngestReport['changes'], cveId: CveId, { kev, severity }: RecordChanges): void {
  if (kev === 'added') changes.kevAdded.push(cveId)
  if (kev === 'removed') changes.kevRemoved.push(cveId)
  if (severity) changes.severity.push({ cveId, ...severity })
}

function* mergeTasks(
  merging: Merging,
  touched: readonly TouchedCve[],
  { isComparable, ...task }: Pick<MergeTask, 'settings' | 'committed'> & Pick<MergeContext, 'isComparable'>,
): Iterable<MergeTask> {
  let records: TouchedRecord[] = []
  let length = 0
  for (const one of touched) {
    const record = recordTask(merging, one, isComparable)
    records.push(record)
    for (const { body } of record.claims ?? []) length += plainLength(body)
    if (records.length < BATCH_RECORDS && length < BATCH_LENGTH) continue
    yield { records, ...task }
    records = []
    length = 0
  }
  if (records.length > 0) yield { records, ...task }
}

const recordTask = (
  merging: Merging,
  { cveKey, listed, statedAt }: TouchedCve,
  isComparable: boolean,
): TouchedRecord => ({
  cveKey,
  claims: merging.claims(cveKey),
  listed: listed === 1,
  isComparable: listed === 1 && isComparable,
  statedAt: datesIn(statedAt),
})

/** `changed` includes changes that no answer shows and no version counts. */
function putResult(merging: Merging, cveKey: string, result: MergeResult): 'added' | 'changed' | 'removed' | null {
  if (result.kind === 'same') return null
  if (result.kind === 'put') {
    merging.removeRejected(cveKey)
    merging.putRecord(result)
    return result.isNew ? 'added' : 'changed'
  }
  const wasRecord = merging.removeRecord(cveKey)
  if (result.kind === 'rejected') merging.putRejected(result.cveId, result.rejection)
  else merging.removeRejected(cveKey)
  return wasRecord ? 'removed' : null
}
