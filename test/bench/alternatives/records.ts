/** Reads every record and package of a snapshot as JSON texts, shard by shard, with one shard in memory. */
import { foldName } from '../../../corpus/model/packages/name.ts'
import type { PackageEntry } from '../../../corpus/model/packages/package-entry.ts'
import type { CveCore, Epss } from '../../../corpus/model/record.ts'
import { gunzipFile } from '../../../corpus/snapshot/codec/inflate.ts'
import { plainBytes } from '../../../corpus/snapshot/codec/segment-bytes.ts'
import { sortedText } from '../../../corpus/snapshot/codec/sorted-texts.ts'
import { decodeIndex } from '../../../corpus/snapshot/derive/index-table.ts'
import { readPackageTables } from '../../../corpus/snapshot/derive/package-tables.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { CVE_PARTS } from '../../../corpus/snapshot/record/cve-member.ts'
import { decodeEpss, epssAt, epssCurrent, epssMember } from '../../../corpus/snapshot/record/epss.ts'
import { hashedFiles } from '../../../corpus/snapshot/record/hashed-shard.ts'
import { type LocatedMember, membersOf } from '../../../corpus/snapshot/record/shard.ts'
import { SECTION_COLUMNS, type SectionColumn } from './schema.ts'

export interface SnapshotRecord {
  /** Position in the order of ids. */
  n: number
  core: CveCore
  epss: Epss | null
  /** JSON of the summary record, including EPSS. */
  summary: string
  epssDetail: string
  sections: Record<SectionColumn, string>
}

/**
 * Yields all records of the current snapshot, in the order of ids.
 * @throws SnapshotError if it is damaged
 */
export function* recordsOf(dist: string): Generator<SnapshotRecord> {
  const { manifest } = readCurrent(dist)
  const epss = decodeEpss(gunzipFile('epss', readObject(dist, fileOf(manifest, 'epss'))))
  let n = 0
  for (const name of decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve'))).shards) {
    const shard = readObject(dist, fileOf(manifest, 'cve', name))
    for (const member of membersOf(shard)) {
      const bytes = shard.subarray(member.at, member.at + member.length)
      const scored = epssAt(epss, n)
      // The stored core has no closing brace, so that EPSS can follow.
      const core = partText(bytes, member, 'core').slice(0, -1)
      const sections = SECTION_COLUMNS.map((part) => [part, partText(bytes, member, part)])
      yield {
        n,
        core: JSON.parse(`${core}}`) as CveCore,
        epss: scored,
        summary: `${core}${epssMember(scored)}}`,
        epssDetail: `{"current":${epssCurrent(scored)}}`,
        sections: Object.fromEntries(sections) as Record<SectionColumn, string>,
      }
      n++
    }
  }
}

export interface SnapshotPackage {
  ecosystem: string
  folded: string
  /** JSON of a `PackageEntry`. */
  json: string
}

/** @throws SnapshotError if the current snapshot is damaged */
export function* packagesOf(dist: string): Generator<SnapshotPackage> {
  for (const file of hashedFiles(readCurrent(dist).manifest.files, 'packages')) {
    const shard = readObject(dist, file)
    for (const { at, length, segments } of membersOf(shard)) {
      const json = plainBytes(shard.subarray(at, at + length), segments[0]!).toString()
      const { ecosystem, name } = JSON.parse(json) as PackageEntry
      yield { ecosystem, folded: foldName(ecosystem, name), json }
    }
  }
}

/** @throws SnapshotError if the current snapshot is damaged */
export function* aliasSetsOf(dist: string): Generator<string[]> {
  const { manifest } = readCurrent(dist)
  const { ids, starts, members } = readPackageTables(manifest, (file) => readObject(dist, file)).aliases
  for (let set = 0; set + 1 < starts.length; set++) {
    yield Array.from(members.subarray(starts[set], starts[set + 1]), (member) => sortedText(ids, member))
  }
}

function partText(bytes: Buffer, member: LocatedMember, part: SectionColumn | 'core'): string {
  const { kind, before, after, empty } = CVE_PARTS[part]
  const segment = member.segments.find((one) => one.kind === kind)
  return segment ? before + plainBytes(bytes, segment).toString() + after : empty
}
