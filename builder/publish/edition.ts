/** The files to publish: a snapshot, the packs and manifests that lead to it, and its Atom feeds. */
import { existsSync } from 'node:fs'
import type { Effects } from '../../corpus/command/effects.ts'
import {
  assertAllYears,
  decodeManifest,
  describe,
  describePack,
  MAX_NIGHTS,
  type Manifest,
  manifestName,
  manifestPath,
  objectName,
  objectPath,
  POINTER_NAME,
  type Pointer,
  readCurrent,
  readManifestBytes,
  SnapshotError,
} from '../../corpus/snapshot/index.ts'
import { type AtomEntry, encodeAtom } from './atom.ts'
import { addOnce, CHANGES_ATOM, changesAtom, changesEntry, snapshotPairs } from './changes-atom.ts'
import { bytesContent, type Content, fileContent } from './content.ts'
import { KEV_ATOM, kevAtom, kevChangeEntries } from './kev-atom.ts'
import type { AtomSubject } from './options.ts'
import { siteAt } from './site.ts'
import { readTables } from './snapshot-tables.ts'
import { subjectEntries } from './subject-atom.ts'

export interface Edition {
  pointer: Pointer
  pointerBytes: Buffer
  manifest: Manifest
  /** Uploaded in this order, so that references are always valid. */
  objects: Content[]
  manifests: Content[]
  /** Files with fixed names: Atom feeds, and the explorer of a site. Each list is uploaded after the one before. */
  named: Content[][]
  latest: Content
}

/**
 * `site` is the public URL of the target; null writes no Atom feeds.
 * @throws SnapshotError if there is no snapshot, its manifest is damaged, or a file that the Atom feeds need; `left_out`
 * for a partial mirror
 */
export function readEdition(
  dist: string,
  { site, subjects = [] }: { site: URL | null; subjects?: readonly AtomSubject[] },
  { log }: Pick<Effects, 'log'>,
): Edition {
  assertAllYears(dist, 'a publication')
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const objects = new Map(objectContents(dist, manifest).map((content) => [content.sha256, content]))
  const manifests = [manifestContent(dist, pointer.manifest)]
  let child: Manifest | null = manifest
  for (let nights = 0; child && nights < MAX_NIGHTS; nights++) {
    const { delta, parent }: Manifest = child
    if (!delta || !parent) break
    const from = objectPath(dist, delta.sha256)
    if (!existsSync(from)) break
    objects.set(delta.sha256, fileContent(objectName(delta.sha256), from, delta, describePack(delta)))
    const before = knownManifest(dist, parent.manifest, log)
    if (before) manifests.push(manifestContent(dist, { sha256: parent.manifest, size: before.size }))
    child = before?.manifest ?? null
  }
  return {
    pointer,
    pointerBytes,
    manifest,
    objects: [...objects.values()],
    manifests,
    named: site === null ? [] : [atomFeeds(dist, manifest, site, subjects, log)],
    latest: bytesContent(POINTER_NAME, pointerBytes),
  }
}

/** Returns the files of a snapshot. Several can share one object. */
export const objectContents = (dist: string, { files }: Manifest): Content[] =>
  files.map((file) => fileContent(objectName(file.sha256), objectPath(dist, file.sha256), file, describe(file)))

/** Their content depends on the snapshots in `dist` alone, so that feeds without news are not uploaded again. */
function atomFeeds(
  dist: string,
  manifest: Manifest,
  url: URL,
  subjects: readonly AtomSubject[],
  log: Effects['log'],
): Content[] {
  const [site, tables] = [siteAt(url), readTables(dist, manifest)]
  const changes: AtomEntry[] = []
  const kevChanges: AtomEntry[] = []
  const ofSubjects = subjectEntries(subjects)
  for (const pair of snapshotPairs(dist, manifest, tables, log)) {
    addOnce(changes, changesEntry(pair, site))
    for (const entry of kevChangeEntries(dist, pair, site)) addOnce(kevChanges, entry)
    ofSubjects.add(dist, pair, site)
  }
  return [
    bytesContent(KEV_ATOM, encodeAtom(kevAtom(dist, manifest, tables, kevChanges, site))),
    bytesContent(CHANGES_ATOM, encodeAtom(changesAtom(tables, changes, site))),
    ...ofSubjects.feeds(tables, site).map(({ path, feed }) => bytesContent(path, encodeAtom(feed))),
  ]
}

export const manifestContent = (dist: string, stored: Pointer['manifest']): Content =>
  fileContent(manifestName(stored.sha256), manifestPath(dist, stored.sha256), stored, `manifest ${stored.sha256}`)

/** Packs only save transfer: a missing or damaged manifest ends the chain. */
function knownManifest(dist: string, digest: string, log: Effects['log']): { manifest: Manifest; size: number } | null {
  try {
    const bytes = readManifestBytes(dist, digest)
    return { manifest: decodeManifest(bytes), size: bytes.length }
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    if (error.code !== 'missing') log(`${error.message}; publishing only the delta packs before it`)
    return null
  }
}
