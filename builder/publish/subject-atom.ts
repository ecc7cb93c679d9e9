/** `vendor-<key>.atom`, `product-<vendor>-<key>.atom`: what changed about a vendor or product, newest first. */
import { createHash } from 'node:crypto'
import { shortened } from '../../corpus/command/format.ts'
import { joinedProductKey, joinedVendor } from '../../corpus/model/affected/joined-key.ts'
import {
  type ChangedCve,
  type ChangeFacts,
  changesBetween,
  decodeMemberHead,
  factsOfChange,
  fileOf,
  openObject,
  type ReadMember,
} from '../../corpus/snapshot/index.ts'
import { type AtomEntry, type AtomFeed, atomTime } from './atom.ts'
import type { ReadSnapshot, SnapshotPair } from './changes-atom.ts'
import type { AtomSubject } from './options.ts'
import { cvePage, type Site } from './site.ts'
import type { SnapshotTables } from './snapshot-tables.ts'

const MAX_ENTRIES = 100
/** Bound of upstream texts, in UTF-16 code units. */
const MAX_TITLE = 250

/** Collects the entries of each subject, pair by pair. */
export interface SubjectEntries {
  /** @throws SnapshotError if a shard is missing or damaged */
  add(dist: string, pair: SnapshotPair, site: Site): void
  feeds(tables: SnapshotTables, site: Site): { path: string; feed: AtomFeed }[]
}

export function subjectEntries(subjects: readonly AtomSubject[]): SubjectEntries {
  const entries = new Map(subjects.map((subject) => [subject, [] as AtomEntry[]]))
  return {
    add(dist, pair, site) {
      const open = subjects.filter((subject) => entries.get(subject)!.length < MAX_ENTRIES)
      if (open.length === 0) return
      // The highest ids first, because these are the newest.
      for (const change of changesBetween(pair.before.tables.index, pair.after.tables.index).toReversed()) {
        const facts = factsOf(dist, pair, change)
        for (const subject of open) {
          if (isAbout(facts, subject)) entries.get(subject)!.push(entryOf(change, facts, subject, pair, site))
        }
      }
    },
    feeds: (tables, site) =>
      subjects.map((subject) => ({
        path: fileOfSubject(subject),
        feed: feedOf(subject, entries.get(subject)!.slice(0, MAX_ENTRIES), tables, site),
      })),
  }
}

function factsOf(dist: string, { before, after }: SnapshotPair, { oldRow, newRow }: ChangedCve): ChangeFacts {
  return factsOfChange(memberAt(dist, before, oldRow), memberAt(dist, after, newRow))
}

function memberAt(dist: string, { manifest, tables: { index } }: ReadSnapshot, row: number): ReadMember | null {
  if (row < 0) return null
  const shard = openObject(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!))
  try {
    const bytes = shard.read(index.at[row]!, index.length[row]!)
    return { ...decodeMemberHead(bytes), bytes }
  } finally {
    shard.close()
  }
}

/** Spellings that vulnshelf joins are equal (rule 27). */
function isAbout({ vendors, products }: ChangeFacts, { vendor, product }: AtomSubject): boolean {
  const maker = joinedVendor(vendor)
  if (product === null) return vendors.some((one) => joinedVendor(one) === maker)
  const key = joinedProductKey(vendor, product)
  return products.some((one) => {
    const slash = one.indexOf('/')
    const named = one.slice(0, slash).replaceAll('%2F', '/')
    return joinedVendor(named) === maker && joinedProductKey(named, one.slice(slash + 1)) === key
  })
}

/** Returns what the change is, in words. */
export function changeWords({ before, after }: Pick<ChangeFacts, 'before' | 'after'>): string {
  if (after === null) return 'rejected or removed'
  const rating = (state: typeof after) =>
    state.severity === null ? 'unscored' : `${state.severity}${state.cvss_score === null ? '' : ` ${state.cvss_score}`}`
  if (before === null) return `new, ${rating(after)}${after.kev.listed ? ', in KEV' : ''}`
  const words = [
    ...(after.kev.listed && !before.kev.listed ? ['added to KEV'] : []),
    ...(before.kev.listed && !after.kev.listed ? ['removed from KEV'] : []),
    ...(rating(before) === rating(after) ? [] : [`${rating(before)} → ${rating(after)}`]),
    ...(after.has_exploit && !before.has_exploit ? ['exploit known'] : []),
    ...(after.has_patch && !before.has_patch ? ['patch known'] : []),
  ]
  return words.join(', ') || 'changed'
}

function entryOf(
  { id }: ChangedCve,
  facts: ChangeFacts,
  subject: AtomSubject,
  { before, after }: SnapshotPair,
  site: Site,
): AtomEntry {
  const words = changeWords(facts)
  const title = (facts.after ?? facts.before)?.title ?? null
  const named = title === null ? '' : `: ${shortened(title, MAX_TITLE)}`
  const pair = `${before.manifest.snapshot}/${after.manifest.snapshot}`
  return {
    id: site.tag(`${fileOfSubject(subject)}/${id}/${pair}`),
    title: `${id} (${words})${named}`,
    updated: atomTime(after.tables.date),
    alternate: site.link(cvePage(id)),
    related: `https://www.cve.org/CVERecord?id=${id}`,
    summary: `${id}: ${words}.`,
  }
}

function feedOf(subject: AtomSubject, entries: AtomEntry[], tables: SnapshotTables, site: Site): AtomFeed {
  const { vendor, product } = subject
  const path = fileOfSubject(subject)
  const page = [vendor, ...(product === null ? [] : ['products', product])].map(encodeURIComponent).join('/')
  return {
    id: site.tag(path),
    title: `Vulnerabilities of ${product === null ? vendor : `${vendor}/${product}`}`,
    subtitle: `CVEs that changed between snapshots: the last ${MAX_ENTRIES} changes at most`,
    updated: entries[0]?.updated ?? atomTime(tables.date),
    self: site.link(path),
    alternate: site.link(`#/vendors/${page}`),
    entries,
  }
}

/** Returns the name of the file. Names with other characters than these get a part of their digest, so that all differ. */
export function fileOfSubject({ vendor, product }: AtomSubject): string {
  const parts = product === null ? ['vendor', vendor] : ['product', vendor, product]
  const plain = parts.map((part) => part.replace(/[^a-z0-9._]+/g, '_').slice(0, 80)).join('-')
  const isExact = parts.every((part) => /^[a-z0-9._]{1,80}$/.test(part))
  const suffix = isExact ? '' : `-${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8)}`
  return `${plain}${suffix}.atom`
}
