/** The title of a record: the CNA's, or one made of what else it says (decisions 19). */
import type { CveClaim } from './claim.ts'

const LIMIT = 120
/** A full stop after one of these, or after initials (`e.g.`, `B.V.`), does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:etc|vs|cf|inc|corp|ltd|co|no|ver|v|approx|(?:[a-z]\.)*[a-z])\.$/i
const SENTENCE_END = /[.!?](?=\s)/g

/**
 * `cna` is the CNA's claim; `weaknessName` the name of the primary weakness. Vendor and product are those of the CNA's
 * first `affected` entry, unknown ones are left out.
 */
export function titleOf(cna: CveClaim | undefined, description: string | null, weaknessName: string | null) {
  if (cna?.title) return cna.title
  const first = cna?.affected[0]
  const subject = [first?.vendor, first?.product].filter(Boolean).join(' ')
  const derived = [subject, weaknessName].filter(Boolean).join(': ')
  if (derived) return derived
  return description === null ? null : cutAtWord(firstSentence(description), LIMIT)
}

/** The first sentence, with its full stop, on one line. */
export function firstSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  for (const end of line.matchAll(SENTENCE_END)) {
    const sentence = line.slice(0, end.index + 1)
    if (!ABBREVIATION.test(sentence)) return sentence
  }
  return line
}

/** At most `limit` code points, ending with a whole word; a single longer word is cut. */
export function cutAtWord(text: string, limit: number): string {
  const points = [...text]
  if (points.length <= limit) return text
  const cut = points.slice(0, limit).join('')
  if (points[limit] === ' ') return cut.trimEnd()
  const blank = cut.lastIndexOf(' ')
  return (blank > 0 ? cut.slice(0, blank) : cut).trimEnd()
}
