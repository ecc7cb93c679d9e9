/** `kev.atom`: the CVEs that were added to KEV last, newest first. */
import { shortened } from '../../corpus/command/format.ts'
import { compareCveIds } from '../../corpus/model/ids/cve-id.ts'
import type { CveCore } from '../../corpus/model/record.ts'
import {
  coreSegmentAt,
  FLAGS,
  fileOf,
  idAt,
  type Manifest,
  type OpenObject,
  openObject,
  plainBytes,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import { type AtomEntry, type AtomFeed, atomTime } from './atom.ts'
import { cvePage, type Site } from './site.ts'
import type { SnapshotTables } from './snapshot-tables.ts'

const MAX_ENTRIES = 100
/** Bounds of upstream texts, in UTF-16 code units. */
const MAX_TITLE = 250
const MAX_DESCRIPTION = 1000

export const KEV_ATOM = 'kev.atom'

/** @throws SnapshotError if a shard is missing or damaged */
export function kevAtom(dist: string, manifest: Manifest, tables: SnapshotTables, site: Site): AtomFeed {
  const additions = listedCores(dist, manifest, tables).sort(newestFirst).slice(0, MAX_ENTRIES)
  return {
    id: site.tag('kev'),
    title: 'Known exploited vulnerabilities',
    subtitle: `The ${MAX_ENTRIES} CVEs that CISA added last to its catalog KEV`,
    updated: atomTime(additions[0]?.kev.date_added ?? tables.date),
    self: site.link(KEV_ATOM),
    alternate: site.link('#/cves?kev=true'),
    entries: additions.map((core) => entryOf(core, site)),
  }
}

/** The id breaks ties, as in lists. */
function newestFirst(a: CveCore, b: CveCore): number {
  const [first, second] = [a.kev.date_added!, b.kev.date_added!]
  if (first !== second) return first < second ? 1 : -1
  return compareCveIds(b.cve_id, a.cve_id)
}

/** Returns the cores of all CVEs in KEV. One without a date is left out, because it has no position in the feed. */
function listedCores(dist: string, manifest: Manifest, { index, flags }: SnapshotTables): CveCore[] {
  const shards = new Map<number, OpenObject>()
  const shardOf = (number: number) => {
    const shard = shards.get(number) ?? openObject(dist, fileOf(manifest, 'cve', index.shards[number]!))
    shards.set(number, shard)
    return shard
  }
  const cores: CveCore[] = []
  try {
    for (let row = 0; row < index.count; row++) {
      if ((flags[row]! & FLAGS.kev) === 0) continue
      const segment = coreSegmentAt(index, row)
      const stored = shardOf(index.shard[row]!).read(segment.offset, segment.length)
      // EPSS follows in an answer, so the stored text has no closing brace.
      const core = JSON.parse(`${plainBytes(stored, { ...segment, offset: 0 }).toString()}}`) as CveCore
      if (core.cve_id !== idAt(index, row)) {
        throw new SnapshotError('malformed', `the index points to ${core.cve_id} for ${idAt(index, row)}`)
      }
      if (core.kev.date_added !== null) cores.push(core)
    }
  } finally {
    for (const shard of shards.values()) shard.close()
  }
  return cores
}

function entryOf({ cve_id: id, title, description, severity, cvss_score: score, kev }: CveCore, site: Site): AtomEntry {
  const added = kev.date_added!
  const rating = severity === null ? 'without a severity' : `${severity}${score === null ? '' : ` (CVSS ${score})`}`
  const facts = `Added to KEV on ${added}; ${rating}.`
  return {
    id: site.tag(`kev/${id}`),
    title: title === null ? id : `${id}: ${shortened(title, MAX_TITLE)}`,
    updated: atomTime(added),
    alternate: site.link(cvePage(id)),
    related: `https://www.cve.org/CVERecord?id=${id}`,
    summary: description === null ? facts : `${facts} ${shortened(description, MAX_DESCRIPTION)}`,
  }
}
