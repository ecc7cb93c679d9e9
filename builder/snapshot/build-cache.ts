/**
 * Cache of the facts extracted from the current snapshot, in its `dist`. The next build then parses only changed
 * records. The cache is not part of the snapshot, is never served, and may be removed at any time.
 *
 * blobs facts of each CVE shard, then the name counts of all shards, in parts
 * index JSON: position and SHA-256 of each blob, and a digest of all inputs
 * trailer length of the index (4 bytes), SHA-256 of the index (32 bytes)
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { encodeNameParts, type NameCounts } from '../../corpus/snapshot/derive/name-counts.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import type { FileEntry } from '../../corpus/snapshot/files/manifest.ts'

export const buildCachePath = (dist: string) => join(dist, 'gathered')

export interface Blob {
  path: string
  at: number
  length: number
  sha256: string
}

export interface BuildCache {
  /** By block. */
  facts: ReadonlyMap<string, Blob>
  /** Returns the name counts, encoded by `encodeNameParts`. @throws SnapshotError if they are damaged */
  names(): Iterable<Uint8Array>
}

type Located = Omit<Blob, 'path'>

interface Index {
  madeFrom: string
  facts: [block: string, Located][]
  names: Located[]
}

const LENGTH_BYTES = 4
const TRAILER_BYTES = LENGTH_BYTES + 32

/** Returns the cache if it matches the shards of these files, else null. */
export function openBuildCache(dist: string, files: readonly FileEntry[]): BuildCache | null {
  const path = buildCachePath(dist)
  const index = readIndex(path)
  if (index?.madeFrom !== madeFrom(files)) return null
  return {
    facts: new Map(index.facts.map(([block, located]) => [block, { path, ...located }])),
    *names() {
      for (const located of index.names) yield readBlob({ path, ...located })
    },
  }
}

/** Returns null if the index is missing or damaged. */
function readIndex(path: string): Index | null {
  try {
    return withFile(path, (file) => {
      const { size } = fstatSync(file)
      const trailer = readAt(file, size - TRAILER_BYTES, TRAILER_BYTES)
      const length = trailer.readUInt32LE()
      const bytes = readAt(file, size - TRAILER_BYTES - length, length)
      return sha256(bytes) === trailer.toString('hex', LENGTH_BYTES) ? (JSON.parse(bytes.toString()) as Index) : null
    })
  } catch (error) {
    if (error instanceof SnapshotError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** @throws SnapshotError `digest` or `malformed` */
export function readBlob({ path, at, length, sha256: expected }: Blob): Buffer {
  const bytes = withFile(path, (file) => readAt(file, at, length))
  if (sha256(bytes) !== expected) throw new SnapshotError('digest', `${path} is damaged`)
  return bytes
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r')
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

function readAt(file: number, at: number, length: number): Buffer {
  if (at < 0) throw new SnapshotError('malformed', 'a file of what was gathered is too short')
  const bytes = Buffer.allocUnsafeSlow(length)
  if (readSync(file, bytes, 0, length, at) !== length) {
    throw new SnapshotError('malformed', 'a file of what was gathered is too short')
  }
  return bytes
}

export interface BuildCacheWriter {
  path: string
  add(block: string, facts: Uint8Array): void
  /** Writes names, index and trailer, then closes the file. */
  end(names: NameCounts, files: readonly FileEntry[]): void
  /** Closes an unfinished file. */
  close(): void
}

export function buildCacheWriter(path: string): BuildCacheWriter {
  const file = openSync(path, 'w')
  const facts: Index['facts'] = []
  let end = 0
  const put = (bytes: Uint8Array): Located => {
    const located = { at: end, length: bytes.length, sha256: sha256(bytes) }
    writeFileSync(file, bytes)
    end += bytes.length
    return located
  }
  return {
    path,
    add: (block, bytes) => void facts.push([block, put(bytes)]),
    end(names, files) {
      const index: Index = { madeFrom: madeFrom(files), facts, names: Array.from(encodeNameParts(names), put) }
      const { length, sha256: digest } = put(Buffer.from(JSON.stringify(index)))
      const trailer = Buffer.alloc(TRAILER_BYTES)
      trailer.writeUInt32LE(length)
      trailer.write(digest, LENGTH_BYTES, 'hex')
      put(trailer)
      closeSync(file)
    },
    close: () => closeSync(file),
  }
}

/** Returns a digest of all inputs: the contents of the CVE shards, and the code that parses them. */
function madeFrom(files: readonly FileEntry[]): string {
  const shards = files.filter(({ role }) => role === 'cve').map(({ name, content }) => `${name} ${content}`)
  return sha256([codeDigest(), ...shards.sort()].join('\n'))
}

const CODE = ['../../corpus/model', '../../corpus/snapshot']

let code: string | undefined

function codeDigest(): string {
  code ??= digestOfCode()
  return code
}

function digestOfCode(): string {
  const texts = CODE.flatMap((folder) => {
    const path = join(import.meta.dirname, folder)
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name))
    return names.sort().map((name) => `${folder}/${name} ${sha256(readFileSync(join(path, name)))}`)
  })
  return sha256([sha256(readFileSync(import.meta.filename)), ...texts].join('\n'))
}
