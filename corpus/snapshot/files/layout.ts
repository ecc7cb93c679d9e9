/**
 * The layout of a `dist` folder, and functions that read it:
 *
 *     latest.json                 the pointer
 *     manifests/<sha256>.json     one per snapshot
 *     objects/ab/ab12…            files, named by their SHA-256
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatYears } from '../../model/values/years.ts'
import { sha256 } from '../../runtime/digest.ts'
import { FileError, openRegularFile, readRegularFile } from '../../runtime/regular-file.ts'
import { MAX_MANIFEST_BYTES, MAX_READ_BYTES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import { decodeManifest, type FileEntry, type Manifest, type Role, type Stored } from './manifest.ts'
import { decodePointer, MAX_POINTER_BYTES, type Pointer } from './pointer.ts'
import { decodeSubset, isLeftOut, leftOutError, MAX_SUBSET_BYTES, SUBSET_NAME, type Subset } from './subset.ts'

export const POINTER_NAME = 'latest.json'
export const manifestName = (digest: string) => `manifests/${digest}.json`
export const objectName = (digest: string) => `objects/${digest.slice(0, 2)}/${digest}`

export const pointerPath = (dist: string) => join(dist, POINTER_NAME)
export const manifestPath = (dist: string, digest: string) => join(dist, manifestName(digest))
export const objectPath = (dist: string, digest: string) => join(dist, objectName(digest))

/**
 * Returns the folder for incomplete files of a `dist` writer. The next run deletes or completes what a killed run left.
 */
export const temporaryFolder = (dist: string) => join(dist, 'tmp')

/**
 * Returns the bytes of a file, or null when it does not exist or its folder is a file. `judge` gets the size before the
 * read.
 * @throws SnapshotError `malformed` for no regular file, and what `judge` throws
 */
