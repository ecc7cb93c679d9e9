/**
 * Converts `StructuredTextType` (text with XHTML) to plain paragraphs, list items and code. White space follows XHTML.
 */
import type { XmlElement, XmlNode } from './xml.ts'

/** A paragraph or list item. Its line breaks come from `br`, table rows or code. */
export interface TextBlock {
  kind: 'paragraph' | 'item'
  text: string
  /** `-` or the number of an item. */
  marker: string
  /** Number of lists around the item's own list. */
  depth: number
}

const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'pre', 'blockquote', 'tbody', 'thead'])
const INDENT = '  '

export function blocksOf(nodes: readonly XmlNode[]): TextBlock[] {
  const blocks: TextBlock[] = []
  let inline = ''

  const flush = () => {
    // A blank line, from two consecutive breaks, begins a new paragraph.
    for (const text of tidyLines(inline).split(/\n{2,}/)) {
      if (text !== '') blocks.push({ kind: 'paragraph', text, marker: '', depth: 0 })
    }
    inline = ''
  }
  const separate = (found: readonly TextBlock[]) => {
    flush()
    for (const block of found) blocks.push(block)
  }
  const walk = (node: XmlNode) => {
    if (typeof node === 'string') inline += node.replace(/\s+/g, ' ')
    else if (node.name === 'br') inline += '\n'
    else if (node.name === 'ul' || node.name === 'ol') separate(listItems(node))
    else if (node.name === 'table') separate(tableBlock(node))
    else if (node.name === 'div' && node.attributes.has('class')) separate(codeBlock(node))
    else if (BLOCKS.has(node.name)) separate(blocksOf(node.children))
    else {
      inline += inlineMark(node)
      node.children.forEach(walk)
    }
  }
  nodes.forEach(walk)
  flush()
  return blocks
}

/** Keeps `x<sup>2</sup>` as x^2 instead of x2. */
function inlineMark(element: XmlElement): string {
  return element.name === 'sup' ? '^' : element.name === 'sub' ? '_' : ''
}

/** Removes repeated blanks, blanks at line ends, and blank lines at both ends. */
function tidyLines(text: string): string {
  return text
    .replace(/ +/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
}

function listItems(list: XmlElement): TextBlock[] {
  let number = 0
  return list.children.flatMap((item): TextBlock[] => {
    if (typeof item === 'string') return []
    // Upstream also nests lists directly in lists.
    if (item.name !== 'li') return blocksOf([item]).map(deeper)
    const inner = blocksOf(item.children)
    const nested = inner.findIndex(({ kind }) => kind === 'item')
    const own = inner.slice(0, nested < 0 ? inner.length : nested)
    const rest = inner.slice(own.length).map(deeper)
    const marker = list.name === 'ol' ? `${++number}.` : '-'
    const text = own.map((block) => block.text).join('\n')
    return text === '' ? rest : [{ kind: 'item', text, marker, depth: 0 }, ...rest]
  })
}

function deeper(block: TextBlock): TextBlock {
  return block.kind === 'item' ? { ...block, depth: block.depth + 1 } : block
}

/** Returns one line per row, cells separated by `|`. */
function tableBlock(table: XmlElement): TextBlock[] {
  const text = rowsOf(table).join('\n')
  return text === '' ? [] : [{ kind: 'paragraph', text, marker: '', depth: 0 }]
}

function rowsOf(table: XmlElement): string[] {
  return table.children.flatMap((node) => {
    if (typeof node === 'string') return []
    if (node.name !== 'tr') return rowsOf(node)
    const cells = node.children.filter((cell): cell is XmlElement => typeof cell !== 'string')
    return cells.map((cell) => plainText(blocksOf(cell.children))?.replace(/\s+/g, ' ') ?? '').join(' | ')
  })
}

/** CAPEC marks code in a text by a class with its nature (`attack`, `good`, `informative`). */
function codeBlock(element: XmlElement): TextBlock[] {
  const text = codeOf(element.children)
  return text === '' ? [] : [{ kind: 'paragraph', text, marker: '', depth: 0 }]
}

/** Returns the paragraphs of a text. A list is one paragraph with one line per item. */
export function paragraphsOf(blocks: readonly TextBlock[]): string[] {
  const paragraphs: string[] = []
  let inList = false
  for (const { kind, text, marker, depth } of blocks) {
    const line = kind === 'item' ? `${INDENT.repeat(depth)}${marker} ${text}` : text
    if (kind === 'item' && inList) paragraphs.push(`${paragraphs.pop()}\n${line}`)
    else paragraphs.push(line)
    inList = kind === 'item'
  }
  return paragraphs
}

/** Returns the whole text, with a blank line between paragraphs; null when empty. */
export function plainText(blocks: readonly TextBlock[]): string | null {
  return paragraphsOf(blocks).join('\n\n') || null
}

/** Returns paragraphs and list items separately, for models with a field for each. */
export function paragraphsAndBullets(blocks: readonly TextBlock[]): { paragraphs: string[]; bullets: string[] } {
  const texts = (kind: TextBlock['kind']) => blocks.filter((block) => block.kind === kind).map(({ text }) => text)
  return { paragraphs: texts('paragraph'), bullets: texts('item') }
}

/**
 * Returns code as text. `br` and block borders break lines; margins indent. Line breaks of the XML are layout; other
 * blanks are kept.
 */
export function codeOf(nodes: readonly XmlNode[]): string {
  const lines: string[] = []
  let line = ''
  let indent = 0

  const endLine = () => {
    lines.push(line.trim() === '' ? '' : `${INDENT.repeat(indent)}${line.trimEnd()}`)
    line = ''
  }
  const border = () => {
    if (line.trim() === '') line = ''
    else endLine()
  }
  const addText = (text: string) => {
    const rows = text.split('\n')
    for (const [index, row] of rows.entries()) {
      const start = index > 0 ? row.trimStart() : row
      const piece = index < rows.length - 1 ? start.trimEnd() : start
      if (index > 0 && line !== '' && !line.endsWith(' ')) line += ' '
      line += piece
    }
  }
  const walk = (node: XmlNode) => {
    if (typeof node === 'string') addText(node)
    else if (node.name === 'br') endLine()
    else if (node.name === 'table') {
      border()
      for (const row of rowsOf(node)) lines.push(row)
    } else if (BLOCKS.has(node.name) || node.name === 'ul' || node.name === 'ol' || node.name === 'li') {
      border()
      const step = node.attributes.get('style')?.includes('margin-left') ? 1 : 0
      indent += step
      if (node.name === 'li') line = '- '
      node.children.forEach(walk)
      border()
      indent -= step
    } else {
      line += inlineMark(node)
      node.children.forEach(walk)
    }
  }
  nodes.forEach(walk)
  border()
  while (lines[0] === '') lines.shift()
  while (lines.at(-1) === '') lines.pop()
  return lines.join('\n')
}
