/**
 * Opens files of a snapshot in an OCI registry. Each reading of the pointer resolves the tag again. Manifests and objects
 * are blobs with their own digests as names, so a reader of the snapshot before still finds its files.
 */
import { sha256 } from '../runtime/digest.ts'
import { MAX_POINTER_BYTES, POINTER_NAME } from '../snapshot/index.ts'
import type { RegistryLocation } from '../transfer/address.ts'
import { TransferError } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'
import { readWhole } from '../transfer/receive.ts'
import { rangedFiles } from './http-source.ts'
import { fileInArtifact } from './oci-artifact.ts'
import { openRegistry, type Registry } from './registry.ts'
import type { Source } from './source.ts'

export function ociSource(location: RegistryLocation, effects: Pick<NetworkEffects, 'request' | 'now'>): Source {
  const { name } = location
  const registry = openRegistry(location, 'pull', effects)
  const { open, readSpans } = rangedFiles(
    (path, headers) => registry.blob(digestIn(path, name), headers),
    effects,
    true,
  )
  return {
    name,
    isLocal: false,
    async open(path, from = 0, to) {
      if (path !== POINTER_NAME) return open(path, from, to)
      const { pointer } = await readArtifact(registry, name, effects)
      return {
        from,
        bytes: (async function* () {
          yield pointer.subarray(from, to)
        })(),
        discard: async () => {},
      }
    },
    readSpans: readSpans!,
    close: async () => {},
  }
}

/**
 * Returns the pointer of the snapshot that the tag or digest names, and the digest of the OCI manifest.
 * @throws TransferError `missing`, `unusable`, `digest`
 */
export async function readArtifact(
  registry: Registry,
  name: string,
  effects: Pick<NetworkEffects, 'now'>,
): Promise<{ digest: string; pointer: Buffer }> {
  const { bytes, digest } = await registry.manifest()
  const file = fileInArtifact(bytes, POINTER_NAME, name)
  const { open } = rangedFiles((_path, headers) => registry.blob(file.sha256, headers), effects, false)
  const pointer = await readWhole((await open(POINTER_NAME)).bytes, MAX_POINTER_BYTES, effects.now)
  if (pointer.length === file.size && sha256(pointer) === file.sha256) return { digest, pointer }
  throw new TransferError('digest', `${name}: ${POINTER_NAME} differs from its digest in the OCI manifest ${digest}`)
}

/** @throws TransferError `missing`, because other files have no digest in their names */
function digestIn(path: string, name: string): string {
  const digest = /^(?:objects\/[0-9a-f]{2}|manifests)\/([0-9a-f]{64})(?:\.json)?$/.exec(path)?.[1]
  if (digest !== undefined) return digest
  throw new TransferError('missing', `${name} has only the files of a snapshot`)
}
