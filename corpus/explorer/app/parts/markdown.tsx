/** Markdown of advisories and reports, without anything that runs or loads. */
import { useEffect, useState } from 'preact/hooks'
import { Loading } from './answer.tsx'
import { formatCount } from './format.ts'
import { type MarkdownResult, MOST_CHARACTERS, type PlainReason } from './markdown-bounds.ts'
import { markdownInWorker } from './markdown-queue.ts'
import { LongText } from './steps.tsx'

const REASONS: Readonly<Record<PlainReason, string>> = {
  long: `it has more than ${formatCount(MOST_CHARACTERS)} characters`,
  large: 'the formatted text would be too large',
  deep: 'it is nested too deep',
  slow: 'reading it as Markdown takes too long',
  unavailable: 'the code that reads Markdown could not be loaded',
}
/** Characters of plain text that are shown at first. */
const FIRST_CHARACTERS = 20_000

/** The last texts as they are shown: a page can read its texts before it shows them. */
const known = new Map<string, MarkdownResult>()
const MOST_KNOWN = 20

/** Returns sanitized HTML, or why a text is shown as plain text. @throws the reason of `signal` */
async function read(text: string, signal: AbortSignal): Promise<MarkdownResult> {
  // While the worker reads, this is loaded.
  const loading = import('./safe-html.ts').catch(() => null)
  const result = await markdownInWorker(text, signal)
  const purifier = await loading
  if ('plain' in result) return result
  return purifier === null ? { plain: 'unavailable' } : { html: purifier.safeHtml(result.html) }
}

/** Reads texts. Returns them once all are read; undefined until then. */
export function useMarkdown(texts: readonly string[]): readonly MarkdownResult[] | undefined {
  const key = texts.join('\0')
  const [shown, setShown] = useState<{ key: string; results: readonly MarkdownResult[] }>()
  const found = texts.map((text) => known.get(text))
  const results = shown?.key === key ? shown.results : found.every((one) => one !== undefined) ? found : undefined
  const isRead = results !== undefined
  useEffect(() => {
    if (isRead) return
    const stop = new AbortController()
    Promise.all(texts.map((text) => read(text, stop.signal))).then(
      (results) => {
        for (const [index, text] of texts.entries()) remember(text, results[index]!)
        setShown({ key, results })
      },
      () => {},
    )
    return () => stop.abort()
  }, [key])
  return results
}

function remember(text: string, result: MarkdownResult): void {
  // When it is shown again, there can be the connection or the time that was lacking.
  if ('plain' in result && (result.plain === 'unavailable' || result.plain === 'slow')) return
  known.set(text, result)
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!)
}

export function Markdown({ text }: { text: string }) {
  const result = useMarkdown([text])?.[0]
  if (result === undefined) return <Loading />
  if ('plain' in result) {
    return (
      <>
        <p class="dim">This is shown as plain text: {REASONS[result.plain]}.</p>
        <LongText text={text} first={FIRST_CHARACTERS} />
      </>
    )
  }
  // DOMPurify has removed all that runs or loads.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: result.html }} />
}