function readIfThere(path: string, most: number, judge: (size: number) => void): Buffer | null {
  try {
    judge(statSync(path).size)
    return readRegularFile(path, most)
  } catch (error) {
    if (error instanceof FileError) throw new SnapshotError('malformed', error.message, { cause: error })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** @throws SnapshotError `malformed` */
function assertSize(name: string, size: number, most: number): void {
  if (size > most) throw new SnapshotError('malformed', `${name} has ${size} bytes; the limit is ${most}`)
}

/** Returns the bytes of the pointer of a `dist`, with its signatures. Null when nothing was activated yet. */
export const readPointerBytes = (dist: string): Buffer | null =>
  readIfThere(pointerPath(dist), MAX_POINTER_BYTES, (size) => assertSize(POINTER_NAME, size, MAX_POINTER_BYTES))

export function readPointer(dist: string): Pointer | null {
  const bytes = readPointerBytes(dist)
  return bytes && decodePointer(bytes)
}

/**
 * Returns the manifest with this digest.
 * @throws SnapshotError `missing`, `digest` when it was changed, `malformed`
 */
export const readManifest = (dist: string, digest: string): Manifest => decodeManifest(readManifestBytes(dist, digest))

/**
 * Returns the bytes of the manifest with this digest.
 * @throws SnapshotError `missing`, `digest` when it was changed, or `malformed` when it is too long
 */
export function readManifestBytes(dist: string, digest: string): Buffer {
  const bytes = readIfThere(manifestPath(dist, digest), MAX_MANIFEST_BYTES, (size) =>
    assertSize(`manifest ${digest}`, size, MAX_MANIFEST_BYTES),
  )
  if (!bytes) throw new SnapshotError('missing', `manifest ${digest} is missing`)
  if (sha256(bytes) !== digest) {
    throw new SnapshotError('digest', `manifest ${digest} is damaged: its digest differs from its name`)
  }
  return bytes
}

/**
 * Returns the current snapshot of a `dist`, and its pointer as stored.
 * @throws SnapshotError `missing` when there is none, and as `readManifest`
 */
export function readCurrent(dist: string): { pointer: Pointer; pointerBytes: Buffer; manifest: Manifest } {
  const pointerBytes = readPointerBytes(dist)
  if (!pointerBytes) throw new SnapshotError('missing', `${noSnapshot(dist)}; ${DIST_REMEDY}`)
  const pointer = decodePointer(pointerBytes)
  const manifest = readManifest(dist, pointer.manifest.sha256)
  if (manifest.snapshot !== pointer.snapshot) {
    throw new SnapshotError('digest', 'latest.json and its manifest state different snapshots')
  }
  return { pointer, pointerBytes, manifest }
}

const DIST_REMEDY = 'use a folder that `vulnshelf build` or `vulnshelf-gateway mirror` has written'

function noSnapshot(dist: string): string {
  const stat = statSync(dist, { throwIfNoEntry: false })
  if (!stat) return `there is no folder ${dist}`
  return stat.isDirectory() ? `${dist} contains no snapshot: latest.json is missing` : `${dist} is a file`
}

export function manifestDigests(dist: string): string[] {
  const folder = join(dist, 'manifests')
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
    .map((name) => name.slice(0, -'.json'.length))
}

/**
 * Returns the file with this role and name. Files that are alone in their role are named `cve`.
 * @throws SnapshotError `missing`
 */
export function fileOf(manifest: Manifest, role: Role, name = 'cve'): FileEntry {
  const file = manifest.files.find((entry) => entry.role === role && entry.name === name)
  if (!file)
    throw new SnapshotError(
      'missing',
      `the manifest lists no file ${role} ${name}: the snapshot is damaged, or another version built it; build it again`,
    )
  return file
}

/**
 * Returns all bytes of a snapshot file, checked.
 * @throws SnapshotError `missing` or `digest`
 */
export const readObject = (dist: string, file: FileEntry): Buffer => readStored(dist, file, describe(file))

/**
 * Returns all bytes of any object, checked. Errors call it `name`.
 * @throws SnapshotError `missing`, `digest`, or `malformed` when it is too long
 */
export function readStored(dist: string, object: Stored, name: string): Buffer {
  const changed = () => new SnapshotError('digest', `${name} is damaged: its digest differs from its name`)
  const bytes = readIfThere(objectPath(dist, object.sha256), MAX_READ_BYTES, (size) => {
    if (size !== object.size) throw changed()
    assertSize(name, size, MAX_READ_BYTES)
  })
  if (!bytes) throw new SnapshotError('missing', `${name} is missing`)
  if (sha256(bytes) !== object.sha256) throw changed()
  return bytes
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Checks the digest of an object as a stream, for files that our own codecs do not read.
 * @throws SnapshotError `missing` or `digest`
 */
export function checkObject(dist: string, file: FileEntry): void {
  const object = openObject(dist, file)
  try {
    const digest = createHash('sha256')
    for (let at = 0; at < object.size; at += CHUNK_BYTES) {
      digest.update(object.read(at, Math.min(CHUNK_BYTES, object.size - at)))
    }
    if (digest.digest('hex') === file.sha256) return
  } finally {
    object.close()
  }
  throw new SnapshotError('digest', `${describe(file)} is damaged: its digest differs from its name`)
}

export const describePack = ({ sha256 }: Stored): string => `the delta pack (object ${sha256})`

export const describe = (file: FileEntry): string => `file ${file.role} ${file.name} (object ${file.sha256})`

/** An open object. It stays readable after its file is deleted. */
export interface OpenObject {
  size: number
  /**
   * Reads exactly `length` bytes at `at`, possibly into Node's buffer pool: copy what is kept for longer than an
   * answer. Synchronous on purpose: a page cache read takes 2 µs, a seventh of a thread pool trip.
   * @throws SnapshotError `malformed` when the range is outside the object
   */
  read(at: number, length: number): Buffer
  /** For callers that read into their own memory and check the bytes. */
  fd: number
  close(): void
}

const leftOutObject = (subset: Subset, file: FileEntry): OpenObject => ({
  size: file.size,
  read() {
    throw leftOutError(subset, file)
  },
  fd: LEFT_OUT,
  close() {},
})

/** The `fd` of a file that a partial mirror does not have. Its `read` throws `left_out`. */
export const LEFT_OUT = -1

/**
 * Returns the years that a partial mirror has; null if it has all.
 * @throws SnapshotError `malformed`, `unsupported`
 */
export function readSubset(dist: string): Subset | null {
  const bytes = readIfThere(join(dist, SUBSET_NAME), MAX_SUBSET_BYTES, (size) =>
    assertSize(SUBSET_NAME, size, MAX_SUBSET_BYTES),
  )
  try {
    return bytes && decodeSubset(bytes)
  } catch (cause) {
    const { code, message } = cause as SnapshotError
    throw new SnapshotError(
      code,
      `${message}, in ${dist}. Remove it, and complete the mirror with \`vulnshelf-gateway mirror <source> ${dist} --years all\``,
      { cause },
    )
  }
}

/**
 * Refuses a partial mirror. `needing` is what needs the records of all years, for the message.
 * @throws SnapshotError `left_out`; and as `readSubset`
 */
export function assertAllYears(dist: string, needing: string): void {
  const subset = readSubset(dist)
  if (subset === null) return
  throw new SnapshotError(
    'left_out',
    `${needing} needs the records of all years, and ${dist} is a mirror with only those of ${formatYears(subset)}. Complete it with \`vulnshelf-gateway mirror <source> ${dist} --years all\``,
  )
}

/** @throws SnapshotError `missing`, or `digest` when the size differs */
export function openObject(dist: string, file: FileEntry): OpenObject {
  let fd: number
  try {
    fd = openRegularFile(objectPath(dist, file.sha256))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    const subset = readSubset(dist)
    if (isLeftOut(subset, file)) return leftOutObject(subset!, file)
    throw new SnapshotError('missing', `${describe(file)} is missing`, { cause })
  }
  const { size } = fstatSync(fd)
  if (size !== file.size) {
    closeSync(fd)
    throw new SnapshotError('digest', `${describe(file)} has ${size} bytes, not ${file.size}`)
  }
  return {
    size,
    read(at, length) {
      const bytes = Buffer.allocUnsafe(length)
      if (at < 0 || at + length > size || readSync(fd, bytes, 0, length, at) !== length) {
        throw new SnapshotError('malformed', `${describe(file)} ends before byte ${at + length}`)
      }
      return bytes
    },
    fd,
    close: () => closeSync(fd),
  }
}
