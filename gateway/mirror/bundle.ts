/**
 * Bundles: a snapshot, or its difference to another one, as one file for transport on a disk. It contains files of a
 * repository under their names, and a mirror copies from it as from a folder, with the same checks.
 */
import { statSync } from 'node:fs'
import { knownManifest } from '../../corpus/repository/snapshots.ts'
import { END_BYTES, encodeHeader, MAX_ENTRY_BYTES, paddingOf } from '../../corpus/repository/tar.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { streamRegularFile } from '../../corpus/runtime/regular-file.ts'
import {
  type Manifest,
  manifestName,
  manifestPath,
  objectName,
  objectPath,
  POINTER_NAME,
  type Pointer,
  type Stored,
} from '../../corpus/snapshot/index.ts'
import type { GrowingFile, NetworkEffects } from '../../corpus/transfer/network.ts'
import { MirrorError } from './error.ts'
import type { Received } from './missing.ts'
import { onceEach } from './objects.ts'

export interface NewSnapshot {
  pointer: Uint8Array
  manifest: Manifest
  manifestBytes: Uint8Array
  /** Null in a new folder. */
  before: Pointer | null
  came: Received
}

/**
 * Writes a bundle for a reader with the previous snapshot. Pointer and manifests come first, because readers check
 * them before large objects. Files derived here are omitted. `judge` throws if the pointer has expired meanwhile.
 * @throws MirrorError `too_large` for an object above the limit of a tar header; errors of `judge`
 */
export async function writeBundle(
  file: string,
  dist: string,
  snapshot: NewSnapshot,
  judge: () => Promise<unknown>,
  effects: NetworkEffects,
): Promise<{ file: string; bytes: number }> {
  const { pointer, manifestBytes, came } = snapshot
  const staged = `${file}.part`
  const out = await effects.grow(staged, 0)
  let bytes = 0
  const write = async (piece: Uint8Array) => {
    await out.write(piece)
    bytes += piece.length
  }
  try {
    await writeEntry(POINTER_NAME, pointer, write)
    await writeEntry(manifestName(sha256(manifestBytes)), manifestBytes, write)
    for (const digest of came.between) await copyEntry(manifestName(digest), manifestPath(dist, digest), write)
    for (const object of objectsFor(snapshot, dist)) {
      await copyEntry(objectName(object.sha256), objectPath(dist, object.sha256), write)
    }
    await write(Buffer.alloc(END_BYTES))
    await out.close()
    await effects.sync(staged)
    await judge()
  } catch (error) {
    await out.close()
    await effects.remove(staged)
    throw error
  }
  await effects.rename(staged, file)
  return { file, bytes }
}

/** Returns the objects that the reader lacks, including those of an interrupted run. */
function objectsFor({ manifest, before, came }: NewSnapshot, dist: string): Stored[] {
  const had = (before && knownManifest(dist, before.manifest.sha256))?.manifest.files ?? []
  const spared = new Set([...had, ...came.made, ...came.derived].map(({ sha256 }) => sha256))
  return [...came.packs, ...onceEach(manifest.files.filter((entry) => !spared.has(entry.sha256)))]
}

type Write = GrowingFile['write']

async function writeEntry(name: string, bytes: Uint8Array, write: Write): Promise<void> {
  await write(encodeHeader({ name, size: bytes.length }))
  await write(bytes)
  await write(Buffer.alloc(paddingOf(bytes.length)))
}

async function copyEntry(name: string, path: string, write: Write): Promise<void> {
  const { size } = statSync(path)
  if (size > MAX_ENTRY_BYTES) {
    throw new MirrorError('too_large', `${name} has ${size} bytes; the limit in a bundle is ${MAX_ENTRY_BYTES}`)
  }
  await write(encodeHeader({ name, size }))
  for await (const chunk of streamRegularFile(path)) await write(chunk as Buffer)
  await write(Buffer.alloc(paddingOf(size)))
}
