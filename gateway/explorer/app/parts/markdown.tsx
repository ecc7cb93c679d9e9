/** Markdown of advisories and reports, without anything that runs or loads. */
import { useEffect, useState } from 'preact/hooks'

/** Longer texts are shown as they are: parsing takes time in the square of the length. The limit of GitHub is 65,536. */
const MOST_CHARACTERS = 100_000

export function Markdown({ text }: { text: string }) {
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    setHtml(undefined)
    if (text.length > MOST_CHARACTERS) return
    let isCurrent = true
    import('./safe-html.ts')
      .then(({ safeHtml }) => isCurrent && setHtml(safeHtml(text)))
      // Text that is nested too deep stays as it is.
      .catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [text])
  if (html === undefined) return <pre class="markdown">{text}</pre>
  // DOMPurify has removed all that runs or loads.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
