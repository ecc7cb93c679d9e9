/**
 * The catalogues' structured text (`StructuredTextType`: text with XHTML in it) reduced to plain text: paragraphs,
 * list items, and code with its lines and indentation. White space means what it means in XHTML.
 */
import type { XmlElement, XmlNode } from './xml.ts'

/** A paragraph, or an item of a list. Line breaks in the text are those upstream asks for (`br`, table rows, code). */
export interface TextBlock {
  kind: 'paragraph' | 'item'
  text: string
  /** Of an item: `-`, or its number. */
  marker: string
  /** Of an item: how many lists its own list lies in. */
  depth: number
}

const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'pre', 'blockquote', 'tbody', 'thead'])
const INDENT = '  '

/** The blocks of an element's content, in order. */
export function blocksOf(nodes: readonly XmlNode[]): TextBlock[] {
  const blocks: TextBlock[] = []
  let inline = ''

  const flush = () => {
    // A blank line, from two breaks in a row, begins a new paragraph.
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

/** `x<sup>2</sup>` is x^2, not x2. */
function inlineMark(element: XmlElement): string {
  return element.name === 'sup' ? '^' : element.name === 'sub' ? '_' : ''
}

/** Each line without blanks at its ends or in a row, the whole without blank lines at its ends. */
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
    // Upstream also writes lists right into lists.
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

/** A row a line, its cells divided by `|`. */
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

/** CAPEC marks code in a text with a class that says its nature (`attack`, `good`, `informative`). */
function codeBlock(element: XmlElement): TextBlock[] {
  const text = codeOf(element.children)
  return text === '' ? [] : [{ kind: 'paragraph', text, marker: '', depth: 0 }]
}

/** The paragraphs of a text; the items of a list are one paragraph, a line each. */
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

/** The whole text, a blank line between paragraphs; null where there is none. */
export function plainText(blocks: readonly TextBlock[]): string | null {
  return paragraphsOf(blocks).join('\n\n') || null
}

/** Paragraphs and list items apart, where the model has a field for each. */
export function paragraphsAndBullets(blocks: readonly TextBlock[]): { paragraphs: string[]; bullets: string[] } {
  const texts = (kind: TextBlock['kind']) => blocks.filter((block) => block.kind === kind).map(({ text }) => text)
  return { paragraphs: texts('paragraph'), bullets: texts('item') }
}

/**
 * Code: `br` and the borders of blocks break lines, each block with a margin is indented once more. Line breaks of the
 * XML itself are layout, as in XHTML; other blanks stay.
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
