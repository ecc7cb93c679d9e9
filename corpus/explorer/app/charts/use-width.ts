import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns the width of an element in CSS pixels, and again when it changes. 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return width
}
