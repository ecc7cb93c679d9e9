/** Markdown of advisories and reports, without anything that runs or loads. */
import { useEffect, useState } from 'preact/hooks'

export function Markdown({ text }: { text: string }) {
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    import('./safe-html.ts').then(({ safeHtml }) => isCurrent && setHtml(safeHtml(text)))
    return () => {
      isCurrent = false
    }
  }, [text])
  if (html === undefined) return <pre class="markdown">{text}</pre>
  // DOMPurify has removed all that runs or loads.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
