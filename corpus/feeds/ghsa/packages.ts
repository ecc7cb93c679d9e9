/** Affected packages as GitHub writes them: a line of comparators for each range (`>= 1.0.0, < 1.2.3`). */
import type { AffectedPackage, AffectedRange } from '../../model/record.ts'
import type { AffectedPackageStatement } from '../osv/affected.ts'

/**
 * One item a range. GitHub lists single versions as such, and with a fix beside them also as a range; the range then
 * only gives the first patched version.
 */
export function affectedPackages({ entry, lastKnown }: AffectedPackageStatement): AffectedPackage[] {
  const { ecosystem, package_name: name } = entry
  if (ecosystem === null || name === null) return []
  const versions = entry.affected_versions ?? []
  const ranges = entry.affected_ranges ?? []
  const item = (vulnerable_version_range: string, first_patched_version: string | null): AffectedPackage => ({
    ecosystem,
    name,
    vulnerable_version_range,
    first_patched_version,
  })
  if (ranges.length === 0 || (versions.length === 1 && ranges.length === 1)) {
    return versions.map((version) => item(`= ${version}`, ranges[0]?.fixed ?? null))
  }
  return ranges.map((range, i) => item(rangeText(range, i === ranges.length - 1 ? lastKnown : null), range.fixed))
}

/** `lastKnown` is GitHub's own upper bound, which goes before the fix: versions between them may not exist. */
function rangeText({ introduced, fixed, last_affected: last }: AffectedRange, lastKnown: string | null): string {
  if (introduced !== null && introduced === last) return `= ${last}`
  const from = introduced === null || introduced === '0' ? null : `>= ${introduced}`
  const to = lastKnown ?? (fixed !== null ? `< ${fixed}` : last === undefined ? null : `<= ${last}`)
  return [from, to].filter((one) => one !== null).join(', ') || '>= 0'
}
