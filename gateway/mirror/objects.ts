/** The local objects of a mirror: which are here and intact. */
import { statSync } from 'node:fs'
import { digestOfFile } from '../../corpus/runtime/digest.ts'
import { type FileEntry, objectPath, type Stored } from '../../corpus/snapshot/index.ts'

/** Stamps by digest, so that repeated runs read only changed files. */
export type Sound = Map<string, string>

/** A damaged object is fetched again. */
export async function isHere(dist: string, { sha256, size }: Stored, sound: Sound): Promise<boolean> {
  const path = objectPath(dist, sha256)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.size !== size) return false
  const stamp = `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${size}`
  if (sound.get(sha256) === stamp) return true
  if ((await digestOfFile(path)).sha256 !== sha256) return false
  sound.set(sha256, stamp)
  return true
}

/** Several files can share one object. */
export const onceEach = (files: readonly FileEntry[]): FileEntry[] => [
  ...new Map(files.map((file) => [file.sha256, file])).values(),
]

export const bytesOf = (objects: readonly Stored[]): number => objects.reduce((sum, { size }) => sum + size, 0)
