/** Turns Markdown of feeds into HTML that `safe-html.ts` must sanitize. Runs in a worker. */
import { Marked, Renderer, type TokensList } from 'marked'
import {
  type MarkdownResult,
  MOST_CELLS,
  MOST_CHARACTERS,
  MOST_DEPTH,
  MOST_HTML_CHARACTERS,
} from './markdown-bounds.ts'

class TooLarge extends Error {}

/**
 * Markup in Markdown is shown as text, except for tags without attributes. Parsing the others would violate the policy
 * of the page before they are removed.
 */
const BARE_TAG = /^<\/?(?:b|br|code|dd|details|dl|dt|em|hr|i|kbd|li|ol|p|pre|strong|sub|summary|sup|ul) {0,8}\/?>/i
const markup = (html: string): string =>
  html
    // An open comment ends with the text, as in CommonMark. Searching an end for each would take minutes.
    .replaceAll(/<!--.*?(?:-->|$)/gs, '')
    .replaceAll(/<[^<]*/g, (text) => (BARE_TAG.test(text) ? text : `&lt;${text.slice(1)}`))

/** The target of a link within the text: it shows nothing. */
const TARGET = /^<a (?:name|id)="[^"<>]{0,200}"> ?<\/a>/

const markdown = new Marked({
  gfm: true,
  tokenizer: {
    table(text) {
      if (cellsOf(text) > MOST_CELLS) throw new TooLarge()
      return false
    },
  },
  renderer: {
    html: ({ text }) => markup(text),
    image: ({ text }) => text.replaceAll('<', '&lt;'),
    // A wide table scrolls in it.
    table(token) {
      return `<div>${Renderer.prototype.table.call(this, token)}</div>`
    },
  },
  extensions: [
    {
      name: 'target',
      level: 'inline',
      start: (text) => text.indexOf('<a '),
      tokenizer(text) {
        const raw = TARGET.exec(text)?.[0]
        return raw === undefined ? undefined : { type: 'target', raw }
      },
      renderer: () => '',
    },
  ],
})

/** Returns a bound of the cells, if a table begins here: its rows end with the first empty line. */
function cellsOf(text: string): number {
  const [header = '', delimiters = ''] = text.split('\n', 2)
  if (!delimiters.includes('-') || !/[:|]/.test(delimiters)) return 0
  const end = text.indexOf('\n\n')
  const rows = (end === -1 ? text : text.slice(0, end)).split('\n').length
  return rows * header.split('|').length
}

/** The heading of the section, which texts are in. */
const SECTION_LEVEL = 2

/**
 * Puts headings below that of the section. Each is at most one level below the one before.
 * @throws TooLarge if many links name a long target, which is in the text once
 */
function checkTokens(tokens: TokensList): void {
  let last = SECTION_LEVEL
  let targets = 0
  markdown.walkTokens(tokens, (token) => {
    if (token.type === 'heading') last = token.depth = Math.min(token.depth + SECTION_LEVEL, last + 1, 6)
    if (token.type === 'link') targets += token.href.length
  })
  if (targets > MOST_HTML_CHARACTERS) throw new TooLarge()
}

const TAG = /<(\/?)([a-z][a-z0-9]*)/gi
/** They have no content, or end where the next one begins. */
const NEVER_NESTED: ReadonlySet<string> = new Set(['br', 'hr', 'input', 'p', 'li', 'dd', 'dt'])

/** Returns the largest number of elements in each other. */
function depthOf(html: string): number {
  const open = new Map<string, number>()
  let depth = 0
  let most = 0
  for (const [, end, stated] of html.matchAll(TAG)) {
    const name = stated!.toLowerCase()
    if (NEVER_NESTED.has(name)) continue
    const count = open.get(name) ?? 0
    // The end of an element that is not open ends nothing.
    if (end !== '' && count === 0) continue
    const step = end === '' ? 1 : -1
    open.set(name, count + step)
    depth += step
    most = Math.max(most, depth)
  }
  return most
}

/** Returns the HTML, or why there is none. May take long: the caller sets a deadline. */
export function markdownHtml(text: string): MarkdownResult {
  if (text.length > MOST_CHARACTERS) return { plain: 'long' }
  try {
    const tokens = markdown.lexer(text)
    checkTokens(tokens)
    const html = markdown.parser(tokens)
    if (html.length > MOST_HTML_CHARACTERS) return { plain: 'large' }
    return depthOf(html) > MOST_DEPTH ? { plain: 'deep' } : { html }
  } catch (error) {
    // A RangeError: it is nested deeper than the stack.
    return { plain: error instanceof TooLarge ? 'large' : 'deep' }
  }
}
