/** The JSON of a value, or null where it is longer than any string can be (512 MB). */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    if (cause instanceof RangeError && cause.message === 'Invalid string length') return null
    throw cause
  }
}
