/** Faults that a step reports and does not throw. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type NightlyErrorCode =
  | 'feeds-failed' // the download of a feed failed, without `--allow-stale`
  | 'faults' // the new snapshot has faults
  | 'replaced' // another program activated a snapshot, which is not verified

export class NightlyError extends CodedError<NightlyErrorCode> {
  /** The report of the step that failed. */
  readonly report: unknown

  constructor(code: NightlyErrorCode, message: string, report: unknown) {
    super(code, message)
    this.report = report
  }
}
