/**
 * XML of build files and SBOMs: elements, attributes and texts, each element with its line.
 *
 * Nothing can expand: a document type is an error, and references other than the five of XML 1.0 and numeric ones stay as
 * they are. The readers on npm that give lines refuse such references, which old POMs have.
 */
import { shortened } from '../../command/format.ts'
import { assertCount, MAX_XML_LEVELS, MAX_XML_NODES } from '../bounds.ts'
import { FormatError } from '../error.ts'

export interface XmlElement {
  /** Without the prefix of a namespace. */
  readonly name: string
  /** By name, with the prefix of a namespace. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** Its own text, without that of its children and without blanks at the ends. */
  readonly text: string
  /** Number of the line where it begins, from 1. */
  readonly line: number
}

interface OpenElement extends XmlElement {
  children: XmlElement[]
  text: string
}

/** The name can have a prefix. */
const NAME = String.raw`[\p{L}_:][\p{L}\p{N}\p{M}_:.\-·]*`
const START = new RegExp(`<(${NAME})`, 'uy')
const ATTRIBUTE = new RegExp(String.raw`\s+(${NAME})\s*=\s*(?:"([^<"]*)"|'([^<']*)')`, 'uy')
const START_END = /\s*(\/?)>/y
const END = new RegExp(String.raw`</(${NAME})\s*>`, 'uy')

/** Comments and processing instructions are skipped. Each row has the beginning, the end, and the name in messages. */
const SKIPPED = [
  ['<!--', '-->', 'comment'],
  ['<?', '?>', 'processing instruction'],
] as const
const [CDATA, CDATA_END] = ['<![CDATA[', ']]>']

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

/**
 * Returns the root element.
 * @throws FormatError for a document that is not well-formed, has a document type, or is nested too deep; BoundError
 */
export function parseXml(text: string): XmlElement {
  const lineAt = lineCounter(text)
  const open: OpenElement[] = []
  let root: XmlElement | null = null
  let nodes = 0
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0

  const fault = (what: string, position = at) => new FormatError(`it is not XML: ${what}`, lineAt(position))
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  /** Returns what precedes `end`, and moves behind it. */
  const upTo = (end: string, from: number, what: string) => {
    const found = text.indexOf(end, from)
    if (found === -1) throw fault(`the ${what} has no end`)
    at = found + end.length
    return text.slice(from, found)
  }
  const addText = (part: string, position: number) => {
    if (part.trim() === '') return
    const element = open.at(-1)
    if (!element) throw fault(`'${shortened(part.trim(), 60)}' is outside of the root element`, position)
    element.text += part
  }
  const close = () => {
    const element = open.pop()!
    element.text = element.text.trim()
  }

  while (at < text.length) {
    const start = at
    const next = text.indexOf('<', at)
    at = next === -1 ? text.length : next
    addText(decoded(text.slice(start, at)), start + leadingBlanks(text, start))
    if (next === -1) break
    const skipped = SKIPPED.find(([begin]) => text.startsWith(begin, at))
    if (skipped) upTo(skipped[1], at + skipped[0].length, skipped[2])
    else if (text.startsWith(CDATA, at)) addText(upTo(CDATA_END, at + CDATA.length, 'CDATA section'), next)
    else if (text.startsWith('<!DOCTYPE', at)) {
      throw new FormatError('it has a document type, which is not read: remove <!DOCTYPE …>', lineAt(at))
    } else if (text[at + 1] === '/') {
      const name = match(END)?.[1]
      const element = open.at(-1)
      if (name === undefined || !element) throw fault(`'${shortened(text.slice(at, at + 60), 40)}' ends no element`)
      if (localName(name) !== element.name) {
        throw fault(`</${shortened(name, 60)}> ends <${shortened(element.name, 60)}> of line ${element.line}`, next)
      }
      close()
    } else {
      const name = match(START)?.[1]
      if (name === undefined) throw fault(`'${shortened(text.slice(at, at + 60), 40)}' is not a tag`)
      if (root !== null && open.length === 0) throw fault('it has a second root element', next)
      const attributes = new Map<string, string>()
      for (let found = match(ATTRIBUTE); found; found = match(ATTRIBUTE)) {
        if (attributes.has(found[1]!)) throw fault(`<${shortened(name, 60)}> has an attribute twice`, next)
        attributes.set(found[1]!, decoded(found[2] ?? found[3]!))
      }
      const end = match(START_END)
      if (!end) throw fault(`the tag <${shortened(name, 60)}> has a fault, or no end`)
      nodes += 1 + attributes.size
      assertCount(nodes, MAX_XML_NODES, 'elements and attributes')
      const element: OpenElement = {
        name: localName(name),
        attributes: attributes.size === 0 ? NO_ATTRIBUTES : attributes,
        children: [],
        text: '',
        line: lineAt(next),
      }
      open.at(-1)?.children.push(element)
      open.push(element)
      if (open.length > MAX_XML_LEVELS) throw new FormatError('it is nested too deep', element.line)
      root ??= element
      if (end[1] === '/') close()
    }
  }
  const last = open.at(-1)
  if (last) throw new FormatError(`it is not XML: <${shortened(last.name, 60)}> has no end`, last.line)
  if (root === null) throw new FormatError('it is not XML: it has no element', 1)
  return root
}

const BYTE_ORDER_MARK = 0xfeff

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Returns a function that counts from the last position on. A position before it takes the line of the last. */
function lineCounter(text: string): (position: number) => number {
  const ends = /\r\n|\n|\r/g
  let line = 1
  let next = 0
  const advance = () => {
    next = ends.exec(text)?.index ?? Number.POSITIVE_INFINITY
  }
  advance()
  return (position) => {
    while (next < position) {
      line++
      advance()
    }
    return line
  }
}

function leadingBlanks(text: string, start: number): number {
  const blanks = /\s*/y
  blanks.lastIndex = start
  return blanks.exec(text)![0].length
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces references (XML 1.0, 4.1 and 4.6). Unknown ones stay as they are. */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (whole, decimal, hex, named) => {
    if (named !== undefined) return NAMED[named]!
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
  })
}

export const childrenOf = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name)

/** Returns the first child of the name; null without one. */
export const childOf = (element: XmlElement, name: string): XmlElement | null =>
  element.children.find((child) => child.name === name) ?? null

/** Returns the text of the first child of the name; null without one, or if it is empty. */
export const textOfChild = (element: XmlElement, name: string): string | null => childOf(element, name)?.text || null
