/** Converts affected packages to GitHub's form: a line of comparators per range (`>= 1.0.0, < 1.2.3`). */
import type { AffectedPackage, AffectedRange } from '../../model/record.ts'
import type { AffectedPackageStatement } from '../osv/affected.ts'

/**
 * Returns one item per range. GitHub lists single versions separately. A single version with a fix also has a range,
 * which then only provides the first patched version.
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

/**
 * `lastKnown` is GitHub's own upper bound. It takes precedence over the fix, because versions between them may not
 * exist.
 */
function rangeText({ introduced, fixed, last_affected: last }: AffectedRange, lastKnown: string | null): string {
  if (introduced !== null && introduced === last) return `= ${last}`
  const from = introduced === null || introduced === '0' ? null : `>= ${introduced}`
  const to = lastKnown ?? (fixed !== null ? `< ${fixed}` : last === undefined ? null : `<= ${last}`)
  return [from, to].filter((one) => one !== null).join(', ') || '>= 0'
}
