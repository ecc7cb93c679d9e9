/** Errors as text, for assertions. */

/** Returns code and message of the error that a promise rejects with. Fails without a rejection, code or message. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error) || !('code' in error)) throw new Error(`not refused: ${error}`)
  return `${error.code}: ${error.message}`
}

/** Returns the error that a promise rejects with; null without a rejection. */
export function failed(work: Promise<unknown>): Promise<(Error & { code?: string }) | null> {
  return work.then(
    () => null,
    (error) => error,
  )
}
