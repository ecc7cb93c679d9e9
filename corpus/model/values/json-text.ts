/** The JSON of a value, or null where it is longer than any string can be (512 MB). */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    if (cause instanceof RangeError && cause.message === 'Invalid string length') return null
    throw cause
  }
}

/**
 * Maximum levels of lists and objects in JSON from outside. Feeds and lock files have about twelve. Node 26 corrupts its
 * memory when it parses invalid JSON of about 8,000 levels.
 */
export const MAX_JSON_LEVELS = 1000

/**
 * Returns the value of JSON from outside: feeds, files of users, other servers.
 * @throws SyntaxError for no JSON, and before it is parsed if it is nested deeper than `MAX_JSON_LEVELS`
 */
export function parseUntrustedJson(text: string): unknown {
  if (deepRanges(text).length > 0) throw new SyntaxError(`it is nested more than ${MAX_JSON_LEVELS} levels deep`)
  return JSON.parse(text)
}

/**
 * Returns the value of JSON from outside, in which each list or object below `MAX_JSON_LEVELS` is null: one item of a file
 * must not cost the others.
 * @throws SyntaxError for no JSON
 */
export function parseShallowJson(text: string): unknown {
  let shallow = ''
  let start = 0
  for (const [from, to] of deepRanges(text)) {
    shallow += `${text.slice(start, from)}null`
    start = to
  }
  return JSON.parse(shallow + text.slice(start))
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns where the lists and objects below the most levels begin and end. Works on text that is no JSON as well. Few texts
 * have so many brackets that their levels must be counted.
 */
function deepRanges(text: string): [from: number, to: number][] {
  let opened = 0
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++opened > MAX_JSON_LEVELS) return deepRangesByLevels(text)
  }
  return []
}

function deepRangesByLevels(text: string): [from: number, to: number][] {
  const ranges: [from: number, to: number][] = []
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      while (++at < text.length && text.charCodeAt(at) !== QUOTE) if (text.charCodeAt(at) === BACKSLASH) at++
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth === MAX_JSON_LEVELS + 1) ranges.push([at, text.length])
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth-- === MAX_JSON_LEVELS + 1) ranges.at(-1)![1] = at + 1
    }
  }
  return ranges
}

/** Returns the position of the quote that ends the string that begins at `start` of valid JSON. */
export function endOfString(json: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = json.indexOf('"', end)
    let slash = end
    while (json.charCodeAt(slash - 1) === BACKSLASH) slash--
    if ((end - slash) % 2 === 0) return end
  }
}
