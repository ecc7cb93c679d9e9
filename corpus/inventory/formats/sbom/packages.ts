/** The packages of an SBOM, in all its formats. */
import { text } from '../../../model/values/json-value.ts'
import type { InventoryBuilder } from '../../inventory.ts'

export interface SbomPackage {
  name: string
  line: number | null
  /** Each names a package. */
  purls: readonly string[]
  /** Counts for a purl without a version. */
  version: unknown
  /** The source package that the document states beside the purls, in the form of `upstream` in a purl. */
  source: string | null
  dev: boolean | null
}

/** An operating system that a document names. */
export interface OperatingSystem {
  name: unknown
  version: unknown
}

/**
 * Adds the packages of a document. Those without a purl are skipped. If the document names one operating system, it is
 * the distribution of purls without `distro`; of several, none is.
 * @throws FormatError, BoundError
 */
export function addPackages(
  found: InventoryBuilder,
  packages: readonly SbomPackage[],
  systems: readonly OperatingSystem[],
): void {
  const distros = new Set(systems.flatMap(({ name, version }) => distroOf(text(name), text(version)) ?? []))
  const distro = distros.size === 1 ? [...distros][0]! : null
  for (const { name, line, purls, version, source, dev } of packages) {
    if (purls.length === 0) found.skip(name, 'no-purl', line)
    for (const purl of purls) found.addPurl(purl, version, { line, dev, source, distro })
  }
}

const distroOf = (name: string | null, version: string | null): string | null =>
  name === null ? null : version === null ? name : `${name}-${version}`

/** Returns a source package in the form of `upstream` in a purl. */
export const sourcePackage = (name: string, version: string | null): string => (version ? `${name}@${version}` : name)

/** Returns `a`, or `a and 2 others`. */
export const firstOf = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? first! : `${first} and ${others.length} other${others.length === 1 ? '' : 's'}`
