/** Package URLs (purl-spec) for packages that OSV and GitHub identify by ecosystem and name. */

/** The purl path for each ecosystem of the OSV schema. For others it cannot be derived from the name. */
const PATHS: Record<string, (name: string) => string | null> = {
  npm: (name) => `npm/${encoded(name)}`,
  // PyPI names are equal in any case and with `_` for `-` (PEP 503). The purl has one form.
  PyPI: (name) => `pypi/${encoded(name.toLowerCase().replaceAll('_', '-'))}`,
  Maven: (name) => (/^[^:/]+:[^:/]+$/.test(name) ? `maven/${encoded(name.replace(':', '/'))}` : null),
  Go: (name) => `golang/${encoded(name)}`,
  'crates.io': (name) => `cargo/${encoded(name)}`,
  RubyGems: (name) => `gem/${encoded(name)}`,
  NuGet: (name) => `nuget/${encoded(name)}`,
  Packagist: (name) => `composer/${encoded(name.toLowerCase())}`,
  Hex: (name) => `hex/${encoded(name.toLowerCase())}`,
  Pub: (name) => `pub/${encoded(name)}`,
  SwiftURL: (name) => `swift/${encoded(name.replace(/^https?:\/\//, '').replace(/\.git$/, ''))}`,
}

/** Returns `pkg:npm/%40scope/name`, without a version. Null if the ecosystem has no such form. */
export function packageUrl(ecosystem: string, name: string): string | null {
  const path = Object.hasOwn(PATHS, ecosystem) ? PATHS[ecosystem]!(name) : null
  return path && `pkg:${path}`
}

/** Percent-encodes every segment, except colons: purl leaves them unencoded. */
function encoded(name: string): string {
  return name
    .split('/')
    .map((segment) => encodeURIComponent(segment).replaceAll('%3A', ':'))
    .join('/')
}
