/**
 * The snapshots that an open one was built upon, as far as the `dist` still has them: what `/changes` compares with.
 * They are found by following the manifests, never by a name that a request gives.
 */
import { coreEnd, decodeIndex, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, openObject, readManifest, readObject } from '../../corpus/snapshot/layout.ts'
import type { Manifest } from '../../corpus/snapshot/manifest.ts'
import { decodeMemberHead, type MemberHead } from '../../corpus/snapshot/member.ts'
import { recent } from '../../corpus/snapshot/recent.ts'
import { ANCESTORS_OPEN } from '../bounds.ts'

/** An earlier snapshot, opened for comparison. */
export interface Ancestor {
  id: string
  index: Index
  /** Heads of the members at these rows, in the same order. */
  heads(rows: readonly number[]): MemberHead[]
}

export interface Ancestors {
  /** The ancestor with this id; null where the chain to it is broken, or never had it. */
  find(id: string): Ancestor | null
}

/** Looks at nothing before the first question, and keeps what the last few needed. */
export function openAncestors(dist: string, manifest: Manifest): Ancestors {
  const digestOf = chainOf(dist, manifest)
  const opened = recent<string, Ancestor>(ANCESTORS_OPEN, () => 1)
  return {
    find(id) {
      const known = opened.get(id)
      if (known) return known
      const digest = digestOf(id)
      const ancestor = digest === null ? null : orNull(() => openAncestor(dist, readManifest(dist, digest)))
      if (ancestor) opened.set(id, ancestor)
      return ancestor
    },
  }
}

/**
 * Digests of the manifests before `manifest`, by the ids of their snapshots, up to the first that is no longer there. As
 * far back as has been asked, and no manifest is kept: a year of nights is hundreds, of a thousand files each.
 */
function chainOf(dist: string, { parent }: Manifest): (id: string) => string | null {
  const chain = new Map<string, string>()
  let next = parent
  return (id) => {
    while (!chain.has(id) && next && !chain.has(next.snapshot)) {
      const { snapshot, manifest: digest } = next
      const before = orNull(() => readManifest(dist, digest))
      if (before) chain.set(snapshot, digest)
      next = before?.parent ?? null
    }
    return chain.get(id) ?? null
  }
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
