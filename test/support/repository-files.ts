/** The files of a repository, without the writer's own files. */
import { manifestName, objectName, POINTER_NAME, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { stateOf } from '../cli/command.ts'

/** Returns names and digests of all published files of a repository. */
export function filesOf(dist: string): Record<string, string> {
  const own = /^(?:latest\.json$|manifests\/|objects\/)/
  return Object.fromEntries(Object.entries(stateOf(dist)).filter(([name]) => own.test(name)))
}

/** Returns the published files of the current snapshot: the exact content of a new mirror. */
export function currentFilesOf(dist: string): Record<string, string> {
  const { pointer, manifest } = readCurrent(dist)
  const names = new Set([
    POINTER_NAME,
    manifestName(pointer.manifest.sha256),
    ...manifest.files.map(({ sha256 }) => objectName(sha256)),
  ])
  return Object.fromEntries(Object.entries(filesOf(dist)).filter(([name]) => names.has(name)))
}
