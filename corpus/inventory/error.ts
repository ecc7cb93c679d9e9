/** Errors of lock files and SBOMs. */
import { CodedError } from '../errors/coded-error.ts'

export type InventoryErrorCode =
  | 'unreadable' // the file cannot be read, or is no text
  | 'unknown-format' // no lock file or SBOM that we read
  | 'malformed' // not what its format requires
  | 'too-large'

export class InventoryError extends CodedError<InventoryErrorCode> {}

/** A file beyond a bound of `bounds.ts`. */
export class BoundError extends CodedError<'too-large'> {
  constructor(message: string) {
    super('too-large', message)
  }
}

/** A fault in the text of a file. `line` is the number of its line, from 1, if known. */
export class FormatError extends CodedError<'malformed'> {
  readonly line: number | null

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super('malformed', message, options)
    this.line = line
  }
}
