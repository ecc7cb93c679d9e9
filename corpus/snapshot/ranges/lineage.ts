/** The current snapshot and the ones that it was built on, by the manifests that name their parents. */
import { sha256 } from '../../runtime/digest.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { remembered } from '../../runtime/remembered.ts'
import {
  countCves,
  decodeManifest,
  fileOf,
  MAX_MANIFEST_BYTES,
  type Manifest,
  manifestName,
  SnapshotError,
  type SnapshotSummary,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'

/** A snapshot of the lineage. */
export interface Link {
  summary: SnapshotSummary
  parent: Manifest['parent']
  /**
   * Reads the manifest again if it is no longer cached.
   * @throws SnapshotError, TransferError
   */
  manifest(): Promise<Manifest>
}

export interface Lineage {
  /**
   * Returns the snapshot that is this number of nights before the current one. Null before the first one, or if the
   * repository no longer has the manifest.
   * @throws SnapshotError for a damaged manifest, TransferError
   */
  at(nights: number): Promise<Link | null>
  /**
   * Whether the repository has the index of a snapshot. Mirrors have manifests of nights that they skipped.
   * @throws SnapshotError, TransferError
   */
  isReadable(link: Link): Promise<boolean>
}

/** A year of nights has hundreds of large manifests, so only their summaries are kept. */
const MANIFESTS_KEPT = 4
/** Eleven years of nights, as in the gateway. */
const MAX_NIGHTS = 4096

export function openLineage(current: Manifest, files: FileParts): Lineage {
  const links = new Map<string, Promise<Link | null>>()
  const manifests = generationalCache<string, Manifest>(MANIFESTS_KEPT, () => 1)

  async function manifestOf(digest: string): Promise<Manifest> {
    const known = manifests.get(digest)
    if (known) return known
    const bytes = await files.file(manifestName(digest), MAX_MANIFEST_BYTES)
    if (sha256(bytes) !== digest) throw new SnapshotError('digest', `manifest ${digest} is damaged`)
    const manifest = decodeManifest(bytes)
    manifests.set(digest, manifest)
    return manifest
  }

  async function parentOf(link: Link | null): Promise<Link | null> {
    if (!link?.parent) return null
    const { manifest: digest } = link.parent
    const manifest = await ifThere(manifestOf(digest))
    return manifest && linkOf(manifest, () => manifestOf(digest))
  }

  const lineage: Lineage = {
    at(nights) {
      if (nights >= MAX_NIGHTS) return Promise.resolve(null)
      return remembered(links, String(nights), async () =>
        nights === 0 ? linkOf(current, async () => current) : parentOf(await lineage.at(nights - 1)),
      )
    },
    async isReadable(link) {
      const manifest = await ifThere(link.manifest())
      return manifest !== null && files.has(fileOf(manifest, 'index'))
    },
  }
  return lineage
}

/** Returns null for a manifest that the repository does not have, or no longer. */
async function ifThere(reading: Promise<Manifest>): Promise<Manifest | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'missing') return null
    throw error
  }
}

function linkOf(read: Manifest, manifest: Link['manifest']): Link {
  const { snapshot, created_at, parent } = read
  return {
    summary: { id: snapshot, created_at, parent: parent?.snapshot ?? null, cves: countCves(read) },
    parent,
    manifest,
  }
}
