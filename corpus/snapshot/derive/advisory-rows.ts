/** The advisories and packages of a snapshot, as input of the derived files. Entry `i` of each list is row `i`. */
import type { CveId } from '../../model/ids/cve-id.ts'

/** A position in hashed shards: SPEC.md, "Hashed shards". */
export interface HashedRows {
  /** Ids of advisories, or keys of packages. In the order of the shards. */
  keys: string[]
  /** Offset and length of the member in its shard. */
  at: number[]
  length: number[]
}

export interface AdvisoryRows extends HashedRows {
  /** Ids in `aliases`; none of a withdrawn record. */
  aliases: string[][]
  /** CVEs in id, aliases and `upstream`; none of a withdrawn record. */
  cveIds: CveId[][]
  /** The JSON of their rows in the list of advisories. Null for a record that was made from a CVE record. */
  rows: (string | null)[]
}

/** The rows of a snapshot without advisories. */
export const noAdvisories = (): AdvisoryRows => ({ keys: [], at: [], length: [], aliases: [], cveIds: [], rows: [] })
export const noPackages = (): PackageRows => ({
  keys: [],
  at: [],
  length: [],
  packages: [],
  ecosystems: [],
  advisories: [],
})

export interface PackageRows extends HashedRows {
  packages: { ecosystem: string; name: string; purl: string | null }[]
  /**
   * The ecosystems that the advisories of each package name, with their suffixes (`Debian:12`), each once. None if only
   * CVE records name the package.
   */
  ecosystems: string[][]
  /** Ids of the advisories of each package. */
  advisories: string[][]
}
