/** Whole bundles of a `dist`, without the mirror that writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { END_BYTES, encodeHeader, paddingOf } from '../../corpus/repository/tar.ts'
import {
  manifestName,
  manifestPath,
  objectName,
  objectPath,
  POINTER_NAME,
  pointerPath,
  readCurrent,
} from '../../corpus/snapshot/files/layout.ts'

export function writeWholeBundle(dist: string, file: string): void {
  const { pointer, manifest } = readCurrent(dist)
  const { sha256 } = pointer.manifest
  const objects = [...new Set(manifest.files.map((one) => one.sha256))]
  const files = [
    [POINTER_NAME, pointerPath(dist)],
    [manifestName(sha256), manifestPath(dist, sha256)],
    ...objects.map((digest) => [objectName(digest), objectPath(dist, digest)]),
  ] as [name: string, path: string][]
  const entries = files.flatMap(([name, path]) => {
    const bytes = readFileSync(path)
    return [encodeHeader({ name, size: bytes.length }), bytes, Buffer.alloc(paddingOf(bytes.length))]
  })
  writeFileSync(file, Buffer.concat([...entries, Buffer.alloc(END_BYTES)]))
}
