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
