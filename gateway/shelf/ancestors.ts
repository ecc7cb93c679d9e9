/**
 * The snapshots that an open one was built upon, as far as the `dist` still has them: what `/changes` compares with.
 * They are found by following the manifests, never by a name that a request gives.
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
  /** Heads of the members at these rows, in the same order. */
  heads(rows: readonly number[]): MemberHead[]
}

/** What a manifest says of its snapshot, without its list of files. */
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
  /** Why it ends early; null where it ends at the first snapshot, or where `prune` has removed the rest. */
  damage: SnapshotError | null
}

export interface Ancestors {
  /**
   * Returns the ancestor with this id, or null where it is not kept.
   * @throws SnapshotError when the chain is damaged before it
   */
  find(id: string): Promise<Ancestor | null>
  /** Returns the ancestors that `find` can open. */
  lineage(): Promise<Lineage>
}

/** Reads nothing before the first question. Manifests are read once, in turns with other requests. */
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

/** What the chain needs of a manifest: a year of nights is hundreds of them, of a thousand files each. */
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

/** By the digest of the manifest, which never changes. */
const known = recent<string, Link>(MANIFESTS_KNOWN, () => 1)

/** Follows the parents, at most as many as are remembered. */
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
      // Some milliseconds for a manifest: others may have their turn.
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

/** What `read` gives, or null where `prune` took the file that it needs. */
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
