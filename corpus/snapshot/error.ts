/** What can be wrong with a snapshot: always the snapshot's fault or the disk's, never the reader's caller. */

export type SnapshotErrorCode =
  | 'missing' // a file that should be there is not
  | 'digest' // bytes do not have the digest, CRC or size that was promised
  | 'malformed' // bytes do not decode
  | 'untrusted' // no signature of a key that is trusted
  | 'unsupported' // a format version this program does not know

export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code: SnapshotErrorCode

  constructor(code: SnapshotErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
