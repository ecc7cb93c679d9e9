/** The files of a repository, told apart from what a writer keeps beside them. */
import { manifestName, objectName, POINTER_NAME, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { stateOf } from '../cli/command.ts'

/** Names and digests of all that a repository hands out. */
export function filesOf(dist: string): Record<string, string> {
  const own = /^(?:latest\.json$|manifests\/|objects\/)/
  return Object.fromEntries(Object.entries(stateOf(dist)).filter(([name]) => own.test(name)))
}

/** Of these what the current snapshot is made of: a new mirror is that, and nothing else. */
export function currentFilesOf(dist: string): Record<string, string> {
  const { pointer, manifest } = readCurrent(dist)
  const names = new Set([
    POINTER_NAME,
    manifestName(pointer.manifest.sha256),
    ...manifest.files.map(({ sha256 }) => objectName(sha256)),
  ])
  return Object.fromEntries(Object.entries(filesOf(dist)).filter(([name]) => names.has(name)))
}
