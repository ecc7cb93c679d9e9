/** The corpus as it was before an ingest, read beside the open transaction that changes it. */
import { openDatabase } from './schema.ts'

export interface FormerCorpus {
  /** The JSON of what a feed that makes one claim on each CVE said of this one; null where it said nothing. */
  claim(feed: string, cveKey: string): string | null
  close(): void
}

/** Opens the corpus at `path`, of which a reader sees what was committed last. */
export function openFormer(path: string): FormerCorpus {
  const database = openDatabase(path, { readonly: true })
  const claim = database
    .prepare<[string, string], string>('SELECT body FROM claim WHERE cve_key = ? AND feed = ? LIMIT 1')
    .pluck()
  return {
    claim: (feed, cveKey) => claim.get(cveKey, feed) ?? null,
    close: () => void database.close(),
  }
}
