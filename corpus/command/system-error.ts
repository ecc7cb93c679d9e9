/** Errors of the machine, not of the input: a full disk, missing permissions, a refused connection. */
import { CodedError } from '../errors/coded-error.ts'
import { assertReplaceable } from '../runtime/regular-file.ts'

/** Returns whether it is a system error (`ENOSPC`, `EACCES`). Its message is shown to the operator. */
export const isSystemError = (thrown: unknown): thrown is NodeJS.ErrnoException =>
  thrown instanceof Error && 'code' in thrown && /^E[A-Z]+$/.test(String(thrown.code))

const FULL = 'its disk is full; free some space, or use another disk'

/** What a disk lacks and what to do, by the codes of the system and of SQLite. Neither names the path of a failed write. */
const REMEDIES: Readonly<Record<string, string>> = {
  EDQUOT: 'the disk quota of this user is exhausted; free some space, or raise the quota',
  ENOSPC: FULL,
  EROFS: 'its file system is read-only; mount it read-write, or use another one',
  SQLITE_FULL: FULL,
  // The index of a write-ahead log cannot grow.
  SQLITE_IOERR_SHMSIZE: FULL,
}

const codeOf = (thrown: unknown) => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '')

/** Whether a disk is full or read-only. */
export const isDiskError = (thrown: unknown): boolean => Object.hasOwn(REMEDIES, codeOf(thrown))

/** Returns the message for a path that cannot be written to: why, and the remedy where it is known. */
export const cannotWrite = (path: string, cause: unknown): string =>
  `${path} cannot be written to: ${REMEDIES[codeOf(cause)] ?? (cause as Error).message}`

/** A full or read-only disk, with the path and the remedy. */
export class DiskError extends CodedError {
  constructor(path: string, cause: unknown) {
    super(codeOf(cause).replace(/^SQLITE_.*/, 'ENOSPC'), cannotWrite(path, cause), { cause })
  }
}

/**
 * Returns what `work` returns, which writes to `path` and nowhere else.
 * @throws DiskError for a full or read-only disk, FileError for a path that must not be replaced, and what `work` throws
 */
export async function writingTo<T>(path: string, work: () => Promise<T>): Promise<T> {
  assertReplaceable(path)
  try {
    return await work()
  } catch (cause) {
    throw isDiskError(cause) && !(cause instanceof DiskError) ? new DiskError(path, cause) : cause
  }
}
