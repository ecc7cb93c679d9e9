/** Reads the severities of an OSV entry: CVSS vectors without a score, at the entry or at its packages. */
import type { CvssClaim, RecordNote } from '../../model/claim.ts'
import { severityOf } from '../../model/scores/cvss.ts'
import { baseScore } from '../../model/scores/cvss-vector.ts'
import { type JsonObject, objects, shown, text } from '../json.ts'
import { addNote } from '../notes.ts'

/** Returns unique vectors with their scores. Ignores severities that are no CVSS (`Ubuntu`: a word). */
export function readSeverities(entry: JsonObject, notes: RecordNote[]): CvssClaim[] {
  const byVector = new Map<string, CvssClaim>()
  const stated = [entry, ...objects(entry.affected)].flatMap(({ severity }) => objects(severity))
  for (const { type, score } of stated) {
    const vector = text(score)
    if (!/^CVSS_/.test(text(type) ?? '') || (vector !== null && byVector.has(vector))) continue
    const scored = vector === null ? null : baseScore(vector)
    if (vector === null || scored === null) {
      addNote(notes, { code: 'cvss-unreadable', detail: `${shown(type)} ${shown(score)}` })
      continue
    }
    byVector.set(vector, {
      version: scored.version,
      baseScore: scored.score,
      baseSeverity: severityOf(scored.score, scored.version).toUpperCase(),
      vector,
      statedAt: null,
      scoredBy: null,
    })
  }
  return [...byVector.values()]
}
