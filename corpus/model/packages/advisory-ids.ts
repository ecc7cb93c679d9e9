/** The ids that a record in the OSV schema states: its own, its aliases, its CVEs. */
import { type CveId, compareCveIds, parseCveId } from '../ids/cve-id.ts'
import { type JsonObject, text, texts } from '../values/json-value.ts'

/** The ids of a record. */
export interface AdvisoryIds {
  id: string
  /** As stated, without the own id. Empty for a withdrawn record, as `cve_ids`. */
  aliases: string[]
  /** CVEs in `id`, `aliases` and `upstream`, by year and number. */
  cve_ids: CveId[]
}

/** Returns null for a record without an id. */
export function advisoryIds(record: JsonObject): AdvisoryIds | null {
  const id = text(record.id)
  if (id === null) return null
  if (isWithdrawn(record)) return { id, aliases: [], cve_ids: [] }
  const aliases = [...new Set(texts(record.aliases))].filter((alias) => alias !== id)
  return { id, aliases, cve_ids: statedCveIds(record) }
}

/** Returns the CVEs that a record names, also a withdrawn one, by year and number. */
export function statedCveIds({ id, aliases, upstream }: JsonObject): CveId[] {
  const found = new Set([text(id) ?? '', ...texts(aliases), ...texts(upstream)].flatMap((one) => parseCveId(one) ?? []))
  return [...found].sort(compareCveIds)
}

export const isWithdrawn = (record: JsonObject): boolean => text(record.withdrawn) !== null
