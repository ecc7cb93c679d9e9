/** Mutations that break the rules of CPE names: how they are read and compared, and which records affect a version. */
import type { Mutation } from '../mutation.ts'

const COMPARE = 'corpus/model/cpe/compare.ts'
const VERSIONS = 'corpus/model/cpe/versions.ts'
const ENTRY = 'corpus/model/cpe/entry.ts'
const SPAN = 'corpus/model/cpe/span.ts'
const CONFIGURATIONS = 'corpus/model/cpe/configurations.ts'
const STATEMENTS = 'corpus/model/cpe/statements.ts'
const MATCH = 'corpus/model/cpe/match.ts'

export const CPE: readonly Mutation[] = [
  {
    rule: 'values compare as in table 6-2',
    breaks: 'not applicable is any',
    file: COMPARE,
    find: 'if (source === ANY) return',
    replace: 'if (source === ANY || source === NOT_APPLICABLE) return',
  },
  {
    rule: 'a pattern contains what it matches',
    breaks: 'a question mark stands for any number of characters',
    file: COMPARE,
    find: "wild === '*' ? text.length : wild.length",
    replace: "wild !== '' ? text.length : 0",
  },
  {
    rule: 'components of two versions compare as numbers',
    breaks: 'components compare as text',
    file: VERSIONS,
    find: 'compareNumbers(plainNumber(a), plainNumber(b))',
    replace: '(a === b ? 0 : a < b ? -1 : 1)',
  },
  {
    rule: 'components of two versions compare as numbers',
    breaks: 'letters follow numbers',
    file: VERSIONS,
    find: 'isNumeric(x) ? 1 : null',
    replace: 'isNumeric(x) ? 1 : x < y ? -1 : 1',
  },
  {
    rule: 'components of two versions compare as numbers',
    breaks: 'a release candidate follows its release',
    file: VERSIONS,
    find: 'c && isNumeric(y) ? -1',
    replace: 'c && isNumeric(y) ? 1',
  },
  {
    rule: 'no fixed version is affected',
    breaks: 'a fix that another source affects is listed',
    file: MATCH,
    find: 'update: ANY }) === null)',
    replace: 'update: ANY }) !== undefined)',
  },
  {
    rule: 'a version with an update is not at a bound',
    breaks: 'the update does not count',
    file: VERSIONS,
    find: 'return isAtBound && update !== null ? null :',
    replace: 'return',
  },
  {
    rule: 'bounds of NVD',
    breaks: 'an exclusive lower bound is inclusive',
    file: SPAN,
    find: '(isExclusive ? order > 0 : order >= 0)',
    replace: 'order >= 0',
  },
  {
    rule: 'a range is undecided if it may belong to a CPE of another edition',
    breaks: 'every range belongs to every CPE',
    file: CONFIGURATIONS,
    find: 'const isCertain = fitting.every((fit) => fit) && (fitting.length === open.length || spans.length === 1)',
    replace: 'const isCertain = fitting.every((fit) => fit)',
  },
  {
    rule: 'an attribute of a configuration must overlap with that of the request',
    breaks: 'other target software matches',
    file: ENTRY,
    find: "['part', 'edition', 'language', 'swEdition', 'targetSw', 'targetHw', 'other']",
    replace: "['part', 'edition', 'language', 'swEdition', 'targetHw', 'other']",
  },
  {
    rule: 'a default status of affected excludes what is stated as unaffected',
    breaks: 'a fixed branch is affected',
    file: STATEMENTS,
    find: 'if (later) return true',
    replace: 'if (later) return false',
  },
  {
    rule: 'commits are not evaluated; an entry without a statement counts alone only',
    breaks: 'it makes the record undecided',
    file: MATCH,
    find: '(isStated || !isSilent)',
    replace: '!isSilent',
  },
  {
    rule: 'other work runs between the records of a large product',
    breaks: 'a slice has no end',
    file: 'gateway/http/slices.ts',
    find: 'performance.now() < end;',
    replace: 'end > 0;',
  },
]
