/** The sentences of a specification: what a paragraph, an item of a list or a row of a table says, one by one. */

export interface Sentence {
  /** The heading it stands under. */
  section: string
  /** As the specification writes it; the cells of a row are joined by ` | `. */
  text: string
}

/**
 * Every sentence of a Markdown document, in order. Headings, the heads of tables, and what only says that something is
 * not shown, make no claim and are left out.
 */
export function sentencesOf(markdown: string): Sentence[] {
  const sentences: Sentence[] = []
  let section = ''
  let isGap = false
  let open: string[] = []
  const lines = markdown.split('\n')
  const close = () => {
    const paragraph = open.join(' ').trim()
    open = []
    if (paragraph && !isGap) for (const text of splitParagraph(paragraph)) sentences.push({ section, text })
  }
  lines.forEach((line, i) => {
    const heading = /^#+ (.*)/.exec(line)
    if (heading) {
      close()
      section = heading[1]!
      isGap = /^Gaps/.test(section)
      return
    }
    if (line.startsWith('|')) {
      close()
      const isHead = /^\|[\s-|]+\|$/.test(lines[i + 1] ?? '') || /^\|[\s-|]+\|$/.test(line)
      if (!isHead && !isGap) sentences.push({ section, text: cellsOf(line).join(' | ') })
      return
    }
    const item = /^\s*(?:-|\d+\.) (.*)/.exec(line)
    if (item || line.trim() === '') close()
    if (line.trim() !== '') open.push(item ? item[1]! : line.trim())
  })
  close()
  return sentences.filter(({ text }) => !/not shown/i.test(text))
}

/** The cells of a row; a `\|` is part of a cell. */
function cellsOf(row: string): string[] {
  return row
    .replaceAll('\\|', '\0')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('\0', '|').trim())
}

/** A sentence ends in a full stop before a blank and a capital or a code; a colon at the end only announces a list. */
function splitParagraph(paragraph: string): string[] {
  return paragraph
    .split(/(?<=[.!?]) (?=[A-Z`])/)
    .map((text) => text.trim())
    .filter((text) => !text.endsWith(':'))
}
