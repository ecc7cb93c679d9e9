/** The snapshot that this browser saw before the current one: the begin of "since my last visit". */
import { kept } from '../data/kept.ts'

const seen = kept(() => localStorage, 'vulnshelf.seen')

interface Seen {
  current: string
  previous: string | null
}

/** Notes that the browser sees a snapshot. Returns the one that it saw before; null in a browser that saw no other. */
export function previousVisit(current: string): string | null {
  const known = readSeen()
  if (known?.current === current) return known.previous
  const previous = known?.current ?? null
  seen.store(JSON.stringify({ current, previous } satisfies Seen))
  return previous
}

/** Null without a note, or if it has another form. */
function readSeen(): Seen | null {
  try {
    const { current, previous } = JSON.parse(seen.read() ?? 'null') as Seen
    return isId(current) && (previous === null || isId(previous)) ? { current, previous } : null
  } catch {
    return null
  }
}

const isId = (id: unknown): id is string => typeof id === 'string' && /^[0-9a-f]{64}$/.test(id)
