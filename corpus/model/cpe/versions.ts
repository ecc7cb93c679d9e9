/** The order of versions of products. CPE defines none: numbers compare by component, everything else is undecided. */
import { compareNumbers, plainNumber } from '../versions/order.ts'

/** A version as a request states it. */
export interface ProductVersion {
  version: string
  /** Null if any update or none is meant. */
  update: string | null
}

const componentsOf = (version: string): string[] =>
  version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .split('.')

const isNumeric = (component: string) => /^\d+$/.test(component)

/** Absent components count as 0. Null if the first components that differ are not both numbers. */
function compareComponents(a: readonly string[], b: readonly string[], length: number): number | null {
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[i] ?? '0', b[i] ?? '0']
    if (x === y) continue
    if (!isNumeric(x) || !isNumeric(y)) return null
    const order = compareNumbers(plainNumber(x), plainNumber(y))
    if (order !== 0) return order
  }
  return 0
}

/** Returns a negative number if `a` precedes `b`, 0 if they are equal, null if that is undecided. */
export function compareVersions(a: string, b: string): number | null {
  const [x, y] = [componentsOf(a), componentsOf(b)]
  return compareComponents(x, y, Math.max(x.length, y.length))
}

/** `5.15.*` and `5.15.x` name a branch: all versions that begin with these components. */
const BRANCH = /^(v?\d+(?:\.\d+)*)\.(?:\*|x+)$/i

/** Returns the version at the start of a branch, or null. */
export const branchOf = (text: string): string | null => BRANCH.exec(text.trim())?.[1] ?? null

/** Returns whether `version` is `branch` or begins with its components. Null if that is undecided. */
export function isInBranch(version: string, branch: string): boolean | null {
  const prefix = componentsOf(branch)
  const order = compareComponents(componentsOf(version), prefix, prefix.length)
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
 * branch. Null if that is undecided: an update may precede or follow the version, so it is not at the bound.
 */
export function compareToBound({ version, update }: ProductVersion, bound: string): number | null {
  const branch = branchOf(bound)
  if (branch === null) {
    const order = compareVersions(version, bound)
    return order === 0 && update !== null ? null : order
  }
  const [asked, prefix] = [componentsOf(version), componentsOf(branch)]
  const order = compareComponents(asked, prefix, prefix.length)
  return order === 0 && update !== null && asked.length <= prefix.length ? null : order
}
