/** The version order of Semantic Versioning 2.0.0 (section 11), for sources that list events unordered. */

const FORM = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** Numbers have any length and stay text: they are compared by length, then by digits. */
interface Version {
  core: string[]
  prerelease: string[]
}

function parseSemver(text: string): Version | null {
  const match = FORM.exec(text)
  if (!match) return null
  return { core: match.slice(1, 4).map(plainNumber), prerelease: match[4]?.split('.') ?? [] }
}

/** Returns a negative number if `a` precedes `b`, and null if one is not a semantic version. `0` precedes all (OSV). */
export function compareSemver(a: string, b: string): number | null {
  if (a === b) return 0
  if (a === '0') return -1
  if (b === '0') return 1
  const [x, y] = [parseSemver(a), parseSemver(b)]
  if (!x || !y) return null
  for (const i of [0, 1, 2]) {
    const order = compareNumbers(x.core[i]!, y.core[i]!)
    if (order !== 0) return order
  }
  if (x.prerelease.length === 0 || y.prerelease.length === 0) {
    return Number(x.prerelease.length === 0) - Number(y.prerelease.length === 0)
  }
  for (let i = 0; i < Math.min(x.prerelease.length, y.prerelease.length); i++) {
    const order = compareIdentifiers(x.prerelease[i]!, y.prerelease[i]!)
    if (order !== 0) return order
  }
  return x.prerelease.length - y.prerelease.length
}

function compareIdentifiers(a: string, b: string): number {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (x && y) return compareNumbers(plainNumber(a), plainNumber(b))
  if (x !== y) return x ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

function plainNumber(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}
