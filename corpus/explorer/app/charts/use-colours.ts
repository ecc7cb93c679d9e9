import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface Colours {
  text: string
  line: string
  /** Colours of the swatches in the legend, in their order. */
  swatches: string[]
}

/** Returns the colours of a legend, and again when the user changes between light and dark. A canvas knows no variables. */
export function useColours(legend: RefObject<HTMLElement | null>): Colours | null {
  const [colours, setColours] = useState<Colours | null>(null)
  useEffect(() => {
    const read = () => legend.current && setColours(coloursOf(legend.current))
    read()
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', read)
    const theme = new MutationObserver(read)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', read)
      theme.disconnect()
    }
  }, [])
  return colours
}

function coloursOf(legend: HTMLElement): Colours {
  const { color, borderTopColor } = getComputedStyle(legend)
  const swatches = Array.from(legend.querySelectorAll('.swatch'), (one) => getComputedStyle(one).backgroundColor)
  return { text: color, line: borderTopColor, swatches }
}
