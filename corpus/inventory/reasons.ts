/** Why a package was not judged, in words. */
import type { AffectedRow } from '../model/packages/affected-row.ts'
import type { SkipReason } from './inventory.ts'

/** Why an entry of a file was not checked. */
export const SKIP_REASONS: Readonly<Record<SkipReason, string>> = {
  local: 'part of the project',
  'no-version': 'no version',
  'no-purl': 'no purl',
  'malformed-purl': 'malformed purl',
  'not-pinned': 'not pinned to one version',
  'not-followed': 'names another file; check it too',
  'not-listed': 'not in the file; go.sum has them',
  incomplete: 'incomplete, the file states; others can be missing',
  bundled: 'inside another package; the file does not state its version',
  variable: 'contains a variable',
  malformed: 'cannot be read',
  'no-advisories': 'not from a registry that advisories cover',
  managed: 'its version is in another file: a parent, or a list of versions',
  transitive: 'not in the file; check a list or an SBOM that the build tool writes',
  platform: 'part of the SDK or the standard library',
  'in-snapshot': 'a snapshot of Stackage; the file does not list its packages',
  commit: 'pinned to a commit; the file does not state its version',
  image: 'an image of a container; check its SBOM',
}

/** Why a package of a known version was not checked. */
export function notIndexedReason(ecosystem: string | null): string {
  if (ecosystem === null) return 'its purl names no known ecosystem or distribution'
  // `pkg:generic`: those of OSS-Fuzz are the findings of one tool.
  return `the snapshot has no ${ecosystem === 'OSS-Fuzz' ? 'complete advisories for generic packages' : `advisories for ${ecosystem}`}`
}

export type UndecidedReason = NonNullable<AffectedRow['undecided_reason']>

/** Why an advisory that names the package has no verdict. */
export const UNDECIDED_REASONS: Readonly<Record<UndecidedReason, string>> = {
  no_version: 'no version',
  no_order: 'the ecosystem has no order of versions',
  version: 'the version cannot be compared',
  event: 'a version in the advisory cannot be compared',
  release: 'the file or the advisory names no release of the distribution',
  no_versions: 'the advisory states no versions that can be compared',
  floating: 'the version can mean several releases',
  too_large: 'the advisories state too many versions to compare',
}

/** Why an affected package has no safe version. */
export const NO_SAFE_VERSION_REASONS = {
  no_fix: 'an advisory states no fixed version above',
  not_comparable: 'a version cannot be compared',
  too_many: 'too many versions to look up',
} as const
export type NoSafeVersionReason = keyof typeof NO_SAFE_VERSION_REASONS
