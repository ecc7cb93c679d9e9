/** Compares attribute values of two CPE names (NISTIR 7696, section 6.2). */
import { cpeText } from '../affected/cpe.ts'
import { ANY, hasWildcard, NOT_APPLICABLE, wildcardsOf } from './name.ts'

/** The source is equal to, a superset of, a subset of, or disjoint with the target. */
export type Relation = 'equal' | 'superset' | 'subset' | 'disjoint' | 'undefined'

/** Returns the relation of two values in canonical form (table 6-2). A target with wildcards has no relation. */
export function compareValues(source: string, target: string): Relation {
  if (hasWildcard(target)) return 'undefined'
  if (source === target) return 'equal'
  if (source === ANY) return 'superset'
  if (target === ANY) return 'subset'
  if (source === NOT_APPLICABLE || target === NOT_APPLICABLE || !hasWildcard(source)) return 'disjoint'
  return matchesPattern(source, target) ? 'superset' : 'disjoint'
}

const LITERAL = (value: string) => cpeText(value) ?? value

/** `*` stands for any characters, each `?` for at most one. */
function matchesPattern(pattern: string, value: string): boolean {
  const { before, body, after } = wildcardsOf(pattern)
  const [text, literal] = [LITERAL(value), body === '' ? '' : LITERAL(body)]
  const [mostBefore, mostAfter] = [before, after].map((wild) => (wild === '*' ? text.length : wild.length))
  const at = text.indexOf(literal, Math.max(0, text.length - literal.length - mostAfter!))
  return at >= 0 && at <= mostBefore!
}

/** Returns whether some product has both values. Null if both have wildcards, so that nothing is known. */
export function overlap(a: string, b: string): boolean | null {
  if (a === b || a === ANY || b === ANY) return true
  const relation = compareValues(a, b) === 'undefined' ? compareValues(b, a) : compareValues(a, b)
  return relation === 'undefined' ? null : relation !== 'disjoint'
}
