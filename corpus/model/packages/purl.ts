/**
 * Package URLs (ECMA-427), and the packages that they name in the OSV schema: an ecosystem and a name.
 *
 * The parser is our own. packageurl-js 2.0.1 rejects `swift` and `cran` without a version and `conan` without
 * qualifiers, removes line feeds, and throws a ReferenceError for `pkg:golang/x/y@v1.2`.
 */
import { CodedError } from '../../errors/coded-error.ts'
import { DISTRIBUTIONS, distributionOf } from './distributions.ts'

/** The message completes "the purl is invalid: …". */
export class PurlError extends CodedError<'malformed'> {}

const malformed = (fault: string) => new PurlError('malformed', fault)

export interface PurlPackage {
  /** With the release of a distribution, if the purl states a known one: `Debian:12`. Null if no ecosystem has the type. */
  ecosystem: string | null
  name: string
  version: string | null
  /** The source package of a distribution's package, as the purl states it. Null if it states none. */
  source: string | null
}

interface PurlType {
  ecosystem: string
  /** Separates namespace and name in the name of the package. */
  separator: string
  namespace: 'prohibited' | 'optional' | 'required'
}

const plain = (ecosystem: string): PurlType => ({ ecosystem, separator: '/', namespace: 'prohibited' })
const scoped = (ecosystem: string): PurlType => ({ ecosystem, separator: '/', namespace: 'optional' })
const qualified = (ecosystem: string, separator = '/'): PurlType => ({ ecosystem, separator, namespace: 'required' })

const TYPES: ReadonlyMap<string, PurlType> = new Map([
  ['bioconductor', plain('Bioconductor')],
  ['bitnami', plain('Bitnami')],
  ['cargo', plain('crates.io')],
  ['composer', qualified('Packagist')],
  ['conan', scoped('ConanCenter')],
  ['cran', plain('CRAN')],
  ['gem', plain('RubyGems')],
  ['generic', scoped('OSS-Fuzz')],
  ['golang', scoped('Go')],
  ['hackage', plain('Hackage')],
  ['hex', scoped('Hex')],
  ['julia', plain('Julia')],
  ['maven', qualified('Maven', ':')],
  ['npm', scoped('npm')],
  ['nuget', plain('NuGet')],
  ['opam', plain('opam')],
  ['pub', plain('Pub')],
  ['pypi', plain('PyPI')],
  ['swift', qualified('SwiftURL')],
  ['vscode-extension', qualified('VSCode', '.')],
])

/** A repository on GitHub can be more than an action, so the ecosystem has no purl of its own. */
const ACTIONS: PurlType = qualified('GitHub Actions')
const READ_ONLY: ReadonlyMap<string, PurlType> = new Map([
  ['github', ACTIONS],
  ['githubactions', ACTIONS],
])

/**
 * Returns the package that a purl names, with its ecosystem if one has the type. As in osv.dev, the subpath of `golang`
 * belongs to the module; that of an action is its folder. `epoch` of `rpm` becomes a part of the version.
 * @param distro the distribution and release of a purl without the qualifier `distro`, in its form: `debian-12`
 * @throws PurlError
 */
export function packageOfPurl(text: string, distro: string | null = null): PurlPackage {
  const { type, namespace, name, version, qualifiers, subpath } = parsePurl(text)
  if (distro !== null && !qualifiers.has('distro')) qualifiers.set('distro', distro)
  const distribution = distributionOf({ type, namespace: namespace.join('/').toLowerCase(), version, qualifiers })
  if (distribution !== null) {
    const epoch = type === 'rpm' ? qualifiers.get('epoch') : undefined
    const source = qualifiers.get('upstream') ?? qualifiers.get('source') ?? null
    return { ecosystem: distribution, name, version: withEpoch(version, epoch), source }
  }
  const known = TYPES.get(type) ?? READ_ONLY.get(type)
  if (known?.namespace === 'required' && namespace.length === 0) {
    throw malformed(`the type '${type}' requires a namespace, as in pkg:${type}/namespace/name`)
  }
  if (known?.namespace === 'prohibited' && namespace.length > 0) {
    throw malformed(`the type '${type}' has no namespace; percent-encode '/' in a name`)
  }
  const path = [...namespace, name, ...(type === 'golang' || known === ACTIONS ? subpath : [])]
  // A package of Conan has one name on every remote; the namespace is its owner there.
  const full = type === 'conan' ? name : path.join(known?.separator ?? '/')
  return { ecosystem: known?.ecosystem ?? null, name: full, version, source: null }
}

/** Returns the qualifiers of a purl that have a value. @throws PurlError */
export const purlQualifiers = (text: string): ReadonlyMap<string, string> => parsePurl(text).qualifiers

/** Tools state the epoch in the version, as a qualifier, or in both. */
const withEpoch = (version: string | null, epoch: string | undefined): string | null =>
  version === null || epoch === undefined || /^\d+:/.test(version) ? version : `${epoch}:${version}`

