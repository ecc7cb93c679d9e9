/** Parameters that are rejected. */
import * as assert from 'uvu/assert'
import { ApiError } from '../../../../corpus/answers/errors.ts'

/** Asserts that `work` throws the 400 that names the parameter. */
export function refused(work: () => unknown, parameter: string, message: RegExp): void {
  assert.throws(
    work,
    (error: unknown) =>
      error instanceof ApiError &&
      error.code === 'invalid_parameter' &&
      error.parameter === parameter &&
      message.test(error.message),
    String(message),
  )
}
