import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Keeps the widths of a table's columns when rows are added. A column still widens for a word that does not fit.
 * @param table what the widths are for: another value measures them again
 */
export function useSteadyColumns(table: string): RefObject<HTMLTableElement | null> {
  const ref = useRef<HTMLTableElement>(null)
  useLayoutEffect(() => {
    const measure = () => {
      const headers = [...(ref.current?.tHead?.rows[0]?.cells ?? [])]
      for (const { style } of headers) style.width = ''
      const widths = headers.map(({ offsetWidth }) => offsetWidth)
      headers.forEach(({ style }, i) => {
        // Phones show no headers.
        if (widths[i] !== 0) style.width = `${widths[i]}px`
      })
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [table])
  return ref
}
