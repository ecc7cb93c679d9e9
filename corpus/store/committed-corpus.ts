/** The corpus before an ingest. It is read while the ingest's transaction is open. */
import type { Rejection } from '../model/claim.ts'
import type { PreviousRecord } from './merging.ts'
import { type PackedText, unpackText } from './packed-text.ts'
import { unpackParts } from './record-parts.ts'
import { readRejected } from './rejected.ts'
import { openDatabase } from './schema.ts'

export interface CommittedClaim {
  digest: Uint8Array
  statedAt: string | null
  facets: number | null
  body: PackedText
}

export interface CommittedCorpus {
  /** Returns the JSON of a feed's claim on a CVE, for feeds with one claim per CVE. Null if there was none. */
  claim(feed: string, cveKey: string): string | null
  /** A claim by its row, which must be there. */
  claimAt(id: number): CommittedClaim
  record(cveKey: string): PreviousRecord | null
  /** Returns a removed record. Its state is REJECTED if it was rejected later. Null if there is none. */
  gone(cveKey: string): PreviousRecord | null
  rejected(cveKey: string): Rejection | null
  close(): void
}

/** Opens the last committed state of the corpus at `path`. */
export function openCommittedCorpus(path: string): CommittedCorpus {
  const database = openDatabase(path, { readonly: true })
  const claim = database
    .prepare<[string, string], PackedText>('SELECT body FROM claim WHERE cve_key = ? AND feed = ? LIMIT 1')
    .pluck()
  const claimAt = database.prepare<[number], CommittedClaim>(
    'SELECT digest, stated_at AS statedAt, facets, body FROM claim WHERE rowid = ?',
  )
  const recordOf = (table: 'record' | 'gone') => {
    const row = database.prepare<[string], { version: number; parts: PackedText }>(
      `SELECT version, parts FROM ${table} WHERE cve_key = ?`,
    )
    return (cveKey: string): PreviousRecord | null => {
      const found = row.get(cveKey)
      return found ? { version: found.version, ...unpackParts(found.parts) } : null
    }
  }
  return {
    claim(feed, cveKey) {
      const body = claim.get(cveKey, feed)
      return body ? unpackText(body) : null
    },
    claimAt: (id) => claimAt.get(id)!,
    record: recordOf('record'),
    gone: recordOf('gone'),
    rejected: readRejected(database).one,
    close: () => void database.close(),
  }
}
