/** Lines that are shorter than this end where their author wants. */
const WRAPPED = 60
/** The beginning of an item of a list. */
const ITEM = /^(?:[-*•]|\d+[.)])/

/** Joins the lines of a text that is wrapped and indented as source code, such as descriptions of Metasploit. */
export function unwrap(text: string): string {
  const lines = text.replace(/(?<![ \t])[ \t]+$|^[ \t]+/gm, '').split('\n')
  return lines
    .map((line, i) => {
      const next = lines[i + 1]
      if (next === undefined) return line
      const isWrapped = line.length >= WRAPPED && next !== '' && !ITEM.test(next)
      return line + (isWrapped ? ' ' : '\n')
    })
    .join('')
}
