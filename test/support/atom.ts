/** Reads an Atom feed with an XML parser, and checks the rules of RFC 4287 that concern its structure. */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import * as assert from 'uvu/assert'

export interface ReadLink {
  rel: string
  href: string
  type: string
}

export interface ReadEntry {
  id: string
  title: string
  updated: string
  links: ReadLink[]
  summary: string
  /** Texts and addresses of the links in its content. */
  items: { text: string; href: string }[]
}

export interface ReadFeed extends Omit<ReadEntry, 'summary' | 'items'> {
  entries: ReadEntry[]
}

interface Node {
  name: string
  attributes: Record<string, string>
  children: (Node | string)[]
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/
/** RFC 4151 2.1. */
const TAG_URI =
  /^tag:[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*,\d{4}(?:-\d{2}(?:-\d{2})?)?:(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/
/** RFC 3986, without the characters that a URI must escape. */
const URI = /^https?:\/\/[^\s<>"{}|\\^`[\]]+$/

/** Returns the content of a feed. Fails for one that is not well-formed or breaks a rule. */
export function readAtom(bytes: Uint8Array): ReadFeed {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  assert.is(XMLValidator.validate(text), true)
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    trimValues: false,
    processEntities: true,
  })
  const root = nodesOf(parser.parse(text)).find(
    (node): node is Node => typeof node !== 'string' && !node.name.startsWith('?'),
  )!
  assert.equal([root.name, root.attributes], ['feed', { xmlns: 'http://www.w3.org/2005/Atom' }])
  const author = only(root, 'author')
  assert.ok(textOf(only(author, 'name')).length > 0)
  const entries = all(root, 'entry').map(readEntry)
  const feed = { ...common(root), entries }
  const self = feed.links.filter(({ rel }) => rel === 'self')
  assert.equal(
    self.map(({ type }) => type),
    ['application/atom+xml'],
  )
  // 4.1.1: ids of entries with the same `updated` differ.
  assert.is(new Set(entries.map(({ id }) => id)).size, entries.length)
  return feed
}

function readEntry(node: Node): ReadEntry {
  assert.ok(all(node, 'content').length <= 1)
  const items = all(node, 'content').flatMap((content) => {
    // 3.1.1.3: XHTML is one `div`.
    assert.is(content.attributes.type, 'xhtml')
    const div = only(content, 'div')
    assert.is(div.attributes.xmlns, 'http://www.w3.org/1999/xhtml')
    assert.is(content.children.length, 1)
    return descendants(div, 'a').map((a) => ({ text: textOf(a), href: a.attributes.href! }))
  })
  return { ...common(node), summary: textOf(only(node, 'summary')), items }
}

/** 4.1.1, 4.1.2: exactly one id, title and updated; at most one alternate link per type. */
function common(node: Node): Omit<ReadFeed, 'entries'> {
  const [id, title, updated] = ['id', 'title', 'updated'].map((name) => textOf(only(node, name))) as [
    string,
    string,
    string,
  ]
  assert.match(id, TAG_URI)
  assert.match(updated, RFC_3339)
  assert.ok(Number.isFinite(Date.parse(updated)))
  assert.ok(title.length > 0)
  const links = all(node, 'link').map(({ attributes }) => attributes as unknown as ReadLink)
  for (const { href } of links) assert.match(href, URI)
  assert.is(links.filter(({ rel }) => rel === 'alternate').length, 1)
  return { id, title, updated, links }
}

function nodesOf(parsed: unknown): (Node | string)[] {
  return (parsed as Record<string, unknown>[]).map((one) => {
    if ('#text' in one) return String(one['#text'])
    const name = Object.keys(one).find((key) => key !== ':@')!
    return { name, attributes: (one[':@'] ?? {}) as Record<string, string>, children: nodesOf(one[name]) }
  })
}

const all = (node: Node, name: string): Node[] =>
  node.children.filter((child): child is Node => typeof child !== 'string' && child.name === name)

function only(node: Node, name: string): Node {
  const found = all(node, name)
  assert.is(found.length, 1, `${node.name} has ${found.length} ${name}`)
  return found[0]!
}

const descendants = (node: Node, name: string): Node[] =>
  node.children.flatMap((child) =>
    typeof child === 'string' ? [] : child.name === name ? [child] : descendants(child, name),
  )

function textOf({ name, children }: Node): string {
  assert.ok(
    children.every((child) => typeof child === 'string'),
    `${name} contains elements`,
  )
  return children.join('')
}

export const linkOf = ({ links }: Pick<ReadFeed, 'links'>, rel: string): string | undefined =>
  links.find((link) => link.rel === rel)?.href