interface Purl {
  type: string
  namespace: string[]
  name: string
  version: string | null
  /** Without those that have no value. */
  qualifiers: Map<string, string>
  subpath: string[]
}

/** ECMA-427, "How to parse". Accepts `@` at the beginning of a segment, as in `pkg:npm/@scope/name`. */
function parsePurl(text: string): Purl {
  if (/[\s\p{Cc}]/u.test(text)) throw malformed('it contains a blank or a control character')
  const scheme = /^pkg:\/*/i.exec(text)?.[0]
  if (scheme === undefined) throw malformed("it does not begin with 'pkg:'")
  const [beforeSubpath, subpath] = splitLast(text.slice(scheme.length), '#')
  const [beforeQualifiers, qualifiers] = splitLast(beforeSubpath, '?')
  const slash = beforeQualifiers.indexOf('/')
  const type = (slash === -1 ? beforeQualifiers : beforeQualifiers.slice(0, slash)).toLowerCase()
  if (type === '') throw malformed('it has no type')
  if (!/^[a-z][a-z0-9.+-]*$/.test(type)) throw malformed('its type is not a word of letters, digits, dots and dashes')
  const path = slash === -1 ? '' : beforeQualifiers.slice(slash + 1)
  const at = path.lastIndexOf('@')
  const hasVersion = at > 0 && path[at - 1] !== '/'
  const segments = segmentsOf(hasVersion ? path.slice(0, at) : path, 'name')
  const name = segments.pop()
  if (name === undefined) throw malformed('it has no name')
  return {
    type,
    namespace: segments,
    name,
    version: hasVersion ? decoded(path.slice(at + 1), 'version') || null : null,
    qualifiers: qualifiersOf(qualifiers),
    subpath: segmentsOf(subpath, 'subpath').filter((segment) => segment !== '.' && segment !== '..'),
  }
}

function splitLast(text: string, separator: string): [before: string, after: string] {
  const at = text.lastIndexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const segmentsOf = (path: string, what: string): string[] =>
  path.split('/').flatMap((segment) => decoded(segment, what) || [])

function qualifiersOf(text: string): Map<string, string> {
  const qualifiers = new Map<string, string>()
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    const key = pair.slice(0, Math.max(equals, 0)).toLowerCase()
    const value = decoded(pair.slice(equals + 1), 'qualifiers')
    if (pair === '' || value === '') continue
    if (!/^[a-z][a-z0-9._-]*$/.test(key)) throw malformed('its qualifiers are not pairs of the form key=value')
    if (qualifiers.has(key)) throw malformed('it has a qualifier twice')
    qualifiers.set(key, value)
  }
  return qualifiers
}

/** Control characters are never part of a purl, and blanks never part of a name, encoded or not. */
function decoded(text: string, what: string): string {
  let value: string
  try {
    value = decodeURIComponent(text)
  } catch (cause) {
    throw new PurlError('malformed', `its ${what} has malformed percent-encoding`, { cause })
  }
  if (/\p{Cc}/u.test(value)) throw malformed(`its ${what} has a control character`)
  if (what === 'name' && /\s/.test(value)) throw malformed('its name has a blank')
  return value
}

/** How an ecosystem writes names in purls, if it changes them. Null if a name has no purl. */
const NAMES: Readonly<Record<string, (name: string) => string | null>> = {
  // PyPI names are equal in any case and with `_` for `-` (PEP 503). The purl has one form.
  PyPI: (name) => name.toLowerCase().replaceAll('_', '-'),
  Maven: (name) => (/^[^:/]+:[^:/]+$/.test(name) ? name.replace(':', '/') : null),
  Packagist: (name) => name.toLowerCase(),
  Hex: (name) => name.toLowerCase(),
  SwiftURL: (name) => name.replace(/^https?:\/\//, '').replace(/\.git$/, ''),
  VSCode: (name) => name.replace('.', '/'),
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ...Array.from(TYPES, ([type, { ecosystem }]) => [ecosystem, type] as const),
  ...DISTRIBUTIONS.map(({ ecosystem, type, namespaces }) => [ecosystem, `${type}/${namespaces[0]}`] as const),
])

/** Returns `pkg:npm/%40scope/name`, without a version. Null if the ecosystem, or the name in it, has no such form. */
export function packageUrl(ecosystem: string, name: string): string | null {
  const prefix = PREFIXES.get(ecosystem)
  const written = Object.hasOwn(NAMES, ecosystem) ? NAMES[ecosystem]!(name) : name
  if (prefix === undefined || written === null) return null
  // The namespace of a distribution is in the prefix.
  const { namespace } = TYPES.get(prefix) ?? { namespace: 'prohibited' }
  if (namespace === 'required' && !written.includes('/')) return null
  const segments = namespace === 'prohibited' ? [written] : written.split('/')
  // A purl with an empty segment names another package.
  if (segments.includes('')) return null
  return `pkg:${prefix}/${segments.map(encoded).join('/')}`
}

/** Percent-encodes a segment, except colons: purl leaves them unencoded. */
const encoded = (segment: string): string => encodeURIComponent(segment).replaceAll('%3A', ':')
