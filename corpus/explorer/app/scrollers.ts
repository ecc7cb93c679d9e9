/** Tables and code that are wider than the page scroll, with the keyboard too: they take the focus while they are wider. */

const SCROLLERS = 'div.scroll, .snippet pre, .markdown :is(div, pre)'

/** A scroller with one of these is reached through it. */
const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** Starts to watch the page. Call it once. */
export function watchScrollers(root: HTMLElement): void {
  const seen = new WeakSet<Element>()
  const sizes = new ResizeObserver(() => update())
  let isPlanned = false
  const update = () => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      const scrollers = [...root.querySelectorAll<HTMLElement>(SCROLLERS)]
      // All are measured before the first change, after which the browser would measure the page again.
      const focusable = scrollers.filter((scroller) => scroller.scrollWidth > scroller.clientWidth)
      const takeFocus = new Set(focusable.filter((scroller) => !scroller.querySelector(FOCUSABLE)))
      for (const scroller of scrollers) {
        if (!seen.has(scroller)) sizes.observe(scroller)
        seen.add(scroller)
        const takesFocus = takeFocus.has(scroller)
        if (takesFocus === (scroller.tabIndex === 0)) continue
        if (takesFocus) {
          scroller.tabIndex = 0
          // Not a region: those need names that differ.
          scroller.role = 'group'
          scroller.ariaLabel =
            scroller.querySelector('caption')?.textContent ?? (scroller.tagName === 'PRE' ? 'Code' : 'Table')
        } else {
          for (const name of ['tabindex', 'role', 'aria-label']) scroller.removeAttribute(name)
        }
      }
    })
  }
  new MutationObserver(update).observe(root, { childList: true, subtree: true })
}
