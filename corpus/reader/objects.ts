/** The objects of a snapshot, whole or in parts: as few requests as parts lie together, and memory within a bound. */
import { sha256 } from '../snapshot/digest.ts'
import { SnapshotError } from '../snapshot/error.ts'
import { describe, objectName } from '../snapshot/layout.ts'
import type { FileEntry } from '../snapshot/manifest.ts'
import { recent } from '../snapshot/recent.ts'
import type { Files, Span } from './files.ts'

export interface Objects {
  /**
   * All of a file, checked against its digest.
   * @throws SnapshotError, TransferError
   */
  whole(file: FileEntry): Promise<Buffer>
  /**
   * The bytes of each span of a file, which whoever asks has to check.
   * @throws SnapshotError, TransferError
   */
  parts(file: FileEntry, spans: readonly Span[]): Promise<Buffer[]>
}

/**
 * Whole objects that are kept where a server gives no parts. None is kept that takes more than half of it; the pages of a
 * sort are some 50 MB at 350,000 CVEs.
 */
const KEPT_BYTES = 128 * 1024 * 1024

/** What has more is no file of a snapshot, but may be a lie of whoever answers. */
const MOST_BYTES = 512 * 1024 * 1024

/** Reading so much in vain takes less than another request. */
const GAP_BYTES = 8 * 1024

/** `proven` reads parts only of what was held against its digest as a whole: of a CRC anybody can make another one. */
export function openObjects(files: Files, { proven }: { proven: boolean }): Objects {
  const kept = recent<string, Buffer>(KEPT_BYTES, ({ length }) => length)
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

  /** A whole object that many ask for, each time for another part: fetched once. */
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

  /** From where parts of a file can be read that are proven; once for each. */
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

/** A span that covers others, which it names by their places. */
export interface Run extends Span {
  spans: number[]
}

/** Spans put together where no more than `gap` bytes lie between them, ascending. */
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
