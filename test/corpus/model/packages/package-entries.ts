/** Hand-made entries of the package index. */
import type { PackageAdvisory, PackageRanges } from '../../../../corpus/model/packages/package-advisory.ts'

/** A SemVer range of npm. Give events in their order. */
export const rangeOf = (...events: Record<string, string>[]): PackageRanges => ({
  ecosystem: 'npm',
  ranges: [{ type: 'SEMVER', events }],
  versions: [],
})

/** An advisory that affects every version of an npm package, unless stated otherwise. */
export const advisory = (
  id: string,
  more: Partial<PackageAdvisory> = {},
  affected: PackageRanges[] = [rangeOf({ introduced: '0' })],
): PackageAdvisory => ({
  id,
  modified: '2024-05-02T00:00:00.000Z',
  published: '2024-05-01T00:00:00.000Z',
  aliases: [],
  cve_ids: [],
  summary: null,
  severity: null,
  stated_severity: null,
  cvss: [],
  cwe_ids: [],
  is_malware: false,
  name: 'widget',
  affected,
  ...more,
})
