/** Reads Markdown in a worker, one text after the other, so that no text stops the page. */
import { startWorker } from '../workers.ts'
import { DEADLINE_MS, type MarkdownResult, MOST_CHARACTERS } from './markdown-bounds.ts'

/** The running worker; null before the first text, and after one that took too long. */
let worker: Worker | null = null
let last: Promise<unknown> = Promise.resolve()

/**
 * Returns the HTML of a text, which is not sanitized, or why there is none.
 * @throws the reason of `signal`, if the text is no longer needed when its turn comes
 */
export function markdownInWorker(text: string, signal: AbortSignal): Promise<MarkdownResult> {
  const result = last.then(() => {
    signal.throwIfAborted()
    return read(text)
  })
  last = result.catch(() => {})
  return result
}

async function read(text: string): Promise<MarkdownResult> {
  if (text.length > MOST_CHARACTERS) return { plain: 'long' }
  try {
    worker ??= await readyWorker()
  } catch {
    return { plain: 'unavailable' }
  }
  const reader = worker
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      reader.terminate()
      worker = null
      resolve({ plain: 'slow' })
    }, DEADLINE_MS)
    reader.onmessage = ({ data }: MessageEvent<MarkdownResult>) => {
      clearTimeout(timer)
      resolve(data)
    }
    reader.postMessage(text)
  })
}

/** Returns a worker that has its code: the time of the download does not count for the first text. */
function readyWorker(): Promise<Worker> {
  const started = startWorker('markdown')
  return new Promise((resolve, reject) => {
    started.onmessage = () => resolve(started)
    started.onerror = reject
  })
}
