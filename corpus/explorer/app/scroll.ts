/** Scroll positions: going back restores the position of a page. Another page starts at its top. */

/** Time for the content of a page to become high enough. After it, the position is dropped. */
const PATIENCE_MS = 3000

const positions = new Map<string, number>()

/** Names the entry of the history. */
function entryKey(): string {
  const state = history.state as { key?: string } | null
  if (state?.key) return state.key
  const key = crypto.getRandomValues(new Uint32Array(2)).join('-')
  history.replaceState({ ...state, key }, '')
  return key
}

const pathOf = () => window.location.hash.split('?', 1)[0]!

/** Starts to keep positions. Call it once. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual'
  let key = entryKey()
  let path = pathOf()
  window.addEventListener('scroll', () => positions.set(key, window.scrollY), { passive: true })
  window.addEventListener('hashchange', () => {
    const [isSamePage, last] = [pathOf() === path, key]
    key = entryKey()
    path = pathOf()
    // A replaced entry has the position of its predecessor, which is where the page is.
    const position = key === last ? undefined : positions.get(key)
    if (position !== undefined) restore(position)
    else if (!isSamePage) window.scrollTo(0, 0)
  })
}

/** Scrolls there as soon as the content is high enough, unless the user scrolls before. */
function restore(position: number): void {
  const stop = new AbortController()
  const until = performance.now() + PATIENCE_MS
  for (const type of ['wheel', 'touchstart', 'keydown', 'pointerdown', 'hashchange']) {
    window.addEventListener(type, () => stop.abort(), { once: true, passive: true, signal: stop.signal })
  }
  const step = () => {
    if (stop.signal.aborted) return
    window.scrollTo(0, position)
    if (Math.abs(window.scrollY - position) < 2 || performance.now() > until) stop.abort()
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
