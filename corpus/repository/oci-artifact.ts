/** A snapshot as an OCI image manifest: one layer per file, titled with its path. SPEC.md, "OCI artifact". */
import { parseUntrustedJson } from '../model/values/json-text.ts'
import type { Manifest, Stored } from '../snapshot/index.ts'
import { TransferError } from '../transfer/error.ts'
import { MANIFEST_TYPE } from './registry.ts'

export const ARTIFACT_TYPE = 'application/vnd.vulnshelf.snapshot.v1'
const FILE_TYPE = 'application/vnd.vulnshelf.file.v1'
const TITLE = 'org.opencontainers.image.title'

/** The config of an artifact without one (OCI image specification 1.1, "Guidance for an Empty Descriptor"). */
export const EMPTY_CONFIG = Buffer.from('{}')
const EMPTY_CONFIG_DESCRIPTOR = {
  mediaType: 'application/vnd.oci.empty.v1+json',
  digest: 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  size: EMPTY_CONFIG.length,
}

export interface ArtifactFile extends Stored {
  path: string
}

/** Returns the manifest. The same files in any order give the same bytes. */
export function encodeArtifact(
  { snapshot, created_at }: Pick<Manifest, 'snapshot' | 'created_at'>,
  files: readonly ArtifactFile[],
): Buffer {
  const layers = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, sha256, size }) => ({
      mediaType: FILE_TYPE,
      digest: `sha256:${sha256}`,
      size,
      annotations: { [TITLE]: path },
    }))
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: ARTIFACT_TYPE,
      config: EMPTY_CONFIG_DESCRIPTOR,
      layers,
      annotations: { 'org.opencontainers.image.created': created_at, 'vnd.vulnshelf.snapshot': snapshot },
    }),
  )
}

/**
 * Returns digest and size of the file with this path. Accepts any artifact type: other programs may have made it.
 * @throws TransferError `unusable` if the manifest has no such file
 */
export function fileInArtifact(bytes: Buffer, path: string, name: string): Stored {
  const files = layersOf(bytes).filter(({ annotations }) => annotations?.[TITLE] === path)
  const [file] = files
  const sha256 = /^sha256:([0-9a-f]{64})$/.exec(String(file?.digest))?.[1]
  const size = file?.size
  if (files.length === 1 && sha256 !== undefined && Number.isSafeInteger(size) && (size as number) >= 0) {
    return { sha256, size: size as number }
  }
  throw new TransferError(
    'unusable',
    `${name} is not a snapshot: its manifest has no file ${path}; use the tag of a snapshot, or a new tag to publish to`,
  )
}

interface Layer {
  digest?: unknown
  size?: unknown
  annotations?: Record<string, unknown> | null
}

/** Returns nothing for other JSON, such as an image index. */
function layersOf(bytes: Buffer): Layer[] {
  try {
    const { layers } = (parseUntrustedJson(bytes.toString()) ?? {}) as { layers?: unknown }
    return Array.isArray(layers) ? layers.filter((layer) => typeof layer === 'object' && layer !== null) : []
  } catch {
    return []
  }
}
