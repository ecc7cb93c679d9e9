/** What a CVE was before a change and is after it, in the fields that decide what to do, and the names in it. */
import { packageKey } from '../../model/packages/name.ts'
import type { AffectedEntry, CveCore, Facets } from '../../model/record.ts'
import { plainBytes } from '../codec/segment-bytes.ts'
import { productId } from '../cursor/lists.ts'
import { coreSegment, partSegment } from '../record/cve-pieces.ts'
import type { ReadMember } from '../record/member.ts'

/** Fields of the summary record. */
export const STATE_FIELDS = [
  'title',
  'severity',
  'cvss_score',
  'cvss_score_source',
  'kev',
  'ssvc',
  'has_patch',
  'has_workaround',
  'has_exploit',
] as const satisfies readonly (keyof CveCore)[]

export type CveState = Pick<CveCore, (typeof STATE_FIELDS)[number]>

export interface ChangeFacts {
  /** Null for an added CVE. */
  before: CveState | null
  /** Null for a removed CVE. */
  after: CveState | null
  /** Names in the record after the change, or before its removal, as the filters of `/cves` match them: ascending. */
  vendors: string[]
  products: string[]
  packages: string[]
  /** False if the record has more names than an answer lists. */
  names_complete: boolean
}

/**
 * Bounds of the names of a row, so that an answer stays small: bytes of a part that is read, and characters of all names.
 * The 12,256 CVEs of real feeds are within them.
 */
const MOST_PART_BYTES = 1024 * 1024
const MOST_CHARACTERS = 64 * 1024

/** @throws SnapshotError if a member is damaged */
export function factsOfChange(before: ReadMember | null, after: ReadMember | null): ChangeFacts {
  return { before: before && stateOf(before), after: after && stateOf(after), ...namesOf((after ?? before)!) }
}

function stateOf(member: ReadMember): CveState {
  // The closing brace of the core belongs to the glue.
  const core = JSON.parse(`${plainBytes(member.bytes, coreSegment(member)).toString()}}`) as CveCore
  return Object.fromEntries(STATE_FIELDS.map((name) => [name, core[name]])) as unknown as CveState
}

type Names = Pick<ChangeFacts, 'vendors' | 'products' | 'packages' | 'names_complete'>

function namesOf(member: ReadMember): Names {
  const facets = boundedPart<Facets>(member, 'facets')
  const affected = boundedPart<AffectedEntry[]>(member, 'affected')
  const named = facets?.products ?? []
  const packages = (affected ?? []).flatMap(({ ecosystem, package_name: name }) =>
    ecosystem !== null && name !== null ? [packageKey(ecosystem, name)] : [],
  )
  let room = MOST_CHARACTERS
  let isComplete = facets !== undefined && affected !== undefined
  const fitting = (names: readonly string[]) => {
    const fit = [...new Set(names)].sort().filter((name) => {
      room -= name.length
      return room >= 0
    })
    if (room < 0) isComplete = false
    return fit
  }
  return {
    vendors: fitting(named.map(({ vendor }) => vendor)),
    products: fitting(named.flatMap(({ vendor, product }) => (product === null ? [] : [productId(vendor, product)]))),
    packages: fitting(packages),
    names_complete: isComplete,
  }
}

/** Returns the value of a part, null if it is empty, undefined if it is too large. */
function boundedPart<T>(member: ReadMember, part: 'facets' | 'affected'): T | null | undefined {
  const segment = partSegment(member, part)
  if (!segment) return null
  if (segment.plainLength > MOST_PART_BYTES) return undefined
  return JSON.parse(plainBytes(member.bytes, segment).toString()) as T
}
