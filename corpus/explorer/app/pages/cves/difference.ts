/** The difference between two texts: the words between their common beginning and end. */

export interface Difference {
  before: string
  removed: string
  added: string
  after: string
}

/** Characters that are shown of the common beginning and end. */
const CONTEXT = 60

/** Returns the changed words with a part of what is equal before and after them. */
export function difference(old: string, now: string): Difference {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  start = wordStart(old, start)
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  end = wordEnd(old, end)
  const [before, after] = [old.slice(0, start), end === 0 ? '' : old.slice(-end)]
  return {
    before: before.length > CONTEXT ? `…${before.slice(wordStart(before, before.length - CONTEXT))}` : before,
    removed: old.slice(start, old.length - end),
    added: now.slice(start, now.length - end),
    after: after.length > CONTEXT ? `${after.slice(0, CONTEXT)}…` : after,
  }
}

const isInWord = (text: string, position: number) =>
  position > 0 && position < text.length && /\S\S/.test(text.slice(position - 1, position + 1))

/** The position, or the start of the word that it cuts. */
function wordStart(text: string, position: number): number {
  let start = position
  while (isInWord(text, start)) start--
  return start
}

/** The length of the end of a text without the word that it cuts. */
function wordEnd(text: string, length: number): number {
  let end = length
  while (end > 0 && isInWord(text, text.length - end)) end--
  return end
}

/** Levels of JSON that are indented. The indents of deep levels take their square. */
const MOST_LEVELS = 20

/** Returns JSON with one member per line. Null if the text is no object and no array, or is nested deeper. */
export function readableJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    const readable = JSON.stringify(JSON.parse(text), null, 1)
    return readable.includes(`\n${' '.repeat(MOST_LEVELS + 1)}`) ? null : readable
  } catch {
    return null
  }
}
