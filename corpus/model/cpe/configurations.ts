/** Evaluates what NVD states about a product: CPEs and ranges. */
import { type Cpe, cpeText } from '../affected/cpe.ts'
import { MAX_VERSION_LENGTH } from '../versions/order.ts'
import { overlap } from './compare.ts'
import { ENUMERATED, type EntryVerdict, fits, type ProductEntry, QUALIFIERS } from './entry.ts'
import { ANY } from './name.ts'
import { askedVersion, isInside, matchOf, spanOfRange, spanOfText } from './span.ts'
import { compareVersions } from './versions.ts'

const BEYOND_VERSION = [...QUALIFIERS, 'update'] as const

/** An entry of NVD: CPEs with a version, and CPEs without one, to which the ranges belong. */
export function matchConfigurations(
  { cpes, affected_ranges, affected_versions }: ProductEntry,
  asked: Cpe,
): EntryVerdict {
  if (cpes.every((cpe) => fits(cpe, asked, BEYOND_VERSION) === false)) return 'other'
  const version = askedVersion(asked)
  let isUndecided = false
  for (const cpe of cpes) {
    if (cpe.version === ANY) continue
    const fit = fits(cpe, asked, BEYOND_VERSION)
    if (fit === false) continue
    const same = isSameVersion(cpe.version, asked.version)
    if (same === false) continue
    if (fit && same && version.kind !== 'many') return ENUMERATED
    isUndecided = true
  }
  const spans = [...(affected_ranges ?? []).map(spanOfRange), ...(affected_versions ?? []).flatMap(spanOfText)]
  const open = cpes.filter((cpe) => cpe.version === ANY)
  const fitting = open.map((cpe) => fits(cpe, asked, BEYOND_VERSION)).filter((fit) => fit !== false)
  if (fitting.length > 0 && spans.length > 0) {
    // The entry does not state which of its ranges belongs to which of its CPEs.
    const isCertain = fitting.every((fit) => fit) && (fitting.length === open.length || spans.length === 1)
    for (const span of spans) {
      const inside = isInside(span, version)
      if (inside && isCertain) return matchOf(span)
      if (inside !== false) isUndecided = true
    }
  }
  return isUndecided ? 'undecided' : 'unaffected'
}

/** Whether a version of a CPE is that of the request, as text or as numbers. */
function isSameVersion(stated: string, asked: string): boolean | null {
  if (Math.max(stated.length, asked.length) > MAX_VERSION_LENGTH) return null
  const same = overlap(stated, asked)
  if (same !== false) return same
  const [a, b] = [cpeText(stated), cpeText(asked)]
  return a !== null && b !== null && compareVersions(a, b) === 0
}
