/** The packages that a statement names, and which components they are. */
import { foldName, splitPackage } from '../../model/packages/name.ts'
import { PurlError, packageOfPurl, purlQualifiers } from '../../model/packages/purl.ts'
import { comparatorOf } from '../../model/versions/comparator.ts'
import { baseEcosystem, canonicalEcosystem, releaseOf } from '../../model/versions/ecosystems.ts'
import type { Component } from '../inventory.ts'

export interface PackagePattern {
  /** Can name a release of a distribution, such as `Debian:12`. `Debian` matches all releases. */
  ecosystem: string
  name: string
  /** Null: every version. */
  version: string | null
  /** As stated. Null for the form `npm/lodash`. */
  purl: string | null
}

/** Returns the package of a purl; null if the purl is malformed, or no ecosystem has its type. */
export function patternOfPurl(purl: string): PackagePattern | null {
  try {
    const { ecosystem, name, version } = packageOfPurl(purl)
    return ecosystem === null ? null : { ecosystem, name, version, purl }
  } catch (error) {
    if (error instanceof PurlError) return null
    throw error
  }
}

/** Returns the package of `npm/lodash` or of a purl; null for another text. */
export function patternOf(text: string): PackagePattern | null {
  if (/^pkg:/i.test(text)) return patternOfPurl(text)
  const parts = splitPackage(text)
  const ecosystem = parts && canonicalEcosystem(parts.ecosystem, [])
  return parts && ecosystem ? { ecosystem, name: parts.name, version: null, purl: null } : null
}

/** Returns the text that `patternOf` reads. */
export const patternText = ({ ecosystem, name, purl }: Pick<PackagePattern, 'ecosystem' | 'name' | 'purl'>): string =>
  purl ?? `${ecosystem}/${name}`

/** Returns a text that names the package of a component in every version. Null if there is none. */
export function packageText(component: Component): string | null {
  const { ecosystem, name, purl } = component
  if (ecosystem === null) return null
  const text = patternText({ ecosystem, name, purl: null })
  const names = (one: string) => {
    const pattern = patternOf(one)
    return pattern !== null && isPackage(pattern, component)
  }
  return [text, ...(purl === null ? [] : [purl])].find(names) ?? null
}

/** Whether a component is one of the packages that a pattern names. */
export function isPackage(pattern: PackagePattern, component: Component): boolean {
  const { ecosystem, name, version, purl } = component
  if (ecosystem === null || baseEcosystem(ecosystem) !== baseEcosystem(pattern.ecosystem)) return false
  if (foldName(ecosystem, name) !== foldName(pattern.ecosystem, pattern.name)) return false
  const release = releaseOf(pattern.ecosystem)
  if (release !== null && release !== releaseOf(ecosystem)) return false
  if (pattern.version !== null && !isSameVersion(ecosystem, pattern.version, version)) return false
  return pattern.purl === null || purl === null || haveSameQualifiers(pattern.purl, purl)
}

/** Two spellings of one version are equal, such as `1.0` and `1.0.0` of PyPI. */
function isSameVersion(ecosystem: string, a: string, b: string): boolean {
  if (a === b) return true
  const order = comparatorOf(ecosystem)
  const [first, second] = [order?.parse(a) ?? null, order?.parse(b) ?? null]
  return order !== null && first !== null && second !== null && order.compare(first, second) === 0
}

/** They are part of the ecosystem, the version and the source package. */
const READ_OTHERWISE = ['distro', 'epoch', 'upstream', 'source']

/** Whether two purls state the same value of each qualifier that both have, such as `arch`. */
function haveSameQualifiers(a: string, b: string): boolean {
  const others = purlQualifiers(b)
  return [...purlQualifiers(a)].every(
    ([key, value]) => READ_OTHERWISE.includes(key) || (others.get(key) ?? value) === value,
  )
}
