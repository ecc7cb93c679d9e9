/** Contents to publish. The last bytes of a damaged file are withheld. */
import { createHash } from 'node:crypto'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { streamRegularFile } from '../../corpus/runtime/regular-file.ts'
import { SnapshotError, type Stored } from '../../corpus/snapshot/index.ts'

export interface Content extends Stored {
  /** Path below the target, with `/`. */
  path: string
  /** The file with the content, for hard links. Absent for content in memory. */
  from?: string
  /** @throws SnapshotError `missing`, or `digest` before the last bytes */
  read(): AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 256 * 1024

/** Messages use `name`. */
export function fileContent(path: string, from: string, { sha256, size }: Stored, name: string): Content {
  return { path, from, sha256, size, read: () => checked(from, { sha256, size }, name) }
}

export function bytesContent(path: string, bytes: Buffer): Content {
  return {
    path,
    sha256: sha256(bytes),
    size: bytes.length,
    async *read() {
      yield bytes
    },
  }
}

async function* checked(from: string, { sha256, size }: Stored, name: string): AsyncIterable<Uint8Array> {
  const digest = createHash('sha256')
  let length = 0
  let last: Uint8Array | null = null
  for await (const chunk of chunksOf(from, name)) {
    length += chunk.length
    if (length > size) break
    digest.update(chunk)
    if (last) yield last
    last = chunk
  }
  if (length !== size || digest.digest('hex') !== sha256) {
    throw new SnapshotError(
      'digest',
      `${name} is damaged: its digest differs from its name. Build or mirror again to repair it; a damaged delta pack may be removed`,
    )
  }
  if (last) yield last
}

async function* chunksOf(from: string, name: string): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of streamRegularFile(from, { highWaterMark: CHUNK_BYTES })) yield chunk as Buffer
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new SnapshotError('missing', `${name} is missing`, { cause })
  }
}
