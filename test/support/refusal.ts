/** Errors as tests look at them. */

/** Code and message of the error that something ends with; it must have both. */
export async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error) || !('code' in error)) throw new Error(`not refused: ${error}`)
  return `${error.code}: ${error.message}`
}
