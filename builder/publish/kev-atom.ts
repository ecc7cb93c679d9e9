/** `kev.atom`: the CVEs that were added to KEV last, removals, and changes of entries, newest first. */
import { shortened } from '../../corpus/command/format.ts'
import { CISA_CATALOG } from '../../corpus/model/evidence/kev.ts'
import { compareCveIds } from '../../corpus/model/ids/cve-id.ts'
import type { CveCore, KevCatalogEntry } from '../../corpus/model/record.ts'
import {
  changesBetween,
  coreSegmentAt,
  decodeMemberHead,
  FLAGS,
  fileOf,
  idAt,
  type Manifest,
  type OpenObject,
  openObject,
  partSegment,
  plainBytes,
  type ReadMember,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import { type AtomEntry, type AtomFeed, atomTime } from './atom.ts'
import type { ReadSnapshot, SnapshotPair } from './changes-atom.ts'
import { cvePage, type Site } from './site.ts'
import type { SnapshotTables } from './snapshot-tables.ts'

const MAX_ENTRIES = 100
/** Bounds of upstream texts, in UTF-16 code units. */
const MAX_TITLE = 250
const MAX_DESCRIPTION = 1000

export const KEV_ATOM = 'kev.atom'

/** @throws SnapshotError if a shard is missing or damaged */
export function kevAtom(
  dist: string,
  manifest: Manifest,
  tables: SnapshotTables,
  changes: readonly AtomEntry[],
  site: Site,
): AtomFeed {
  const additions = listedCores(dist, manifest, tables).sort(newestFirst)
  const entries = [...changes, ...additions.slice(0, MAX_ENTRIES).map((core) => entryOf(core, site))]
    // The sort is stable.
    .sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated))
    .slice(0, MAX_ENTRIES)
  return {
    id: site.tag('kev'),
    title: 'Known exploited vulnerabilities',
    subtitle: `The last ${MAX_ENTRIES} additions to CISA's catalog KEV, removals, and changes of due dates and ransomware use`,
    updated: entries[0]?.updated ?? atomTime(tables.date),
    self: site.link(KEV_ATOM),
    alternate: site.link('#/cves?kev=true'),
    entries,
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

/** Yields an entry for each CVE that left KEV, and for each with another due date or ransomware use, in id order. */
export function* kevChangeEntries(dist: string, { before, after }: SnapshotPair, site: Site): Iterable<AtomEntry> {
  const since = before.manifest.snapshot
  const until = after.manifest.snapshot
  for (const { id, oldRow, newRow } of changesBetween(before.tables.index, after.tables.index)) {
    if (oldRow < 0 || newRow < 0 || !isListed(before, oldRow)) continue
    const changes = isListed(after, newRow)
      ? entryChanges(cisaEntry(dist, before, oldRow), cisaEntry(dist, after, newRow))
      : ['removed from KEV']
    if (changes.length === 0) continue
    yield {
      id: site.tag(`kev/${id}/${since}/${until}`),
      title: `${id}: ${changes.join(', ')}`,
      updated: atomTime(after.tables.date),
      alternate: site.link(cvePage(id)),
      related: `https://www.cve.org/CVERecord?id=${id}`,
      summary: `The entry of ${id} in KEV changed: ${changes.join(', ')}.`,
    }
  }
}

const isListed = ({ tables }: ReadSnapshot, row: number) => (tables.flags[row]! & FLAGS.kev) !== 0

/** A corpus without a KEV feed has entries with a date alone. */
function entryChanges(before: KevCatalogEntry | null, after: KevCatalogEntry | null): string[] {
  const changed = (name: string, field: 'due_date' | 'ransomware') => {
    const [old, now] = [before, after].map((entry) => entry?.[field] ?? 'not stated')
    return old === now ? [] : [`${name} ${old} → ${now}`]
  }
  return [...changed('KEV due date', 'due_date'), ...changed('ransomware use', 'ransomware')]
}

/** Returns what CISA's catalog states about the CVE of a row. */
function cisaEntry(dist: string, { manifest, tables: { index } }: ReadSnapshot, row: number): KevCatalogEntry | null {
  const shard = openObject(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!))
  try {
    const bytes = shard.read(index.at[row]!, index.length[row]!)
    const member: ReadMember = { ...decodeMemberHead(bytes), bytes }
    const segment = partSegment(member, 'kev')
    const entries = segment === null ? [] : (JSON.parse(plainBytes(bytes, segment).toString()) as KevCatalogEntry[])
    return entries.find(({ catalog }) => catalog === CISA_CATALOG) ?? null
  } finally {
    shard.close()
  }
}
