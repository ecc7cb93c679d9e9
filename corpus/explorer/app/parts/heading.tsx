import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useSession } from '../data/use.ts'

/** The heading of a page, and its title in the window. It takes the focus, so that screen readers announce the page. */
export function Heading({ children, title }: { children: ComponentChildren; title?: string }) {
  const { past } = useSession()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const text = title ?? heading.current?.textContent ?? ''
    const page = text === 'vulnshelf' ? text : `${text} · vulnshelf`
    document.title = past === null ? page : `Past (${past.slice(0, 20)}) · ${page}`
  }, [title, children])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
