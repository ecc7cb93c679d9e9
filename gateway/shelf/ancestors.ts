/**
 * The snapshots that an open one was built upon, as far as the `dist` still has them: what `/changes` compares with.
 * They are found by following the manifests, never by a name that a request gives.
 */
import { existsSync } from 'node:fs'
import { coreEnd, decodeIndex, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, manifestPath, objectPath, openObject, readManifest, readObject } from '../../corpus/snapshot/layout.ts'
import type { Manifest } from '../../corpus/snapshot/manifest.ts'
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

export interface Ancestors {
  /** The ancestor with this id; null where the chain to it is broken, or never had it. */
  find(id: string): Ancestor | null
  /** The ancestors that `find` can open, newest first. Manifests are read only as far as the caller iterates. */
  summaries(): Iterable<SnapshotSummary>
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
    *summaries() {
      for (let next = manifest.parent; next; ) {
        const link = linkAt(dist, next.manifest)
        if (!link) return
        // A mirror has the manifests of nights that it passed over, and not their files.
        if (existsSync(objectPath(dist, link.index))) yield link.summary
        next = link.parent
      }
    },
  }
}

/** What the chain needs of a manifest: a year of nights is hundreds of them, of a thousand files each. */
interface Link {
  summary: SnapshotSummary
  parent: Manifest['parent']
  /** Digest of its index. */
  index: string
}

/** By the digest of the manifest, which never changes. */
const links = recent<string, Link>(MANIFESTS_KNOWN, () => 1)

/** The link that a manifest is; null where it is not there, or no longer. */
function linkAt(dist: string, digest: string): Link | null {
  const known = links.get(digest)
  if (known) return existsSync(manifestPath(dist, digest)) ? known : null
  const manifest = orNull(() => readManifest(dist, digest))
  if (!manifest) return null
  const { parent } = manifest
  const link = { summary: summaryOf(manifest), parent, index: fileOf(manifest, 'index').sha256 }
  links.set(digest, link)
  return link
}

export function summaryOf({ snapshot, created_at, parent, files }: Manifest): SnapshotSummary {
  const cves = files.reduce((sum, { role, count }) => sum + (role === 'cve' ? count : 0), 0)
  return { id: snapshot, created_at, parent: parent?.snapshot ?? null, cves }
}

/**
 * Digests of the manifests before `manifest`, by the ids of their snapshots, up to the first that is no longer there. As
 * far back as has been asked.
 */
function chainOf(dist: string, { parent }: Manifest): (id: string) => string | null {
  const chain = new Map<string, string>()
  let next = parent
  return (id) => {
    while (!chain.has(id) && next && !chain.has(next.snapshot)) {
      const { snapshot, manifest: digest } = next
      const before = linkAt(dist, digest)
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
