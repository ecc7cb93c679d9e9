/** What a snapshot by ranges is read from. */
import type { FileEntry, Span } from '../index.ts'

/** The files of a repository, whole or in parts. Each method throws SnapshotError or TransferError. */
export interface FileParts {
  /** Returns a file of at most `most` bytes. The caller must verify it. */
  file(path: string, most: number): Promise<Buffer>
  /** Returns a complete object, verified against its digest. */
  whole(file: FileEntry): Promise<Buffer>
  /** Whether the repository has an object. */
  has(file: FileEntry): Promise<boolean>
  /** Returns the bytes of each span of an object. The caller must verify them. */
  parts(file: FileEntry, spans: readonly Span[]): Promise<Buffer[]>
  /** Whether a server has answered several parts with one request. */
  takesManyRanges(): boolean
}
