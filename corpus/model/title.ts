/** The title of a record: the CNA's, or one built from other fields (rule 19). */

import { namesToShow } from './affected/products.ts'
import type { CveClaim } from './claim.ts'

const LIMIT = 160
/** A full stop after one of these or after initials (`e.g.`, `B.V.`) does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:etc|vs|cf|inc|corp|ltd|co|no|ver|v|approx|(?:[a-z]\.)*[a-z])\.$/i
const SENTENCE_END = /[.!?](?=\s)/g

/** A possible source of the title with its result. `title` is null if the source has none. */
export interface TitleCandidate {
  from: 'title' | 'affected and weakness' | 'description'
  title: string | null
}

/**
 * Yields title candidates in order of precedence. `cna` is the CNA's claim; `weaknessName` is the name of the primary
 * weakness. Vendor and product come from the CNA's first `affected` entry. A title is made of them only if all three are
 * known: a bare product or weakness states less than the description. A vendor that the product repeats is omitted.
 */
export function* titleCandidates(
  cna: CveClaim | undefined,
  description: string | null,
  weaknessName: string | null,
): Iterable<TitleCandidate> {
  yield { from: 'title', title: cna?.title || null }
  const { vendor = null, product = null } = cna?.affected[0] ?? {}
  const isKnown = vendor !== null && product !== null && weaknessName !== null
  const named = isKnown ? `${namesToShow(vendor, product).join(' ')}: ${weaknessName}` : null
  yield { from: 'affected and weakness', title: named }
  yield { from: 'description', title: description === null ? null : cutAtWord(firstSentence(description), LIMIT) }
}

export function titleOf(...known: Parameters<typeof titleCandidates>): string | null {
  for (const { title } of titleCandidates(...known)) if (title !== null) return title
  return null
}

/** Returns the first sentence with its full stop, on one line. */
export function firstSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  for (const end of line.matchAll(SENTENCE_END)) {
    const sentence = line.slice(0, end.index + 1)
    if (!ABBREVIATION.test(sentence)) return sentence
  }
  return line
}

/** Returns at most `limit` code points that end with a whole word. A single longer word is cut. */
export function cutAtWord(text: string, limit: number): string {
  const points = [...text]
  if (points.length <= limit) return text
  const cut = points.slice(0, limit).join('')
  if (points[limit] === ' ') return cut.trimEnd()
  const blank = cut.lastIndexOf(' ')
  return (blank > 0 ? cut.slice(0, blank) : cut).trimEnd()
}
