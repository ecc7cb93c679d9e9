/** Reads the rows of an export from a snapshot, one shard at a time. */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import {
  CVE_PARTS,
  decodeIndex,
  epssAt,
  fileOf,
  findRow,
  type LocatedMember,
  type Manifest,
  membersOf,
  plainOfMany,
  readObject,
  type SegmentBytes,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import type { ExportedCve } from './columns.ts'

/** Yields the CVEs of each shard, in id order. @throws SnapshotError */
export function* shardsOf(dist: string, manifest: Manifest): Generator<ExportedCve[]> {
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))
  let count = 0
  for (const block of index.shards) {
    const shard = readObject(dist, fileOf(manifest, 'cve', block))
    const cves = cvesOf(shard, [...membersOf(shard)]).map(({ id, ...parts }): ExportedCve => {
      const row = findRow(index, id)
      if (row < 0) throw new SnapshotError('malformed', `the index has no ${id}, unlike the shard ${block}`)
      return { ...parts, epss: epssAt(index.epss, row) }
    })
    count += cves.length
    yield cves
  }
  if (count !== index.shard.length) {
    throw new SnapshotError('malformed', `the shards have ${count} CVEs, the index ${index.shard.length}`)
  }
}

/** The parts that columns need. */
const PARTS = ['core', 'cvss', 'kev', 'facets'] as const
type Part = (typeof PARTS)[number]
type ReadCve = Pick<ExportedCve, Part> & { id: CveId }

/** Inflates the parts of all members together: one call for each would cost more. */
function cvesOf(shard: Buffer, members: readonly LocatedMember[]): ReadCve[] {
  const wanted = members.flatMap((member) => {
    const bytes = shard.subarray(member.at, member.at + member.length)
    return partsOf(member).map(({ segment }): SegmentBytes => ({ bytes, segment }))
  })
  const plain = plainOfMany(wanted)
  return members.map((member) => {
    const texts: Record<Part, string> = emptyParts()
    for (const { part } of partsOf(member)) {
      const { before, after } = CVE_PARTS[part]
      texts[part] = before + plain.next().value!.toString() + after
    }
    const { core, cvss, kev, facets } = texts
    return {
      id: member.key as CveId,
      core: JSON.parse(core),
      cvss: JSON.parse(cvss),
      kev: JSON.parse(kev),
      facets: JSON.parse(facets),
    }
  })
}

const emptyParts = () => Object.fromEntries(PARTS.map((part) => [part, CVE_PARTS[part].empty])) as Record<Part, string>

const partsOf = ({ segments }: LocatedMember) =>
  segments.flatMap((segment) => {
    const part = PARTS.find((one) => CVE_PARTS[one].kind === segment.kind)
    return part === undefined ? [] : [{ part, segment }]
  })
