/** Markdown of advisories and reports, without anything that runs or loads. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Loading } from './answer.tsx'

type Render = (text: string) => string

/** Longer texts are shown as they are: parsing takes time in the square of the length. The limit of GitHub is 65,536. */
const MOST_CHARACTERS = 100_000

/** Null: it could not be loaded. Undefined: not yet. */
let renderer: Render | null | undefined

/** Loads the renderer if it is needed. Returns it, or null if it cannot be loaded; until then undefined. */
export function useRenderer(isNeeded = true): Render | null | undefined {
  const [, showAgain] = useState({})
  useEffect(() => {
    if (!isNeeded || renderer) return
    import('./safe-html.ts')
      .then(({ safeHtml }) => safeHtml)
      .catch(() => null)
      .then((loaded) => {
        renderer = loaded
        showAgain({})
      })
  }, [isNeeded])
  return renderer
}

export function Markdown({ text }: { text: string }) {
  const render = useRenderer()
  const html = useMemo(() => (render ? htmlOf(text, render) : null), [text, render])
  if (render === undefined) return <Loading />
  if (html === null) return <pre class="markdown">{text}</pre>
  // DOMPurify has removed all that runs or loads.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}

function htmlOf(text: string, render: Render): string | null {
  if (text.length > MOST_CHARACTERS) return null
  try {
    return render(text)
  } catch {
    // It is nested too deep.
    return null
  }
}
