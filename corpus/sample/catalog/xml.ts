/** Formats XML as the publisher of the catalogs does: indented by three, text and inline elements on one line. */

export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: (XmlElement | string)[]
}

type Child = XmlElement | string | null | readonly (XmlElement | null)[]

/** Returns an element. Null children are omitted, lists are flattened. */
export function xml(name: string, attributes: Record<string, string | null>, ...children: Child[]): XmlElement {
  const stated = Object.entries(attributes).filter((one): one is [string, string] => one[1] !== null)
  const given = children.flat().filter((child) => child !== null) as (XmlElement | string)[]
  return { name, attributes: Object.fromEntries(stated), children: given }
}

/** Returns a group of elements, or null if it is empty: upstream has no empty groups. */
export function group(name: string, members: readonly XmlElement[]): XmlElement | null {
  return members.length > 0 ? xml(name, {}, members) : null
}

export function document(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${printed(root, '')}\n`
}

function printed({ name, attributes, children }: XmlElement, indent: string): string {
  const head = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ')
  if (children.length === 0) return `<${head}/>`
  if (children.some((child) => typeof child === 'string')) return `<${head}>${children.map(inline).join('')}</${name}>`
  const deeper = `${indent}   `
  const lines = (children as XmlElement[]).map((child) => `\n${deeper}${printed(child, deeper)}`)
  return `<${head}>${lines.join('')}\n${indent}</${name}>`
}

function inline(node: XmlElement | string): string {
  if (typeof node === 'string') return escaped(node)
  const attributes = Object.entries(node.attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const head = `${node.name}${attributes.join('')}`
  return node.children.length === 0 ? `<${head}/>` : `<${head}>${node.children.map(inline).join('')}</${node.name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const paragraph = (text: string) => xml('xhtml:p', {}, text)

/** Returns structured text in upstream's two forms: one paragraph, or several with a list. */
export function structured(name: string, paragraphs: readonly string[], bullets: readonly string[] = []): XmlElement {
  if (paragraphs.length === 1 && bullets.length === 0) return xml(name, {}, paragraphs[0]!)
  const list = bullets.map((bullet) => xml('xhtml:li', {}, bullet))
  return xml(name, {}, paragraphs.map(paragraph), list.length > 0 ? xml('xhtml:ul', {}, list) : null)
}
