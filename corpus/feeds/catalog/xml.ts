/**
 * Parses untrusted XML, with limited tags, nesting and text length. Elements have local names (CWE schema 7 and 8
 * differ only in the namespace). Entities are decoded once.
 */
import { XMLParser } from 'fast-xml-parser'
import { FeedError } from '../error.ts'

/** CWE 4.15 has 350,000 tags in 15 MB. Each costs about 350 bytes of memory. */
const MAX_TAGS = 1_500_000
const MAX_NESTING = 100
/**
 * Characters between two tags. The longest upstream text has about 20,000. The parser takes 0.5 s and 40 MB per
 * million.
 */
const MAX_TEXT = 2_000_000
const MAX_MESSAGE = 200
/** The root element must begin within this length. */
const HEAD_LENGTH = 1 << 16

export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: readonly XmlNode[]
}

export type XmlNode = XmlElement | string

const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

/** Entities are decoded here, because the parser ignores numeric ones and would also decode CDATA sections. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  cdataPropName: CDATA,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_NESTING,
})

/**
 * Returns the root element of a document. Errors call it `name`.
 * @throws FeedError (`file_invalid`) when it is not well-formed XML, exceeds a limit, or has a document type
 */
export function parseXml(text: string, name: string): XmlElement {
  const invalid = (what: string, cause?: unknown) => new FeedError('file_invalid', `${name} ${what}`, { cause })
  if (text.trim() === '') throw invalid('is empty')
  // Document types allow expanding entities and external files; neither catalog has one. Checks only the head, because
  // code examples may contain one.
  if (/<!DOCTYPE/i.test(text.slice(0, Math.max(0, text.search(/<[A-Za-z]/)))))
    throw invalid('has a document type declaration, which is not supported')
  const { tags, longest } = measureTags(text)
  if (tags > MAX_TAGS) throw invalid(`has more than ${MAX_TAGS} tags`)
  if (longest > MAX_TEXT) throw invalid(`has a text of ${longest} characters; the limit is ${MAX_TEXT}`)
  let parsed: ParsedNode[]
  try {
    parsed = parser.parse(text, true)
  } catch (cause) {
    // The parser quotes the invalid text at any length.
    throw invalid(`is not XML: ${(cause as Error).message.slice(0, MAX_MESSAGE)}`, cause)
  }
  const root = nodesOf(parsed).find((node) => typeof node !== 'string')
  if (!root) throw invalid('is not XML: it has no element')
  return root as XmlElement
}

function measureTags(text: string): { tags: number; longest: number } {
  let [tags, longest, before] = [0, 0, 0]
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    tags++
    longest = Math.max(longest, at - before)
    before = at
  }
  return { tags, longest: Math.max(longest, text.length - before) }
}

/** Parser output: `{name: children, ':@': attributes}`, `{'#text': …}`, `{'#cdata': [{'#text': …}]}`. */
type ParsedNode = Record<string, unknown>

function nodesOf(parsed: readonly ParsedNode[]): XmlNode[] {
  return parsed.map((node) => {
    const name = Object.keys(node).find((key) => key !== ATTRIBUTES) ?? ''
    const value = node[name]
    if (name === TEXT) return decodeEntities(String(value))
    if (name === CDATA) return (value as ParsedNode[]).map((section) => String(section[TEXT])).join('')
    const attributes = Object.entries((node[ATTRIBUTES] ?? {}) as Record<string, unknown>)
    return {
      name,
      attributes: new Map(attributes.map(([key, raw]) => [key, decodeEntities(String(raw))])),
      children: nodesOf(value as ParsedNode[]),
    }
  })
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes the five XML entities and numeric ones. Other entities stay unchanged. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, named) => {
    if (named !== undefined) return NAMED[named] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : whole
  })
}

/**
 * Returns the attributes of the root element by local name. Reads only the beginning of the document. Null when no
 * element begins there.
 */
export function rootAttributes(text: string): ReadonlyMap<string, string> | null {
  const start = /<[A-Za-z][^<>]*>/.exec(text.slice(0, HEAD_LENGTH))?.[0]
  if (start === undefined) return null
  const attributes = start.matchAll(/\s(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return new Map(Array.from(attributes, ([, name, double, single]) => [name!, decodeEntities(double ?? single ?? '')]))
}

export function childrenOf(element: XmlElement | null, name: string): XmlElement[] {
  if (element === null) return []
  return element.children.filter((node): node is XmlElement => typeof node !== 'string' && node.name === name)
}

export function childOf(element: XmlElement | null, name: string): XmlElement | null {
  return childrenOf(element, name)[0] ?? null
}

/** Returns the items of a list such as `<Indicators><Indicator/>…</Indicators>`. */
export function itemsOf(element: XmlElement, list: string, item: string): XmlElement[] {
  return childrenOf(childOf(element, list), item)
}

/** Returns an attribute on one line, trimmed; null when it is missing or empty. */
export function attributeOf(element: XmlElement, name: string): string | null {
  return element.attributes.get(name)?.replace(/\s+/g, ' ').trim() || null
}
