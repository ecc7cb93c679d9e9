/**
 * The earlier snapshots that an open one was built on, for `/changes`. They are found by following the manifests,
 * never by a name from a request.
 */
import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { generationalCache } from '../../runtime/generational-cache.ts'
import type { SnapshotSummary } from '../index.ts'
import {
  coreEnd,
  countCves,
  decodeIndex,
  decodeMemberHead,
  fileOf,
  type Index,
  type Manifest,
  type MemberHead,
  manifestPath,
  objectPath,
  openObject,
  type ReadMember,
  readManifest,
  readObject,
  SnapshotError,
} from '../index.ts'
import { ANCESTORS_OPEN, MANIFESTS_KNOWN } from './bounds.ts'

export interface Ancestor {
  id: string
  /** In ms since 1970. */
  createdAt: number
  index: Index
  /** In the order of `rows`. */
  heads(rows: readonly number[]): MemberHead[]
  member(row: number): ReadMember
}

/** The ancestors of a snapshot, newest first, up to the first missing or damaged manifest. */
export interface Lineage {
  summaries: readonly SnapshotSummary[]
  /** Null if the chain ends at the first snapshot, or `prune` removed the rest. */
  damage: SnapshotError | null
}

export interface Ancestors {
  /**
   * Returns null if the ancestor is not kept.
   * @throws SnapshotError if the chain is damaged before it
   */
  find(id: string): Promise<Ancestor | null>
  lineage(): Promise<Lineage>
}

/** Reads manifests once, at the first call. Other requests run in between. */
export function openAncestors(dist: string, manifest: Manifest): Ancestors {
  const opened = generationalCache<string, Ancestor>(ANCESTORS_OPEN, () => 1)
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

/** A year of nights has hundreds of manifests, with a thousand files each, so only this part is kept. */
interface Link {
  manifest: string
  summary: SnapshotSummary
  parent: Manifest['parent']
  index: string
}

interface Chain {
  links: Link[]
  damage: SnapshotError | null
}

/** By manifest digest. */
const known = generationalCache<string, Link>(MANIFESTS_KNOWN, () => 1)

/** Stops at the size of the cache. */
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
  index: fileOf(manifest, 'index', 'cve').sha256,
})

export function summaryOf(manifest: Manifest): SnapshotSummary {
  const { snapshot, created_at, parent } = manifest
  return { id: snapshot, created_at, parent: parent?.snapshot ?? null, cves: countCves(manifest) }
}

/** Returns null if `prune` removed a file that `read` needs. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'missing') return null
    throw error
  }
}

function openAncestor(dist: string, manifest: Manifest): Ancestor {
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))
  const read = (row: number, length: number): ReadMember => {
    const shard = openObject(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!))
    try {
      const bytes = shard.read(index.at[row]!, length)
      return { ...decodeMemberHead(bytes), bytes }
    } finally {
      shard.close()
    }
  }
  return {
    id: manifest.snapshot,
    createdAt: Date.parse(manifest.created_at),
    index,
    heads: (rows) => rows.map((row) => read(row, coreEnd(index, row))),
    member: (row) => read(row, index.length[row]!),
  }
}
