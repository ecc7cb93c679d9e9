/**
 * `vulnshelf site`: writes the explorer and the snapshots of a `dist` to a folder, for any web server. The folder is also
 * a repository, so mirrors and readers can use it.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { type Explorer, openExplorer } from '../../corpus/explorer/explorer.ts'
import { keepNewest } from '../../corpus/repository/prune.ts'
import { earlierSnapshots, objectDigests } from '../../corpus/repository/snapshots.ts'
import { manifestDigests, readManifest } from '../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { type Edition, manifestContent, objectContents, readEdition } from '../publish/edition.ts'
import { PublishError } from '../publish/error.ts'
import { openFolder } from '../publish/folder.ts'
import { type PublishReport, publishEdition } from '../publish/publish.ts'
import { applicationFiles, assertOurs, assetsInUse, removeAssetsBut } from './application.ts'

export interface SiteOptions {
  dist: string
  out: string
  /** Copy all files, also where hard links are possible. */
  copy?: boolean
  /** Allows an unsigned snapshot to replace a signed one. */
  unsigned?: boolean
  /** Writes a file per CVE. A site that has them is kept up to date in any case. */
  records?: boolean
  /** The public URL of the site, for `kev.atom` and `changes.atom`. Null: the run writes neither. */
  site?: URL | null
}

export interface SiteReport extends PublishReport {
  /** Number of snapshots that the pages can show changes of. */
  snapshots: number
  removed: { files: number; bytes: number }
}

/** Local files: more at once are not faster. */
const PARALLEL = 6

/**
 * Writes objects and manifests, then the explorer, then the pointer. Then removes files that neither this run nor the
 * previous one wrote, so that an open page can still load its files.
 * @throws PublishError, SnapshotError, BuildError `busy`; ExplorerError if the explorer cannot be bundled
 */
export async function writeSite(
  { dist, out, copy = false, unsigned = false, site = null, records = false }: SiteOptions,
  effects: NetworkEffects,
  progress: Progress,
  open: () => Promise<Explorer> = openExplorer,
): Promise<SiteReport> {
  assertApart(dist, out)
  // These checks come first, so that nothing is written to a folder of others.
  const { edition, snapshots } = withHistory(dist, readEdition(dist, { site }, effects))
  const explorer = await open()
  assertOurs(out, explorer)
  const target = await openFolder(out, effects, { taker: 'site', hardLinks: !copy })
  try {
    const named = [...(await applicationFiles(explorer)), ...edition.named]
    const inUse = assetsInUse(out)
    const whole = { ...edition, named }
    const report = await publishEdition(
      target,
      whole,
      { dist, parallel: PARALLEL, unsigned, records },
      effects,
      progress,
    )
    for (const path of explorer.files.keys()) if (path.startsWith('assets/')) inUse.add(path.slice('assets/'.length))
    return await writingTo(out, async () => {
      const assets = await removeAssetsBut(out, inUse, effects)
      // One more than `dist` has: the snapshot that an open page reads.
      const { removed } = await keepNewest(out, snapshots + 1, effects)
      const files = assets + removed.manifests + removed.objects
      return { ...report, snapshots, removed: { files, bytes: removed.bytes } }
    })
  } finally {
    await target.close()
  }
}

/** Adds the earlier snapshots that `/changes` can compare with. Those without files have manifests, to find the others. */
function withHistory(dist: string, edition: Edition): { edition: Edition; snapshots: number } {
  const { pointer } = edition
  const { earlier } = earlierSnapshots(dist, manifestDigests(dist), pointer.manifest.sha256)
  const ancestors = earlier.filter(({ ancestor }) => ancestor)
  // Pages compare with a snapshot without derived files too.
  const kept = ancestors.filter(({ files }) => files !== 'incomplete')
  const present = new Set(objectDigests(dist))
  const objects = [
    ...edition.objects,
    ...kept
      .flatMap(({ digest }) => objectContents(dist, readManifest(dist, digest)))
      .filter(({ sha256 }) => present.has(sha256)),
  ]
  const manifests = [
    ...edition.manifests,
    ...ancestors.map(({ digest, manifestBytes: size }) => manifestContent(dist, { sha256: digest, size })),
  ]
  const once = <T extends { path: string }>(all: T[]) => [...new Map(all.map((one) => [one.path, one])).values()]
  return {
    edition: { ...edition, objects: once(objects), manifests: once(manifests) },
    snapshots: 1 + kept.length,
  }
}

/** @throws PublishError `unusable` if one folder is the other one, or is in it */
function assertApart(dist: string, out: string): void {
  const [from, to] = [realPath(dist), realPath(out)]
  const isIn = (path: string, folder: string) => path === folder || path.startsWith(join(folder, sep))
  if (!isIn(to, from) && !isIn(from, to)) return
  throw new PublishError('unusable', `${out} and ${dist} overlap; choose a folder for the site outside of ${dist}`)
}

/** Resolves symbolic links of the part of the path that exists. */
function realPath(path: string): string {
  const whole = resolve(path)
  let there = whole
  while (!existsSync(there)) there = resolve(there, '..')
  return join(realpathSync(there), whole.slice(there.length))
}
