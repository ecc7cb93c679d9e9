import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The heading of a page, and its title in the window. It takes the focus, so that screen readers announce the page. */
export function Heading({ children, title }: { children: ComponentChildren; title?: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const text = title ?? heading.current?.textContent ?? ''
    document.title = text === 'vulnshelf' ? text : `${text} · vulnshelf`
  }, [title, children])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
