/** Turns Markdown of feeds into HTML. Loaded when a page has Markdown. */
import createPurifier from 'dompurify'
import { Marked, Renderer, type TokensList } from 'marked'
import { webUrl } from './values.tsx'

const purifier = createPurifier(window)

purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return
  const href = webUrl(node.getAttribute('href'))
  if (href === null) {
    node.removeAttribute('href')
    return
  }
  node.setAttribute('href', href)
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
  node.setAttribute('referrerpolicy', 'no-referrer')
})

/**
 * Markup in Markdown is shown as text, except for tags without attributes. Parsing the others would violate the policy
 * of the page before they are removed.
 */
const BARE_TAG = /^<\/?(?:b|br|code|dd|details|dl|dt|em|hr|i|kbd|li|ol|p|pre|strong|sub|summary|sup|ul) *\/?>/i
const markup = (html: string): string =>
  html
    // An open comment ends with the text, as in CommonMark. Searching an end for each would take minutes.
    .replaceAll(/<!--.*?(?:-->|$)/gs, '')
    .replaceAll(/<[^<]*/g, (text) => (BARE_TAG.test(text) ? text : `&lt;${text.slice(1)}`))

/** The target of a link within the text: it shows nothing. */
const TARGET = /^<a (?:name|id)="[^"<>]{0,200}"> ?<\/a>/

const markdown = new Marked({
  gfm: true,
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

/** No images, styles, forms or ids: they could load from other hosts, or imitate the page. */
const TAGS =
  'div h1 h2 h3 h4 h5 h6 p br hr blockquote pre code em strong b i del a ul ol li table thead tbody tr th td dl dt dd sub sup kbd details summary'.split(
    ' ',
  )

/** The heading of the section, which texts are in. */
const SECTION_LEVEL = 2

/** Puts headings below that of the section. Each is at most one level below the one before. */
function lowerHeadings(tokens: TokensList): void {
  let last = SECTION_LEVEL
  markdown.walkTokens(tokens, (token) => {
    if (token.type === 'heading') last = token.depth = Math.min(token.depth + SECTION_LEVEL, last + 1, 6)
  })
}

/** Returns Markdown as HTML of these tags only. */
export function safeHtml(text: string): string {
  const tokens = markdown.lexer(text)
  lowerHeadings(tokens)
  return purifier.sanitize(markdown.parser(tokens), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
