/** What a snapshot says of itself. SPEC.md, "About". */
import { SnapshotError } from './error.ts'

export interface About {
  /** The newest date that the CVE list states. */
  corpus_date: string | null
  epss_date: string | null
  /** How many of each kind the snapshot holds: `cves`, `cwes`, … (API 27.1). */
  counts: Record<string, number>
  feeds: Record<
    string,
    { version: string | null; updated_at: string | null; records: number; licence: string; attribution: string }
  >
}

/** @throws SnapshotError `malformed` */
export function decodeAbout(bytes: Uint8Array): About {
  let about: Partial<About> | null
  try {
    about = JSON.parse(Buffer.from(bytes).toString()) as Partial<About> | null
  } catch (cause) {
    throw new SnapshotError('malformed', 'what the snapshot says of itself is no JSON', { cause })
  }
  if (!about?.counts || !about.feeds) throw new SnapshotError('malformed', 'the snapshot does not say what it holds')
  return about as About
}
