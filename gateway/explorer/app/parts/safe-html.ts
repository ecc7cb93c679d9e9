/** Turns Markdown of feeds into HTML. Loaded when a page has Markdown. */
import createPurifier from 'dompurify'
import { Marked } from 'marked'
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

/** Headings of a text are below those of its section, which are `h2`. */
const markdown = new Marked({
  gfm: true,
  walkTokens(token) {
    if (token.type === 'heading') token.depth = Math.min(6, token.depth + 2)
  },
  renderer: { html: ({ text }) => markup(text), image: ({ text }) => text.replaceAll('<', '&lt;') },
})

/** No images, styles, forms or ids: they could load from other hosts, or imitate the page. */
export function safeHtml(text: string): string {
  return purifier.sanitize(markdown.parse(text, { async: false }), {
    ALLOWED_TAGS: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'a'],
      ...[
        'b',
        'i',
        'details',
        'summary',
        'ul',
        'ol',
        'li',
        'table',
        'thead',
        'tbody',
        'tr',
        'th',
        'td',
        'dl',
        'dt',
        'dd',
        'sub',
        'sup',
        'kbd',
      ],
    ],
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
