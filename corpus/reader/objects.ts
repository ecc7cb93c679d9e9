/** Reads the objects of a snapshot, whole or in parts. It merges nearby parts into one request and limits memory. */
import { sha256 } from '../runtime/digest.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import { SnapshotError } from '../snapshot/error.ts'
import { describe, objectName } from '../snapshot/files/layout.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import type { Files, Span } from './files.ts'

export interface Objects {
  /**
   * Returns a complete file, verified against its digest.
   * @throws SnapshotError, TransferError
   */
  whole(file: FileEntry): Promise<Buffer>
  /**
   * Returns the bytes of each span of a file. The caller must verify them.
   * @throws SnapshotError, TransferError
   */
  parts(file: FileEntry, spans: readonly Span[]): Promise<Buffer[]>
}

/**
 * Cache size for whole objects, if the server does not support ranges. An object larger than half of it is not cached.
 * The pages of a sort are about 50 MB at 350,000 CVEs.
 */
const KEPT_BYTES = 128 * 1024 * 1024

/** Maximum size of an object. No real file of a snapshot is larger, so a larger size comes from a false manifest. */
const MOST_BYTES = 512 * 1024 * 1024

/** Maximum gap between two merged parts. Reading it takes less time than another request. */
const GAP_BYTES = 8 * 1024

/**
 * Opens the objects of a snapshot. With `proven`, parts are read only from files that were verified as a whole, because
 * a CRC gives no protection against forgery.
 */
export function openObjects(files: Files, { proven }: { proven: boolean }): Objects {
  const kept = generationalCache<string, Buffer>(KEPT_BYTES, ({ length }) => length)
  const coming = new Map<string, Promise<Buffer>>()
  const proofs = new Map<string, Promise<Pick<Files, 'part'>>>()

  async function whole(file: FileEntry): Promise<Buffer> {
    if (file.size > MOST_BYTES)
      throw new SnapshotError('malformed', `${describe(file)} has more than ${MOST_BYTES} bytes`)
    const bytes = await files.whole(objectName(file.sha256), file.size)
    if (bytes.length !== file.size || sha256(bytes) !== file.sha256) {
      throw new SnapshotError('digest', `${describe(file)} does not have the digest it is named by`)
    }
    return bytes
  }

  /** Returns a whole object. Concurrent callers share one download. */
  function shared(file: FileEntry): Promise<Buffer> {
    const known = kept.get(file.sha256)
    if (known) return Promise.resolve(known)
    let fetching = coming.get(file.sha256)
    if (!fetching) {
      fetching = whole(file)
        .then((bytes) => {
          kept.set(file.sha256, bytes)
          return bytes
        })
        .finally(() => coming.delete(file.sha256))
      coming.set(file.sha256, fetching)
    }
    return fetching
  }

  /** Returns a verified source for parts of a file. Each file is verified once. */
  function provenFrom(file: FileEntry): Promise<Pick<Files, 'part'>> {
    let proof = proofs.get(file.sha256)
    if (!proof) {
      proof = files.proven(objectName(file.sha256), file)
      proofs.set(file.sha256, proof)
      proof.catch(() => proofs.delete(file.sha256))
    }
    return proof
  }

  return {
    whole,
    async parts(file, spans) {
      for (const { at, length } of spans) {
        if (length > 0 && at + length <= file.size) continue
        throw new SnapshotError('malformed', `${describe(file)} has no ${length} bytes at ${at}`)
      }
      const from = proven ? await provenFrom(file) : files
      if (!proven && !(await files.hasParts())) {
        const bytes = await shared(file)
        return spans.map(({ at, length }) => bytes.subarray(at, at + length))
      }
      const parts: Buffer[] = []
      const read = async ({ at, length, spans: covered }: Run) => {
        const bytes = await from.part(objectName(file.sha256), { at, length }, file.size)
        for (const i of covered) {
          const from = spans[i]!.at - at
          parts[i] = bytes.subarray(from, from + spans[i]!.length)
        }
      }
      await Promise.all(runsOf(spans, GAP_BYTES).map(read))
      return parts
    },
  }
}

/** A span that covers others. `spans` are their positions in the input. */
export interface Run extends Span {
  spans: number[]
}

/** Merges spans with gaps of at most `gap` bytes. Returns the runs in ascending order. */
export function runsOf(spans: readonly Span[], gap: number): Run[] {
  const ascending = [...spans.keys()].sort((a, b) => spans[a]!.at - spans[b]!.at)
  const runs: Run[] = []
  for (const i of ascending) {
    const { at, length } = spans[i]!
    const last = runs.at(-1)
    if (last && at <= last.at + last.length + gap) {
      last.length = Math.max(last.length, at + length - last.at)
      last.spans.push(i)
    } else runs.push({ at, length, spans: [i] })
  }
  return runs
}
