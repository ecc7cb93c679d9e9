/** The manifest of a snapshot: all files with their digests, and the parent. SPEC.md, "Manifest". */

import { parseUntrustedJson } from '../../model/values/json-text.ts'
import { sha256 } from '../../runtime/digest.ts'
import { MAX_FILES, MAX_MANIFEST_BYTES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'

export const FORMAT = 1

export const ROLES = [
  'about',
  'cve',
  'epss',
  'epss-history',
  'epss-editions',
  'rejected',
  'catalog',
  'advisories',
  'packages',
  'index',
  'columns',
  'orders',
  'list',
  'pages',
  'aliases',
  'epss-changes',
  'stats',
  'query',
] as const
export type Role = (typeof ROLES)[number]

/** An object: a file named by its digest. */
export interface Stored {
  /** SHA-256 of the stored bytes; also names the file on disk. */
  sha256: string
  size: number
}

export interface FileEntry extends Stored {
  role: Role
  /** Distinguishes files of one role: an id block, or a list and its sort. */
  name: string
  /** Digest of the uncompressed content, independent of the compressor. */
  content: string
  /** Number of members of a shard or rows of a table. */
  count: number
  /** True when the file can be rebuilt from the files that are not derived. */
  derived: boolean
}

export interface Manifest {
  format: number
  snapshot: string
  created_at: string
  parent: { snapshot: string; manifest: string } | null
  delta: Stored | null
  /** Digest of the corpus and of the builder's version. Builders recognize an unchanged corpus by it. */
  source?: string
  files: FileEntry[]
}

const HEX_64 = /^[0-9a-f]{64}$/

export const countCves = ({ files }: Manifest): number =>
  files.reduce((sum, { role, count }) => sum + (role === 'cve' ? count : 0), 0)

export const byRoleAndName = (a: FileEntry, b: FileEntry) =>
  ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/**
 * Returns the id of a snapshot: SHA-256 over role, name and content digest of its files, in manifest order. Independent
 * of times, parent and compression.
 */
export function snapshotId(files: readonly FileEntry[]): string {
  const lines = [...files].sort(byRoleAndName).map(({ role, name, content }) => `${role}\t${name}\t${content}\n`)
  return sha256(`vulnshelf ${FORMAT}\n${lines.join('')}`)
}

/** @throws RangeError when the manifest exceeds the limits of readers */
export function encodeManifest(manifest: Manifest): Buffer {
  const files = [...manifest.files].sort(byRoleAndName)
  const bytes = Buffer.from(`${JSON.stringify({ ...manifest, files }, null, 1)}\n`)
  if (files.length <= MAX_FILES && bytes.length <= MAX_MANIFEST_BYTES) return bytes
  throw new RangeError(`a manifest of ${files.length} files in ${bytes.length} bytes is longer than readers accept`)
}

/** @throws SnapshotError `malformed`, `unsupported`, or `digest` when the id does not match the files */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const manifest = parse(bytes)
  if (manifest.format !== FORMAT) {
    throw new SnapshotError(
      'unsupported',
      `the snapshot has format ${manifest.format}; this program requires ${FORMAT}`,
    )
  }
  const { files, parent } = manifest
  if (!Array.isArray(files) || files.length > MAX_FILES || !files.every(isFileEntry)) {
    throw new SnapshotError('malformed', 'the manifest has an invalid list of files')
  }
  if (new Set(files.map(({ role, name }) => `${role}\t${name}`)).size !== files.length) {
    throw new SnapshotError('malformed', 'the manifest lists a file twice')
  }
  if (parent !== null && !(HEX_64.test(parent?.snapshot) && HEX_64.test(parent?.manifest))) {
    throw new SnapshotError('malformed', 'the manifest has an invalid parent')
  }
  const { delta } = manifest
  if (delta !== null && !(HEX_64.test(delta?.sha256 ?? '') && isCount(delta?.size) && parent)) {
    throw new SnapshotError('malformed', 'the manifest has an invalid delta pack')
  }
  if (!Number.isFinite(Date.parse(manifest.created_at))) {
    throw new SnapshotError('malformed', 'the manifest has no valid time of creation')
  }
  if (snapshotId(files) !== manifest.snapshot) {
    throw new SnapshotError('digest', 'the snapshot id of the manifest does not match its files')
  }
  return manifest
}

function parse(bytes: Uint8Array): Manifest {
  try {
    const value: unknown = parseUntrustedJson(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null) return value as Manifest
  } catch (cause) {
    throw new SnapshotError('malformed', 'the manifest is not JSON', { cause })
  }
  throw new SnapshotError('malformed', 'the manifest is not a JSON object')
}

function isFileEntry(value: unknown): value is FileEntry {
  const entry = value as Partial<FileEntry> | null
  return (
    typeof entry === 'object' &&
    entry !== null &&
    ROLES.includes(entry.role as Role) &&
    typeof entry.name === 'string' &&
    HEX_64.test(entry.sha256 ?? '') &&
    HEX_64.test(entry.content ?? '') &&
    isCount(entry.size) &&
    isCount(entry.count) &&
    typeof entry.derived === 'boolean'
  )
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
