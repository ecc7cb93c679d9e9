/** Package URLs (purl-spec) of packages that a source names by ecosystem and name only, as OSV and GitHub do. */

/** How each ecosystem of the OSV schema writes its packages; others have no purl that follows from the name alone. */
const PATHS: Record<string, (name: string) => string | null> = {
  npm: (name) => `npm/${encoded(name)}`,
  // Names of PyPI are the same in any case, and with `_` for `-` (PEP 503); the purl has one form.
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

/** `pkg:npm/%40scope/name`, without a version; null where the ecosystem has no such form. */
export function packageUrl(ecosystem: string, name: string): string | null {
  const path = Object.hasOwn(PATHS, ecosystem) ? PATHS[ecosystem]!(name) : null
  return path && `pkg:${path}`
}

/** Every segment percent-encoded, but for colons, which purl leaves as they are. */
function encoded(name: string): string {
  return name
    .split('/')
    .map((segment) => encodeURIComponent(segment).replaceAll('%3A', ':'))
    .join('/')
}
