/** Names of packages, folded for look-ups. */
import { baseEcosystem } from '../versions/ecosystems.ts'

const lowerCase = (name: string): string => name.toLowerCase()

const FOLDINGS: ReadonlyMap<string, (name: string) => string> = new Map([
  // PEP 503, "Normalized Names".
  ['PyPI', (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-')],
  ['NuGet', lowerCase],
  ['npm', lowerCase],
  ['Packagist', lowerCase],
  ['Hex', lowerCase],
  // RFC 940 of Rust: names that differ in `-` and `_` alone are one crate.
  ['crates.io', (name: string) => name.replaceAll('-', '_')],
  // Purls of Go are in lower case, modules are not. Tools call the standard library `std` or `stdlib`.
  ['Go', (name: string) => (name === 'std' ? 'stdlib' : name.toLowerCase())],
  // The address of a repository. Advisories state it with or without the scheme; a purl has none.
  [
    'SwiftURL',
    (name: string) =>
      name
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .replace(/\.git$/, ''),
  ],
  // Owners and repositories on GitHub, and extensions, are equal in any case. Purls have them in lower case.
  ['GitHub Actions', lowerCase],
  ['VSCode', lowerCase],
])

/** Returns the form under which all spellings of a package are found. Names of other ecosystems are exact. */
export function foldName(ecosystem: string, name: string): string {
  return FOLDINGS.get(baseEcosystem(ecosystem))?.(name) ?? name
}

/** The key of a package in the index: `npm/@scope/name`. */
export const packageKey = (ecosystem: string, name: string): string =>
  `${baseEcosystem(ecosystem)}/${foldName(ecosystem, name)}`

/**
 * Whether a request can name the package. No package has a blank or a control character in its name, and a path of a URL
 * cannot end in `.` or `..`.
 */
export const isPackageName = (name: string): boolean => !/[\s\p{Cc}]/u.test(name) && name !== '.' && name !== '..'

/** Completes "must be …". */
export const PACKAGE_FORM = 'of the form <ecosystem>/<name>, such as npm/lodash'

/** Splits `<ecosystem>/<name>`; null if a part is missing. */
export function splitPackage(text: string): { ecosystem: string; name: string } | null {
  const slash = text.indexOf('/')
  if (slash < 1 || slash === text.length - 1) return null
  return { ecosystem: text.slice(0, slash), name: text.slice(slash + 1) }
}
