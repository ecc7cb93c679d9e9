/** The order of versions of products. CPE defines none: numbers compare by component, other text is undecided. */
import { compareNumbers, MAX_VERSION_LENGTH, plainNumber } from '../versions/order.ts'

/** A version as a request states it. */
export interface ProductVersion {
  version: string
  /** Null if any update or none is meant. */
  update: string | null
}

/** CPE writes `_` for a blank. */
const componentsOf = (version: string): string[] =>
  version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .replace(/\s+/g, '_')
    .split('.')

const isNumeric = (component: string) => /^\d+$/.test(component)

/** A number and what follows it: `19-rc6`, `2k`, `8u202`, `2(25)se`, `2r3-s4`. `1x` is no number: it means 10 to 19. */
const NUMBERED = /^(\d+)(?!x+$)(?:[a-z]+\d*)?(?:[-_+~(].*)?$/s
const SHORT_COMMIT = /^(?=.*[a-f])[\da-f]{7,}$/
const RELEASE_CANDIDATE = /^\d+[-_~]?rc[-_]?(\d+)$/

/** Null if the component does not begin with a number, or may be the end of one version and the begin of another. */
function leadingNumber(component: string, isLast: boolean): string | null {
  if (SHORT_COMMIT.test(component) || (!isLast && /^\d+-v?\d+$/.test(component))) return null
  return NUMBERED.exec(component)?.[1] ?? null
}

/** Numbers compare first. Of equal ones, a release candidate precedes its release; everything else is undecided. */
function compareNumbered(x: string, y: string, areLast: [boolean, boolean]): number | null {
  const [a, b] = [leadingNumber(x, areLast[0]), leadingNumber(y, areLast[1])]
  if (a === null || b === null) return null
  const order = compareNumbers(plainNumber(a), plainNumber(b))
  if (order !== 0 || (isNumeric(x) && isNumeric(y))) return order
  const [c, d] = [RELEASE_CANDIDATE.exec(x)?.[1], RELEASE_CANDIDATE.exec(y)?.[1]]
  if (c && d) return compareNumbers(plainNumber(c), plainNumber(d))
  return c && isNumeric(y) ? -1 : d && isNumeric(x) ? 1 : null
}

/** Absent components count as 0. The first components that differ decide. Null if these are undecided. */
function compareComponents(a: readonly string[], b: readonly string[], length: number): number | null {
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[i] ?? '0', b[i] ?? '0']
    if (x === y) continue
    const order = compareNumbered(x, y, [i >= a.length - 1, i >= b.length - 1])
    if (order !== 0) return order
  }
  return 0
}

/** As `compareComponents`, but a release candidate may be before a branch or in it. */
function compareToBranch(version: readonly string[], branch: readonly string[]): number | null {
  const order = compareComponents(version, branch, branch.length)
  const released = version.map((component) => component.replace(CANDIDATE_SUFFIX, ''))
  return order !== 0 && compareComponents(released, branch, branch.length) === 0 ? null : order
}

const CANDIDATE_SUFFIX = /(?<=\d)[-_~]?rc[-_]?\d+$/

const isTooLong = (version: string): boolean => version.length > MAX_VERSION_LENGTH

/** Returns a negative number if `a` precedes `b`, 0 if they are equal, null if that is undecided. */
export function compareVersions(a: string, b: string): number | null {
  if (isTooLong(a) || isTooLong(b)) return null
  const [x, y] = [componentsOf(a), componentsOf(b)]
  return compareComponents(x, y, Math.max(x.length, y.length))
}

/** `5.15.*` and `5.15.x` name a branch: all versions that begin with these components. */
const BRANCH = /^(v?\d+(?:\.\d+)*)\.(?:\*|x+)$/i

/** Returns the version at the start of a branch, or null. */
export const branchOf = (text: string): string | null =>
  isTooLong(text) ? null : (BRANCH.exec(text.trim())?.[1] ?? null)

/** Returns whether `version` is `branch` or begins with its components. Null if that is undecided. */
export function isInBranch(version: string, branch: string): boolean | null {
  const prefix = componentsOf(branch)
  const order = compareToBranch(componentsOf(version), prefix)
  return order === null ? null : order === 0
}

/**
 * Returns whether a version that follows `fix` is in the branch that `fix` repairs: 5.10.201 and 5.10.200. The branch
 * of a shorter version is uncertain: 6.2.1 is in that of 6.2, and 6.3 may be. Null if it is undecided.
 */
export function isLaterInBranch(version: string, fix: string): boolean | null {
  const components = componentsOf(fix)
  if (isInBranch(version, fix)) return true
  const known = isInBranch(version, components.slice(0, -1).join('.') || fix)
  return components.length > 2 ? known : known === false ? false : null
}

/**
 * Returns the position of a version relative to a bound: negative before it, positive after it, 0 at it or within its
 * branch. Null if that is undecided: an update may precede or follow the version, so it is not at the bound. The update
 * `rc1` precedes it.
 */
export function compareToBound({ version, update }: ProductVersion, bound: string): number | null {
  const branch = branchOf(bound)
  if (branch === null) {
    if (update !== null && /^rc[-_]?\d+$/i.test(update)) return compareVersions(`${version}-${update}`, bound)
    const isAtBound = [bound, bound.toLowerCase().replace(CANDIDATE_SUFFIX, '')].some(
      (text) => compareVersions(version, text) === 0,
    )
    return isAtBound && update !== null ? null : compareVersions(version, bound)
  }
  const [asked, prefix] = [componentsOf(version), componentsOf(branch)]
  const order = compareToBranch(asked, prefix)
  return order === 0 && update !== null && asked.length <= prefix.length ? null : order
}
