/** The JSON of a value, or null where it is longer than any string can be (512 MB). */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    if (cause instanceof RangeError && cause.message === 'Invalid string length') return null
    throw cause
  }
}

const BACKSLASH = 0x5c

/** Returns the position of the quote that ends the string that begins at `start` of valid JSON. */
export function endOfString(json: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = json.indexOf('"', end)
    let slash = end
    while (json.charCodeAt(slash - 1) === BACKSLASH) slash--
    if ((end - slash) % 2 === 0) return end
  }
}
