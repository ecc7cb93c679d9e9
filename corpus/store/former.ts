/** The corpus as it was before an ingest, read beside the open transaction that changes it. */
import { PART_LIST, type PreviousRecord } from './merging.ts'
import { openDatabase } from './schema.ts'

export interface FormerClaim {
  digest: Uint8Array
  statedAt: string | null
  body: string
}

export interface FormerCorpus {
  /** The JSON of what a feed that makes one claim on each CVE said of this one; null where it said nothing. */
  claim(feed: string, cveKey: string): string | null
  /** A claim by its row, which must be there. */
  claimAt(id: number): FormerClaim
  record(cveKey: string): PreviousRecord | null
  /** A record that was removed, as it was, in the state REJECTED where it was rejected since; null without one. */
  gone(cveKey: string): PreviousRecord | null
  close(): void
}

/** Opens the corpus at `path`, of which a reader sees what was committed last. */
export function openFormer(path: string): FormerCorpus {
  const database = openDatabase(path, { readonly: true })
  const claim = database
    .prepare<[string, string], string>('SELECT body FROM claim WHERE cve_key = ? AND feed = ? LIMIT 1')
    .pluck()
  const claimAt = database.prepare<[number], FormerClaim>(
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
