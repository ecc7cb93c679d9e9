/** Writes Atom feeds (RFC 4287). */
import { startOfDay } from '../../corpus/model/values/date.ts'

export interface AtomFeed {
  id: string
  title: string
  subtitle: string
  /** RFC 3339. */
  updated: string
  /** The address of the feed itself. */
  self: string
  /** The page with the same content. */
  alternate: string
  entries: AtomEntry[]
}

export interface AtomEntry {
  id: string
  title: string
  /** RFC 3339. */
  updated: string
  alternate: string
  related?: string
  /** Plain text. */
  summary: string
  /** Lists below the summary. */
  lists?: AtomList[]
}

export interface AtomList {
  title: string
  items: { text: string; link: string }[]
}

/** RFC 4287 4.1.1 requires an author of the feed, or one of each entry. */
const AUTHOR = 'vulnshelf'

export function encodeAtom({ id, title, subtitle, updated, self, alternate, entries }: AtomFeed): Buffer {
  const head = [
    element('id', id),
    element('title', title),
    element('subtitle', subtitle),
    element('updated', updated),
    `<author>${element('name', AUTHOR)}</author>`,
    `<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${escaped(alternate)}"/>`,
  ]
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    ...head.map((line) => ` ${line}`),
    ...entries.flatMap(entryLines),
    '</feed>',
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

function entryLines({ id, title, updated, alternate, related, summary, lists = [] }: AtomEntry): string[] {
  return [
    ' <entry>',
    `  ${element('id', id)}`,
    `  ${element('title', title)}`,
    `  ${element('updated', updated)}`,
    `  <link rel="alternate" type="text/html" href="${escaped(alternate)}"/>`,
    ...(related === undefined ? [] : [`  <link rel="related" type="text/html" href="${escaped(related)}"/>`]),
    `  ${element('summary', summary)}`,
    ...(lists.length > 0 ? [`  ${content(summary, lists)}`] : []),
    ' </entry>',
  ]
}

/** XHTML, because plain text in it is escaped only once (RFC 4287 3.1.1.3). */
function content(summary: string, lists: readonly AtomList[]): string {
  const parts = lists.map(({ title, items }) => {
    const lines = items.map(({ text, link }) => `<li><a href="${escaped(link)}">${escaped(text)}</a></li>`)
    return `${element('h3', title)}<ul>${lines.join('')}</ul>`
  })
  const div = `<div xmlns="http://www.w3.org/1999/xhtml">${element('p', summary)}${parts.join('')}</div>`
  return `<content type="xhtml">${div}</content>`
}

const element = (name: string, text: string) => `<${name}>${escaped(text)}</${name}>`

/** Everything that is not a printable `Char` of XML 1.0, section 2.2: controls, lone surrogates, noncharacters. */
const UNPRINTABLE = /[^\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** White space becomes one space, and a character that XML does not allow becomes U+FFFD. */
const escaped = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/[&<>"]/g, (one) => ENTITIES[one]!)

/** Returns a day or a timestamp as an RFC 3339 timestamp. */
export const atomTime = (date: string) => (date.length === 10 ? startOfDay(date) : date)
