/** Sanitizes the HTML of Markdown. Loaded when a page has Markdown. */
import createPurifier from 'dompurify'
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

/** No images, styles, forms or ids: they could load from other hosts, or imitate the page. */
const TAGS =
  'div h1 h2 h3 h4 h5 h6 p br hr blockquote pre code em strong b i del a ul ol li table thead tbody tr th td dl dt dd sub sup kbd details summary'.split(
    ' ',
  )

/** Returns HTML of these tags only. */
export const safeHtml = (html: string): string =>
  purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
