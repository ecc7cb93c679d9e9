/** Advisories of a snapshot: their CVEs, and the ids that lead to them. */
import type { CveId } from '../model/ids/cve-id.ts'
import { statedCveIds } from '../model/packages/advisory-ids.ts'
import { plainBytes, type ReadMember } from '../snapshot/index.ts'

/** A hostile set has thousands of ids. Answers list the first ones. */
const MOST_NAMED = 20

/** Returns the aliases of an id that can be shown, at most `MOST_NAMED`. */
export const shownAliases = (aliases: readonly string[] | null): readonly string[] =>
  (aliases ?? []).slice(0, MOST_NAMED)

/** Returns the CVEs that the record of an advisory names. */
export const cveIdsOf = (member: ReadMember): CveId[] =>
  statedCveIds(JSON.parse(plainBytes(member.bytes, member.segments[0]!).toString()))
