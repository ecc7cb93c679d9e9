/** Turns Markdown of feeds into HTML. Loaded when a page has Markdown. */
import createPurifier from 'dompurify'
import { Marked } from 'marked'
import { webUrl } from './values.tsx'

const purifier = createPurifier(window)

/** Headings of a text are below those of its section, which are `h2`. */
const marked = new Marked({
  gfm: true,
  walkTokens(token) {
    if (token.type === 'heading') token.depth = Math.min(6, token.depth + 2)
  },
})

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

/** No images, styles, forms or ids: they could load from other hosts, or imitate the page. */
export function safeHtml(markdown: string): string {
  return purifier.sanitize(marked.parse(markdown, { async: false }), {
    ALLOWED_TAGS: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'a'],
      ...['ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'dl', 'dt', 'dd', 'sub', 'sup', 'kbd'],
    ],
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
