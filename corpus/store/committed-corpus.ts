/** The corpus before an ingest. It is read while the ingest's transaction is open. */
import { PART_LIST, type PreviousRecord } from './merging.ts'
import { openDatabase } from './schema.ts'

export interface CommittedClaim {
  digest: Uint8Array
  statedAt: string | null
  body: string
}

export interface CommittedCorpus {
  /** Returns the JSON of a feed's claim on a CVE, for feeds with one claim per CVE. Null if there was none. */
  claim(feed: string, cveKey: string): string | null
  /** A claim by its row, which must be there. */
  claimAt(id: number): CommittedClaim
  record(cveKey: string): PreviousRecord | null
  /** Returns a removed record. Its state is REJECTED if it was rejected later. Null if there is none. */
  gone(cveKey: string): PreviousRecord | null
  close(): void
}

/** Opens the last committed state of the corpus at `path`. */
export function openCommittedCorpus(path: string): CommittedCorpus {
  const database = openDatabase(path, { readonly: true })
  const claim = database
    .prepare<[string, string], string>('SELECT body FROM claim WHERE cve_key = ? AND feed = ? LIMIT 1')
    .pluck()
  const claimAt = database.prepare<[number], CommittedClaim>(
    'SELECT digest, stated_at AS statedAt, body FROM claim WHERE rowid = ?',
  )
  const recordOf = (table: 'record' | 'gone') =>
    database.prepare<[string], PreviousRecord>(`SELECT version, ${PART_LIST} FROM ${table} WHERE cve_key = ?`)
  const record = recordOf('record')
  const gone = recordOf('gone')
  return {
    claim: (feed, cveKey) => claim.get(cveKey, feed) ?? null,
    claimAt: (id) => claimAt.get(id)!,
    record: (cveKey) => record.get(cveKey) ?? null,
    gone: (cveKey) => gone.get(cveKey) ?? null,
    close: () => void database.close(),
  }
}
