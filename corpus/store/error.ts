/** The error class of the corpus, and errors for missing permissions, with the way to fix them. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CodedError } from '../errors/coded-error.ts'

/** What SQLite and the system report for a file or folder without permission. */
const NO_ACCESS = /^(?:SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)\w*|EACCES|EPERM|ENOTDIR|EEXIST)$/

/**
 * Returns a `StoreError` if permissions explain why the corpus at `path` cannot be opened or written. Returns any other
 * cause unchanged. `readonly` is whether the corpus is only read.
 */
export function accessError(path: string, cause: unknown, { readonly }: { readonly: boolean }): unknown {
  if (!(cause instanceof Error && 'code' in cause) || !NO_ACCESS.test(String(cause.code))) return cause
  return new StoreError('no_access', explain(path, cause.message, readonly), { cause })
}

/**
 * Checks that the file at `path` is readable and writable. SQLite would report a problem only at the first write, after
 * all feeds were read.
 * @throws StoreError
 */
export function assertWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch (cause) {
    throw accessError(path, cause, { readonly: false })
  }
}

function explain(path: string, message: string, readonly: boolean): string {
  const folder = dirname(path)
  if (!statSync(path, { throwIfNoEntry: false })) return `${path} cannot be written: ${folderFault(folder, message)}`
  if (!mayRead(path)) return `${path} cannot be read: ${message}; make it readable for this user`
  const remedy = 'make the file and its folder writable for this user'
  if (!readonly) return `${path} cannot be written: ${message}; ${remedy}`
  const why = 'its folder is not writable, and SQLite creates two small files in it to read a corpus'
  return `${path} cannot be read: ${why}; make the folder writable for this user, or copy the corpus`
}

/** Returns why a folder cannot be created or written. The nearest existing folder decides. */
function folderFault(folder: string, message: string): string {
  for (let above = resolve(folder); ; above = dirname(above)) {
    const stat = statSync(above, { throwIfNoEntry: false })
    if (stat && !stat.isDirectory()) return `${above} is a file; use a path in a folder`
    if (stat) return `${message}; make ${above} writable for this user`
  }
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Why a file cannot be used as a corpus. */
export type StoreErrorCode =
  /** There is no file at the path. */
  | 'not_found'
  /** The file is not an SQLite database, or belongs to another program. */
  | 'not_a_corpus'
  /** The corpus has another schema version than this program. */
  | 'wrong_version'
  /** Other programs use the corpus. */
  | 'busy'
  /** The user has no permission to read or write the corpus. */
  | 'no_access'

export class StoreError extends CodedError<StoreErrorCode> {}
