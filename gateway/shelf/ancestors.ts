/**
 * The earlier snapshots that an open one was built on, for `/changes`. They are found by following the manifests,
 * never by a name from a request.
 */
import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { coreEnd, decodeIndex, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, manifestPath, objectPath, openObject, readManifest, readObject } from '../../corpus/snapshot/layout.ts'
import { countCves, type Manifest } from '../../corpus/snapshot/manifest.ts'
import { decodeMemberHead, type MemberHead } from '../../corpus/snapshot/member.ts'
import { recent } from '../../corpus/snapshot/recent.ts'
import { ANCESTORS_OPEN, MANIFESTS_KNOWN } from '../bounds.ts'

/** An earlier snapshot, opened for comparison. */
export interface Ancestor {
  id: string
  index: Index
  /** Returns the heads of the members at these rows, in the same order. */
  heads(rows: readonly number[]): MemberHead[]
}

/** Summary of a manifest, without its list of files. */
export interface SnapshotSummary {
  id: string
  created_at: string
  parent: string | null
  /** The number of CVE records. */
  cves: number
}

/** The ancestors of a snapshot, newest first, up to the first whose manifest is missing or damaged. */
export interface Lineage {
  summaries: readonly SnapshotSummary[]
  /** Why it ends early; null if it ends at the first snapshot, or `prune` removed the rest. */
  damage: SnapshotError | null
}

export interface Ancestors {
  /**
   * Returns the ancestor with this id, or null if it is not kept.
   * @throws SnapshotError if the chain is damaged before it
   */
  find(id: string): Promise<Ancestor | null>
  /** Returns the ancestors that `find` can open. */
  lineage(): Promise<Lineage>
}

/** Reads nothing before the first call. Manifests are read once, and other requests run in between. */
export function openAncestors(dist: string, manifest: Manifest): Ancestors {
  const opened = recent<string, Ancestor>(ANCESTORS_OPEN, () => 1)
  let chain: Promise<Chain> | null = null
  const read = () => {
    chain ??= readChain(dist, manifest.parent).catch((error) => {
      chain = null
      throw error
    })
    return chain
  }
  return {
    async find(id) {
      const known = opened.get(id)
      if (known) return known
      const { links, damage } = await read()
      const link = links.find(({ summary }) => summary.id === id)
      if (!link && damage) throw damage
      const ancestor = link ? orNull(() => openAncestor(dist, readManifest(dist, link.manifest))) : null
      if (ancestor) opened.set(id, ancestor)
      return ancestor
    },
    async lineage() {
      const { links, damage } = await read()
      const pruned = links.findIndex((link) => !existsSync(manifestPath(dist, link.manifest)))
      const left = pruned === -1 ? links : links.slice(0, pruned)
      // A mirror has manifests of nights that it skipped, without their files.
      const kept = left.filter(({ index }) => existsSync(objectPath(dist, index)))
      return { summaries: kept.map(({ summary }) => summary), damage }
    },
  }
}

/** The needed part of a manifest. A year of nights has hundreds of manifests, with a thousand files each. */
interface Link {
  /** Digest of the manifest. */
  manifest: string
  summary: SnapshotSummary
  parent: Manifest['parent']
  /** Digest of its index. */
  index: string
}

interface Chain {
  links: Link[]
  damage: SnapshotError | null
}

/** By manifest digest; the content of a digest never changes. */
const known = recent<string, Link>(MANIFESTS_KNOWN, () => 1)

/** Follows the parents, up to the size of the cache. */
async function readChain(dist: string, first: Manifest['parent']): Promise<Chain> {
  const links: Link[] = []
  for (let next = first; next && links.length < MANIFESTS_KNOWN; ) {
    let link = known.get(next.manifest)
    if (!link || !existsSync(manifestPath(dist, next.manifest))) {
      try {
        link = linkOf(next.manifest, readManifest(dist, next.manifest))
      } catch (error) {
        if (!(error instanceof SnapshotError)) throw error
        return { links, damage: error.code === 'missing' ? null : error }
      }
      known.set(next.manifest, link)
      // A manifest takes some milliseconds, so other requests run in between.
      await setImmediate()
    }
    links.push(link)
    next = link.parent
  }
  return { links, damage: null }
}

const linkOf = (digest: string, manifest: Manifest): Link => ({
  manifest: digest,
  summary: summaryOf(manifest),
  parent: manifest.parent,
  index: fileOf(manifest, 'index').sha256,
})

export function summaryOf(manifest: Manifest): SnapshotSummary {
  const { snapshot, created_at, parent } = manifest
  return { id: snapshot, created_at, parent: parent?.snapshot ?? null, cves: countCves(manifest) }
}

/** Returns the result of `read`, or null if `prune` removed a file that it needs. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'missing') return null
    throw error
  }
}

function openAncestor(dist: string, manifest: Manifest): Ancestor {
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index')))
  return {
    id: manifest.snapshot,
    index,
    heads(rows) {
      return rows.map((row) => {
        const shard = openObject(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!))
        try {
          return decodeMemberHead(shard.read(index.at[row]!, coreEnd(index, row)))
        } finally {
          shard.close()
        }
      })
    },
  }
}
