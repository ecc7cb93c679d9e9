/** A button that copies a text. */
import { useEffect, useState } from 'preact/hooks'

const SHOWN_MS = 2000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [result, setResult] = useState<string>('')
  useEffect(() => {
    if (result === '') return
    const timer = setTimeout(() => setResult(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])
  const copy = () =>
    // Without a secure context there is no clipboard.
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => setResult('Copied'),
      () => setResult('Not copied. Select the text and copy it.'),
    )
  return (
    <>
      <button type="button" onClick={copy}>
        {label}
      </button>{' '}
      <span class="dim" role="status">
        {result}
      </span>
    </>
  )
}
