/** Changes a stored record, as no ingest would. */
import type Database from 'better-sqlite3'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { PackedText } from '../../corpus/store/packed-text.ts'
import { type PartTexts, packParts, unpackParts } from '../../corpus/store/record-parts.ts'

export function changeParts(database: Database.Database, cveId: CveId, change: (parts: PartTexts) => void): void {
  const packed = database.prepare<[string], PackedText>('SELECT parts FROM record WHERE cve_id = ?').pluck().get(cveId)!
  const parts = unpackParts(packed)
  change(parts)
  database.prepare('UPDATE record SET parts = ? WHERE cve_id = ?').run(packParts(parts), cveId)
}
