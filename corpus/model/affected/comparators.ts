/** Parses comparators in version texts, such as `>= 1.0, < 1.2.3` (rule 24). */

/** The bounds as written. They may be placeholders, which ranges.ts resolves. */
export type ComparatorText =
  | { kind: 'single'; version: string }
  | { kind: 'span'; start: string | null; limit: string | null; inclusive: boolean }

const ALL_VERSIONS = /^all versions\s+(?=[<>=])/i
const TERM = /(<=|>=|==|<|>|=)([^<>=]+)/y
/** Signs of more than one version: alternatives, conditions, lists. `V1.15(ACCC.3)C0` is a single version. */
const NOT_A_VERSION = /[,;|&]|\s\(|\s(?:and|or|if|on|with|when|except)\s/i

/** Returns whether the text has comparators, so that it is more than a version. */
export function hasComparator(text: string): boolean {
  return /[<>=]/.test(text)
}

/**
 * Returns the stated version or span. Null if the text is anything else, or if any part of it is not understood.
 * `introduced` cannot express an exclusive lower bound, so that is null too.
 */
export function parseComparators(text: string): ComparatorText | null {
  const terms = readTerms(text.trim().replace(ALL_VERSIONS, ''))
  if (!terms) return null
  const [first] = terms
  if (terms.length === 1 && first && (first.operator === '=' || first.operator === '==')) {
    return { kind: 'single', version: first.version }
  }
  let start: string | null = null
  let limit: string | null = null
  let inclusive = false
  for (const { operator, version } of terms) {
    if (operator === '>=' && start === null) start = version
    else if ((operator === '<' || operator === '<=') && limit === null) {
      limit = version
      inclusive = operator === '<='
    } else return null
  }
  return { kind: 'span', start, limit, inclusive }
}

function readTerms(text: string): { operator: string; version: string }[] | null {
  const terms: { operator: string; version: string }[] = []
  TERM.lastIndex = 0
  for (let end = 0; end < text.length; end = TERM.lastIndex) {
    const match = TERM.exec(text)
    if (!match) return null
    const stated = match[2]!.trim()
    // A comma may separate two terms. After the last term it is an error.
    const version = stated.endsWith(',') && TERM.lastIndex < text.length ? stated.slice(0, -1).trimEnd() : stated
    if (version === '' || NOT_A_VERSION.test(version)) return null
    terms.push({ operator: match[1]!, version })
  }
  return terms.length > 0 ? terms : null
}
