/** `changes.atom`: what changed from each snapshot to the next, newest first. */
import { grouped } from '../../corpus/command/format.ts'
import { type CveId, compareCveIds } from '../../corpus/model/ids/cve-id.ts'
import { changesBetween, FLAGS, type Manifest, readManifest, SnapshotError } from '../../corpus/snapshot/index.ts'
import { type AtomEntry, type AtomFeed, type AtomList, atomTime } from './atom.ts'
import { changesPage, cvePage, type Site, shortId } from './site.ts'
import { readTables, type SnapshotTables } from './snapshot-tables.ts'

const MAX_ENTRIES = 30
/** CVEs that an entry links, for each kind of change. */
const MAX_LINKS = 25

export const CHANGES_ATOM = 'changes.atom'

/** CVEs by kind of change, in id order. A CVE can be in several lists. */
export interface ChangedCves {
  new: CveId[]
  changed: CveId[]
  rejected: CveId[]
  /** No longer in the CVE list, and not rejected. */
  removed: CveId[]
  kevAdded: CveId[]
  kevRemoved: CveId[]
  severity: CveId[]
}

/** The words of each kind, in the order of the feed. */
const KINDS: Record<keyof ChangedCves, string> = {
  new: 'new',
  changed: 'changed',
  rejected: 'rejected',
  removed: 'removed',
  kevAdded: 'added to KEV',
  kevRemoved: 'removed from KEV',
  severity: 'with another severity',
}
const KIND_NAMES = Object.keys(KINDS) as (keyof ChangedCves)[]

/** The kinds whose CVEs an entry links, the most important first. Changed CVEs are too many. */
const LINKED: readonly (keyof ChangedCves)[] = ['kevAdded', 'kevRemoved', 'severity', 'rejected', 'removed', 'new']

/** Returns the changes. EPSS never counts. */
export function changedCves(before: SnapshotTables, after: SnapshotTables): ChangedCves {
  const out = Object.fromEntries(KIND_NAMES.map((kind): [string, CveId[]] => [kind, []])) as unknown as ChangedCves
  for (const { id, oldRow, newRow } of changesBetween(before.index, after.index)) {
    if (oldRow < 0) out.new.push(id)
    else if (newRow >= 0) out.changed.push(id)
    else if (!after.rejected.has(id)) out.removed.push(id)
    if (newRow < 0) continue
    const [was, is] = [isListed(before, oldRow), isListed(after, newRow)]
    if (is && !was) out.kevAdded.push(id)
    if (was && !is) out.kevRemoved.push(id)
    if (oldRow >= 0 && before.severity[oldRow] !== after.severity[newRow]) out.severity.push(id)
  }
  out.rejected = [...after.rejected].filter((id) => !before.rejected.has(id)) as CveId[]
  out.rejected.sort(compareCveIds)
  return out
}

const isListed = ({ flags }: SnapshotTables, row: number) => row >= 0 && (flags[row]! & FLAGS.kev) !== 0

/** A snapshot and its parent. */
export interface SnapshotPair {
  before: ReadSnapshot
  after: ReadSnapshot
}

/**
 * Yields the current snapshot with its parent, that one with its own parent, and so on, as far as `dist` has their
 * files, and at most `MAX_ENTRIES` pairs.
 */
export function* snapshotPairs(
  dist: string,
  manifest: Manifest,
  tables: SnapshotTables,
  log: (line: string) => void,
): Iterable<SnapshotPair> {
  let after: ReadSnapshot = { manifest, tables }
  for (let nights = 0; nights < MAX_ENTRIES; nights++) {
    const before = parentOf(dist, after.manifest, log)
    if (!before) return
    yield { before, after }
    after = before
  }
}

/** Adds an entry. A corpus can return to an earlier state, and an id must occur once (RFC 4287 4.1.1). */
export function addOnce(entries: AtomEntry[], entry: AtomEntry): void {
  if (!entries.some(({ id }) => id === entry.id)) entries.push(entry)
}

export function changesAtom(tables: SnapshotTables, entries: AtomEntry[], site: Site): AtomFeed {
  return {
    id: site.tag('changes'),
    title: 'Changed vulnerabilities',
    subtitle: `CVEs that changed between snapshots: the last ${MAX_ENTRIES} snapshots at most`,
    updated: atomTime(tables.date),
    self: site.link(CHANGES_ATOM),
    alternate: site.link('#/changes'),
    entries,
  }
}

export interface ReadSnapshot {
  manifest: Manifest
  tables: SnapshotTables
}

/** A missing or damaged parent ends the feed: it does not concern the current snapshot. */
function parentOf(dist: string, { parent }: Manifest, log: (line: string) => void): ReadSnapshot | null {
  if (!parent) return null
  try {
    const manifest = readManifest(dist, parent.manifest)
    return { manifest, tables: readTables(dist, manifest) }
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    if (error.code !== 'missing') log(`${error.message}; the Atom feeds end before that snapshot`)
    return null
  }
}

/** Returns the entry of `changes.atom` for a pair. */
export function changesEntry({ before, after }: SnapshotPair, site: Site): AtomEntry {
  const [since, until] = [before.manifest.snapshot, after.manifest.snapshot]
  const changes = changedCves(before.tables, after.tables)
  const kinds = KIND_NAMES.filter((kind) => changes[kind].length > 0)
  const counts = kinds.map((kind) => `${grouped(changes[kind].length)} ${KINDS[kind]}`).join(', ') || 'no CVE changed'
  const linked = LINKED.filter((kind) => changes[kind].length > 0)
  return {
    id: site.tag(`changes/${since}/${until}`),
    title: `${after.tables.date.slice(0, 10)}: ${counts}`,
    updated: atomTime(after.tables.date),
    alternate: site.link(changesPage(since, until)),
    summary: `Snapshot ${shortId(until)}, compared with ${shortId(since)}: ${counts}.`,
    lists: linked.map((kind) => listOf(KINDS[kind], changes[kind], site)),
  }
}

/** Lists the highest ids, because these are the newest. */
function listOf(words: string, ids: readonly CveId[], site: Site): AtomList {
  const items = ids
    .slice(-MAX_LINKS)
    .reverse()
    .map((id) => ({ text: id, link: site.link(cvePage(id)) }))
  const shown = items.length < ids.length ? `, ${items.length} of ${grouped(ids.length)}` : ''
  return { title: `CVEs ${words}${shown}`, items }
}
